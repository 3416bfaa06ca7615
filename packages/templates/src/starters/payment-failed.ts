import type { Starter } from "./starter.ts";

export const PAYMENT_FAILED: Starter = {
  key: "payment-failed",
  label: "Payment failed",
  description: "A charge was declined: says so calmly, and how to put it right.",
  eventType: "payment.failed",
  sensitive: false,
  requiredVariables: ["amount", "currency", "updateUrl"],
  sampleVariables: {
    amount: 19,
    currency: "EUR",
    cardLast4: "4242",
    retryOn: "2026-11-25",
    updateUrl: "https://example.com/billing",
  },
  email: {
    subject: "Your payment did not go through",
    content: `preheader: It is quickly put right.

# Your payment did not go through

We could not charge **{{ amount | money: currency }}**{% if cardLast4 %} to your card ending in {{ cardLast4 }}{% endif %}. Most often the card has expired or the bank has said no. It is quickly put right:

[Update payment details]({{ updateUrl }})

{% if retryOn %}
We will try again on {{ retryOn | date: "long" }}. Until then nothing changes for you.
{% endif %}

Already done? Thank you, then there is nothing left to do.
`,
  },
  text: {
    content:
      "Your payment of {{ amount | money: currency }} did not go through. Please check your payment details: {{ updateUrl }}",
  },
  notification: {
    title: "Your payment did not go through",
    content:
      'We could not charge {{ amount | money: currency }}.{% if retryOn %} We will try again on {{ retryOn | date: "long" }}.{% endif %}',
    url: "{{ updateUrl }}",
  },
};
