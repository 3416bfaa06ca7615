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
 * Starts requests beside a neighbour, who sends two of its own at a time until they are answered. Fails unless each of the
 * neighbour's is answered 200. Resolves to the answers of the others.
 */
export async function beside<Answer>(
  send: () => Promise<{ status: number }>,
  name: string,
  start: () => Promise<Answer>[],
): Promise<Answer[]> {
  let isAnswered = false;
  const statuses = new Set<number>();
  const sendOn = async () => {
    do statuses.add((await send()).status);
    while (!isAnswered);
  };
  const answers = Promise.all(start()).finally(() => {
    isAnswered = true;
  });
  await Promise.all([answers, ...Array.from({ length: SENDERS }, sendOn)]);
  assert.deepEqual(statuses, new Set([200]), name);
  return await answers;
}
