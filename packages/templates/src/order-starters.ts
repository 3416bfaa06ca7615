/** Starters for orders, payments and comments. */

export const RECEIPT = {
  key: "receipt",
  label: "Receipt",
  description: "A receipt that lists each item and the amount paid.",
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

export const ORDER_ON_ITS_WAY = {
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

export const PAYMENT_FAILED = {
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

const COUNT = '{{ $count | number }} new {{ $count | plural: one: "comment", other: "comments" }}';

export const COMMENT_DIGEST = {
  key: "comment-digest",
  label: "Comment digest",
  description: "One message for all comments on a page within an hour. The push comes at once.",
  eventType: "comment.added",
  sensitive: false,
  digest: { windowSeconds: 3600, key: "url" },
  requiredVariables: ["author", "text", "title", "url"],
  sampleVariables: {
    title: "Autumn roadmap",
    url: "https://example.com/documents/42",
    author: "Edsger",
    text: "Good. I will tell the others.",
    $items: [
      {
        author: "Grace",
        text: "I would move the search to the first half: everything else needs it.",
      },
      { author: "Alan", text: "Agreed. I can begin on Monday." },
      { author: "Edsger", text: "Good. I will tell the others." },
    ],
  },
  email: {
    subject: `${COUNT} on {{ title }}`,
    content: `preheader: {{ $items.first.author }}: {{ $items.first.text | truncate: 90 }}

# {{ title }}

{% if $count == 1 %}
There is a new comment:
{% else %}
There are {{ $count | number }} new comments:
{% endif %}

{% for comment in $items limit: 20 %}
> **{{ comment.author }}**
> {{ comment.text | newline_to_br }}
{% endfor %}

{% if $count > 20 %}
The others are waiting where they were written.
{% endif %}

[Join the conversation]({{ url }})
`,
  },
  text: { content: `${COUNT} on {{ title | truncate: 60 }}: {{ url }}` },
  notification: {
    title: "{{ author }} commented on {{ title | truncate: 60 }}",
    content: "{{ text | truncate: 120 }}",
    url: "{{ url }}",
  },
};
