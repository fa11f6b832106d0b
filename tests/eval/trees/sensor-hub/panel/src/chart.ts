import { shown } from "./units";

export function draw(readings: number[]): string[] {
  return readings.map((celsius) => shown(celsius));
}
