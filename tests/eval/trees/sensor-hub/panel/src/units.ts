export function shown(celsius: number): string {
  return `${celsius.toFixed(1)} °C`;
}
