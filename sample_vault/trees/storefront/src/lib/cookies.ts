import { createHmac, timingSafeEqual } from "node:crypto";

const SECRET = process.env.COOKIE_SECRET ?? "";

function sign(value: string): string {
  return createHmac("sha256", SECRET).update(value).digest("base64url");
}

/** Joins a value and its signature; the browser can keep it but not change it. */
export function seal(value: string): string {
  return `${Buffer.from(value).toString("base64url")}.${sign(value)}`;
}

/** Returns the value of a sealed cookie, or null when someone touched it. */
export function unseal(cookie: string): string | null {
  const [encoded = "", signature = ""] = cookie.split(".");
  const value = Buffer.from(encoded, "base64url").toString();
  const expected = Buffer.from(sign(value));
  const given = Buffer.from(signature);
  return expected.length === given.length && timingSafeEqual(expected, given) ? value : null;
}
