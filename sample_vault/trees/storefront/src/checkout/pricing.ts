export interface Line {
  sku: string;
  name: string;
  quantity: number;
  /** Price of one piece with tax, in minor units. */
  unitAmountMinor: number;
}

export interface Totals {
  itemsMinor: number;
  shippingMinor: number;
  totalMinor: number;
}

export const FREE_SHIPPING_FROM_MINOR = 6000;
export const SHIPPING_MINOR = 490;

/** Adds up a cart; every figure stays an integer in minor units. */
export function totals(lines: readonly Line[]): Totals {
  const itemsMinor = lines.reduce((sum, line) => sum + line.unitAmountMinor * line.quantity, 0);
  const free = itemsMinor === 0 || itemsMinor >= FREE_SHIPPING_FROM_MINOR;
  const shippingMinor = free ? 0 : SHIPPING_MINOR;
  return { itemsMinor, shippingMinor, totalMinor: itemsMinor + shippingMinor };
}
