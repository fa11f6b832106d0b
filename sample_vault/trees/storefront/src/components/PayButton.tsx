"use client";

import { useRef, useState } from "react";
import type { Cart } from "../checkout/cart";
import { submitPayment } from "../checkout/submit";

interface Props {
  cart: Cart;
  paymentId: string;
}

export function PayButton({ cart, paymentId }: Props) {
  const key = useRef(crypto.randomUUID());
  const [busy, setBusy] = useState(false);
  const [message, setMessage] = useState("");

  async function pay() {
    setBusy(true);
    const outcome = await submitPayment(cart, paymentId, key.current);
    if (outcome.paid) {
      window.location.assign(`/thanks?reference=${outcome.reference}`);
      return;
    }
    setMessage(outcome.message);
    setBusy(false);
  }

  return (
    <>
      <button data-testid="pay" disabled={busy} onClick={pay}>
        Pay
      </button>
      <p role="alert">{message}</p>
    </>
  );
}
