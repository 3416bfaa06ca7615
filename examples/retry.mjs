const LONGEST_WAIT_SECONDS = 60;

export async function triggerPatiently(event, idempotencyKey) {
  for (let retry = 0; ; retry += 1) {
    const response = await fetch(`${process.env.BELFRY_URL}/api/v1/events/trigger`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-api-key": process.env.BELFRY_API_KEY,
        "x-idempotency-key": idempotencyKey,
      },
      body: JSON.stringify(event),
      signal: AbortSignal.timeout(10_000),
    }).catch((error) => ({ ok: false, status: 599, statusText: String(error) }));
    if (response.ok) return await response.json();
    let waitSeconds;
    if (response.status === 429) waitSeconds = (await response.json()).retryAfter;
    else if (response.status >= 500) waitSeconds = 2 ** retry * (0.5 + Math.random() / 2);
    if (waitSeconds === undefined || waitSeconds > LONGEST_WAIT_SECONDS || retry === 3) {
      throw new Error(`event not accepted: ${response.status}`);
    }
    await new Promise((resolve) => setTimeout(resolve, waitSeconds * 1000));
  }
}

const event = { eventType: "global.info", payload: { userId: "user-1" } };
console.log(await triggerPatiently(event, "sample-retry-1"));
