export function connect(take: (readings: number[]) => void): void {
  const socket = new WebSocket("/readings");
  socket.onmessage = (event) => take(JSON.parse(event.data));
}
