import type { Starter } from "./starter.ts";

export const RECEIPT: Starter = {
  key: "receipt",
  label: "Receipt",
  description: "What was bought and what was paid, line by line, to be kept.",
  eventType: "order.paid",
  sensitive: false,
  requiredVariables: ["orderNumber", "items", "total", "currency", "receiptUrl"],
  sampleVariables: {
    name: "Ada",
    orderNumber: "A-1001",
    orderDate: "2026-11-22",
    currency: "EUR",
    items: [
      { name: "Enamel mug, dark blue", quantity: 2, amount: 29.8 },
      { name: "Linen tea towel", quantity: 1, amount: 25 },
    ],
    shipping: 4.9,
    tax: 9.53,
    total: 59.7,
    receiptUrl: "https://example.com/orders/A-1001",
  },
  email: {
    subject: "Your receipt for order {{ orderNumber }}",
    content: `preheader: {{ total | money: currency }} for order {{ orderNumber }}. Thank you!

# Thank you{% if name %}, {{ name }}{% endif %}

We have received your payment for order **{{ orderNumber }}**{% if orderDate %} of {{ orderDate | date: "long" }}{% endif %}.

| Item | Quantity | Amount |
| --- | ---: | ---: |
{% for item in items %}
| {{ item.name }} | {{ item.quantity | number }} | {{ item.amount | money: currency }} |
{% endfor %}
{% if shipping %}
| Shipping | | {{ shipping | money: currency }} |
{% endif %}
| **Total** | | **{{ total | money: currency }}** |

{% if tax %}
The total includes {{ tax | money: currency }} of tax.
{% endif %}

[View your receipt]({{ receiptUrl }})

Something not right? Answer this email and we will sort it out.
`,
  },
  text: {
    content:
      "Thank you! We received {{ total | money: currency }} for order {{ orderNumber }}. Your receipt: {{ receiptUrl }}",
  },
  notification: {
    title: "Payment received",
    content:
      'Thank you! {{ total | money: currency }} for {{ items.size | number }} {{ items.size | plural: one: "item", other: "items" }}, order {{ orderNumber }}.',
    url: "{{ receiptUrl }}",
  },
};
