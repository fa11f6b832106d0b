import { seal, unseal } from "../lib/cookies";
import { type Line, totals } from "./pricing";

export interface Cart {
  lines: Line[];
  currency: string;
}

/** Reads the cart from its sealed cookie; a damaged cookie is an empty cart. */
export function readCart(cookie: string | undefined): Cart {
  const value = cookie ? unseal(cookie) : null;
  return value ? (JSON.parse(value) as Cart) : { lines: [], currency: "EUR" };
}

export function writeCart(cart: Cart): string {
  return seal(JSON.stringify(cart));
}

/** Joins the guest's cart with the one kept for the account; the guest's quantity wins. */
export function mergeCarts(guest: Cart, account: Cart): Cart {
  const lines = new Map(account.lines.map((line) => [line.sku, line]));
  for (const line of guest.lines) lines.set(line.sku, line);
  return { lines: [...lines.values()], currency: guest.currency };
}

export function amountDue(cart: Cart): number {
  return totals(cart.lines).totalMinor;
}
