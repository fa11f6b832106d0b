const EXPONENTS: Record<string, number> = { EUR: 2, GBP: 2, JPY: 0, USD: 2 };

/** Shows an amount in minor units as money in the customer's locale. */
export function formatMoney(amountMinor: number, currency: string, locale: string): string {
  const exponent = EXPONENTS[currency] ?? 2;
  return new Intl.NumberFormat(locale, { style: "currency", currency }).format(
    amountMinor / 10 ** exponent,
  );
}

/** Shows a date in a fixed time zone, so that the server and the browser agree. */
export function formatDate(iso: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" }).format(
    new Date(iso),
  );
}
