import { ApiError, post } from "../lib/api";
import { type Cart, amountDue } from "./cart";

export type Outcome = { paid: true; reference: string } | { paid: false; message: string };

/**
 * Pays for a cart. The key is made once per attempt by the page, so that a second click and a
 * reload repeat the same attempt instead of starting another.
 */
export async function submitPayment(cart: Cart, paymentId: string, key: string): Promise<Outcome> {
  try {
    const { reference } = await post<{ reference: string }>(
      `/v3/payments/${paymentId}/captures`,
      { amount_minor: amountDue(cart), currency: cart.currency },
      key,
    );
    return { paid: true, reference };
  } catch (error) {
    if (error instanceof ApiError && error.code === "ERR_LOCK_TIMEOUT") {
      return { paid: false, message: "Your payment is still being processed. Please wait a moment." };
    }
    return { paid: false, message: "The payment did not go through. You were not charged." };
  }
}
