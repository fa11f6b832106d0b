import { connect } from "./socket.js";

export const watch = (limit: number, ring: () => void): void =>
  connect((readings) => {
    if (Math.max(...readings) > limit) ring();
  });
