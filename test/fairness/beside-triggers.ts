import assert from "node:assert/strict";
import { TRIGGER_PATH } from "@belfry/contracts/trigger";
import type { Ingest } from "../fuzz/start-ingest.ts";
import { ask } from "../openapi/ask.ts";

const SENDERS = 2;

/** Sends an event of a tenant. */
export function trigger({ url }: Ingest, key: string, userId: string, more: object = {}) {
  const body = { eventType: "order.confirmed", payload: { userId }, ...more };
  return ask(url, { method: "POST", path: TRIGGER_PATH, key, body });
}

/**
 * Starts requests beside another tenant, who sends two triggers at a time until the requests are answered. Fails unless each
 * trigger is answered 200. Resolves to the requests' answers.
 */
export async function besideTriggers<Answer>(
  ingest: Ingest,
  key: string,
  name: string,
  start: () => Promise<Answer>[],
): Promise<Answer[]> {
  let isAnswered = false;
  const statuses = new Set<number>();
  const send = async () => {
    do statuses.add((await trigger(ingest, key, name.slice(0, 200))).status);
    while (!isAnswered);
  };
  const answers = Promise.all(start()).finally(() => {
    isAnswered = true;
  });
  await Promise.all([answers, ...Array.from({ length: SENDERS }, send)]);
  assert.deepEqual(statuses, new Set([200]), name);
  return await answers;
}
