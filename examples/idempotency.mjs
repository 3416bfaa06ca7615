import { createClient } from "@belfry/client";

const belfry = createClient({
  baseUrl: process.env.BELFRY_URL,
  apiKey: process.env.BELFRY_API_KEY,
});

const event = {
  eventType: "global.info",
  payload: { userId: "user-1" },
  variables: { title: "Order confirmed", message: "Thank you for your order." },
};

// The same key is the same event, whatever the body: a retry delivers nothing twice.
const first = await belfry.trigger(event, { idempotencyKey: "order-1001" });
const retry = await belfry.trigger(event, { idempotencyKey: "order-1001" });
console.log("retry:", retry.replayed, retry.id === first.id);

// Another order is another event, although its body is equal.
const other = await belfry.trigger(event, { idempotencyKey: "order-1002" });
console.log("other order:", other.replayed, other.id === first.id);
