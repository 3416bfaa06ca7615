import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { promisify } from "node:util";
import { searchEvents } from "@belfry/administration/events/search-events";
import { assertEach } from "@belfry/testing/assert-each";
import { eventually } from "@belfry/testing/eventually";
import { Centrifuge, type PublicationContext } from "centrifuge";
import { WebSocket } from "ws";
import { settled } from "./outcome.ts";
import { call, type Stack, trigger } from "./stack.ts";

const CLI = new URL("../../packages/cli/src/main.ts", import.meta.url).pathname;
/** Each service with the message of its log line about the event. */
const LINES: readonly [service: string, message: string][] = [
  ["ingest-api", "request"],
  ["dispatcher", "dispatched"],
  ["email-sender", "attempt"],
  ["sms-sender", "attempt"],
  ["realtime-gateway", "pushed"],
];

/** Tests of the trace id from the trigger to the provider and the browser. */
export function traceTests(stack: Stack): void {
  const [api] = stack.apiUrls;

  test("one W3C trace id finds the event in the log of every service, by event show and in the search", async () => {
    const tenant = await stack.createReadyTenant();
    const traceId = randomBytes(16).toString("hex");
    await using browser = await connectedBrowser(stack, tenant.apiKey);
    const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
    const answer = await trigger(api, tenant.apiKey, {}, { traceparent });
    assert.equal(answer.headers.get("x-trace-id"), traceId);
    const eventId = answer.headers.get("x-event-id") ?? "";

    await settled(stack, eventId);
    await eventually(() => browser.pushed.length === 1);
    assert.ok(
      !JSON.stringify(browser.pushed).includes(traceId),
      "it is no business of the browser",
    );
    await eventually(() => {
      const found = Object.values(stack.processes)
        .flatMap((process) => process.logs())
        .filter((line) => line.traceId === traceId && line.level === "info");
      for (const [service, message] of LINES) {
        const lines = found.filter((line) => line.service === service);
        assertEach(
          lines,
          ({ msg, tenantId, eventId }) => ({ msg, tenantId, eventId }),
          [{ msg: message, tenantId: tenant.id, eventId }],
          service,
        );
      }
    });

    const env = stack.adminEnv;
    const shown = await promisify(execFile)(process.execPath, [CLI, "event", "show", eventId], {
      env,
    });
    assert.equal(JSON.parse(shown.stdout).traceId, traceId);
    const { events } = await searchEvents(stack.db, { tenantId: tenant.id, traceId, limit: 10 });
    assertEach(events, ({ id }) => id, [eventId]);
  });
}

/** A user's page, subscribed to all channels of its token. */
export async function connectedBrowser(
  stack: { apiUrls: readonly string[]; wsUrl: string },
  apiKey: string,
  userId = "user-1",
) {
  const { body } = await call(`${stack.apiUrls[0]}/api/v1/auth/realtime-token`, {
    apiKey,
    body: { userId },
  });
  const client = new Centrifuge(stack.wsUrl, {
    websocket: WebSocket,
    getToken: async () => body.token,
  });
  const pushed: PublicationContext[] = [];
  const subscriptions = body.channels.map((channel: string) => {
    const subscription = client.newSubscription(channel);
    subscription.on("publication", (publication) => pushed.push(publication));
    subscription.subscribe();
    return subscription.ready(60_000);
  });
  client.connect();
  await Promise.all(subscriptions);
  return { client, pushed, [Symbol.asyncDispose]: async () => client.disconnect() };
}
