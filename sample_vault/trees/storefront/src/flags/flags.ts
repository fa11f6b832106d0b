/** Every flag with the day on which it must be gone. A test fails from that day on. */
export const flags = {
  guestCheckout: { on: true, until: "2027-02-01" },
  giftCards: { on: false, until: "2027-03-15" },
  newAddressForm: { on: true, until: "2026-12-15" },
} as const;

export function enabled(name: keyof typeof flags): boolean {
  return flags[name].on;
}
