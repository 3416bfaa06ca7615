import { BelfryError, createClient } from "@belfry/client";

const belfry = createClient({
  baseUrl: process.env.BELFRY_URL,
  apiKey: process.env.BELFRY_API_KEY,
  tenantId: process.env.BELFRY_TENANT_ID,
  webhookSecret: process.env.BELFRY_WEBHOOK_SECRET, // only if your tenant has one
});

try {
  const { id } = await belfry.trigger(
    {
      eventType: "global.success",
      payload: { userId: "user-1" },
      variables: { title: "Paid", message: "Thank you." },
    },
    { idempotencyKey: "payment-4711" },
  );
  const event = await belfry.event(id);
  console.log(event.status);
  for (const item of await belfry.history("user-1", { limit: 5 })) {
    console.log(item.title);
    if (item.status === "UNREAD") await belfry.markRead("user-1", item.id);
  }
} catch (error) {
  if (error instanceof BelfryError && error.status === 422) console.error(error.messages);
  throw error;
}
