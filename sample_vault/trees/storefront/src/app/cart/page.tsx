import { cookies } from "next/headers";
import { readCart } from "../../checkout/cart";
import { totals } from "../../checkout/pricing";
import { PayButton } from "../../components/PayButton";
import { PriceTag } from "../../components/PriceTag";

export default async function CartPage() {
  const jar = await cookies();
  const cart = readCart(jar.get("cart")?.value);
  const paymentId = jar.get("payment")?.value ?? "";
  const { totalMinor } = totals(cart.lines);
  return (
    <main>
      <h1>Cart</h1>
      <ul>
        {cart.lines.map((line) => (
          <li key={line.sku}>
            {line.quantity} × {line.name}{" "}
            <PriceTag amountMinor={line.unitAmountMinor} currency={cart.currency} locale="en-IE" />
          </li>
        ))}
      </ul>
      <PriceTag amountMinor={totalMinor} currency={cart.currency} locale="en-IE" />
      <PayButton cart={cart} paymentId={paymentId} />
    </main>
  );
}
