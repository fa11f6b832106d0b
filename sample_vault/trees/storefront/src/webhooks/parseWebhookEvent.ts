import { z } from "zod";

const schema = z.object({
  id: z.string(),
  type: z.enum(["payment.captured", "payment.refunded", "payment.failed"]),
  payment_id: z.string().startsWith("pay_"),
  amount: z.number().int(),
  currency: z.string().length(3),
});

export interface WebhookEvent {
  eventId: string;
  type: "payment.captured" | "payment.refunded" | "payment.failed";
  paymentId: string;
  amountMinor: number;
  currency: string;
}

/** Turns the wire format into ours; this is the one place that knows `payment_id`. */
export function parseWebhookEvent(body: unknown): WebhookEvent {
  const event = schema.parse(body);
  return {
    eventId: event.id,
    type: event.type,
    paymentId: event.payment_id,
    amountMinor: event.amount,
    currency: event.currency,
  };
}
