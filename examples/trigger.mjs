import { createHmac } from "node:crypto";

const body = JSON.stringify({
  eventType: "global.info",
  payload: { userId: "user-1" },
  variables: { title: "Grüße", message: "From Node" },
});

const response = await fetch(`${process.env.BELFRY_URL}/api/v1/events/trigger`, {
  method: "POST",
  headers: {
    "content-type": "application/json",
    "x-api-key": process.env.BELFRY_API_KEY,
    "x-idempotency-key": "sample-node-1",
    "x-service-signature": createHmac("sha256", process.env.BELFRY_WEBHOOK_SECRET)
      .update(body)
      .digest("hex"),
  },
  body,
});
console.log(response.status, await response.text());
if (!response.ok) process.exitCode = 1;
