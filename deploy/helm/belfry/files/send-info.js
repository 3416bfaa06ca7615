// `helm test`: sends one global.info; its end is the answer's.
const { INGEST_API_URL, API_KEY, USER_ID } = process.env;
const response = await fetch(`${INGEST_API_URL}/api/v1/events/trigger`, {
  method: "POST",
  headers: {
    "x-api-key": API_KEY,
    "content-type": "application/json",
    "x-idempotency-key": crypto.randomUUID(),
  },
  body: JSON.stringify({
    eventType: "global.info",
    payload: { userId: USER_ID },
    variables: { title: "Belfry", message: "helm test" },
  }),
});
console.log(response.status, await response.text());
process.exit(response.ok ? 0 : 1);
