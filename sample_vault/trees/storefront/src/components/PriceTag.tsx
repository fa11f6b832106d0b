import { formatMoney } from "../lib/format";

interface Props {
  amountMinor: number;
  currency: string;
  locale: string;
}

export function PriceTag({ amountMinor, currency, locale }: Props) {
  return <span data-testid="price">{formatMoney(amountMinor, currency, locale)}</span>;
}
