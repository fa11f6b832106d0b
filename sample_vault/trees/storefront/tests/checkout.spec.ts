import { describe, expect, it } from "vitest";
import { mergeCarts } from "../src/checkout/cart";
import { FREE_SHIPPING_FROM_MINOR, SHIPPING_MINOR, totals } from "../src/checkout/pricing";

const mug = { sku: "mug", name: "Mug", quantity: 2, unitAmountMinor: 1250 };

describe("totals", () => {
  it("adds shipping below the limit", () => {
    expect(totals([mug]).totalMinor).toBe(2500 + SHIPPING_MINOR);
  });

  it("ships free from the limit on", () => {
    const line = { ...mug, quantity: 1, unitAmountMinor: FREE_SHIPPING_FROM_MINOR };
    expect(totals([line]).shippingMinor).toBe(0);
  });
});

describe("mergeCarts", () => {
  it("lets the guest's quantity win", () => {
    const account = { lines: [{ ...mug, quantity: 5 }], currency: "EUR" };
    const merged = mergeCarts({ lines: [mug], currency: "EUR" }, account);
    expect(merged.lines).toEqual([mug]);
  });
});
