import type { Starter } from "./starter.ts";

export const ORDER_ON_ITS_WAY: Starter = {
  key: "order-on-its-way",
  label: "Order on its way",
  description: "The parcel has left: when it comes, how to follow it, and what is in it.",
  eventType: "order.shipped",
  sensitive: false,
  requiredVariables: ["orderNumber", "trackingUrl"],
  sampleVariables: {
    orderNumber: "A-1001",
    trackingUrl: "https://example.com/track/JD014600",
    carrier: "DHL",
    trackingNumber: "JD014600",
    arrivesOn: "2026-11-26",
    items: [
      { name: "Enamel mug, dark blue", quantity: 2 },
      { name: "Linen tea towel", quantity: 1 },
    ],
  },
  email: {
    subject: "Your order {{ orderNumber }} is on its way",
    content: `preheader: {% if arrivesOn %}It should be with you on {{ arrivesOn | date: "long" }}.{% else %}Follow it all the way to your door.{% endif %}

# It is on its way

Your order **{{ orderNumber }}** has left us{% if carrier %} with {{ carrier }}{% endif %}{% if arrivesOn %} and should be with you on **{{ arrivesOn | date: "long" }}**{% endif %}.

[Track your parcel]({{ trackingUrl }})

{% if trackingNumber %}
Your tracking number is {{ trackingNumber }}.
{% endif %}

{% if items.size > 0 %}
## What is in it

{% for item in items %}
- {{ item.quantity | number }} × {{ item.name }}
{% endfor %}
{% endif %}
`,
  },
  text: {
    content:
      'Your order {{ orderNumber }} is on its way{% if arrivesOn %} and should be with you on {{ arrivesOn | date: "long" }}{% endif %}. Track it: {{ trackingUrl }}',
  },
  notification: {
    title: "Your order is on its way",
    content:
      'Order {{ orderNumber }} has left us{% if arrivesOn %} and should be with you on {{ arrivesOn | date: "long" }}{% endif %}.',
    url: "{{ trackingUrl }}",
  },
};
