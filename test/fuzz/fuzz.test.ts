import assert from "node:assert/strict";
import { Agent, request as httpRequest } from "node:http";
import { test } from "node:test";
import { actsIn } from "@belfry/administration/test/acts";
import { putCategory } from "@belfry/administration/users/categories";
import { BROADCASTS_PATH } from "@belfry/contracts/broadcasts";
import { aNotification } from "@belfry/testing/rows";
import fc from "fast-check";
import { ask } from "../openapi/ask.ts";
import { checkResponse } from "../openapi/check-response.ts";
import { type ApiRequest, apiRequests, type Known } from "./api-requests.ts";
import { type Ingest, startIngest } from "./start-ingest.ts";

/**
 * Every endpoint, driven from its own schema: never 500, always our shape. A number of requests in the
 * test command; `FUZZ_SECONDS=600 node test/run.ts test/fuzz/fuzz.test.ts` is the long form. A failure
 * names its seed: `FUZZ_SEED=…` runs it again.
 */
// biome-ignore lint/style/noProcessEnv: set by who runs the test
const { FUZZ_SECONDS, FUZZ_SEED } = process.env;
const REQUESTS = 1_000;
const LONG = FUZZ_SECONDS === undefined ? undefined : Number(FUZZ_SECONDS) * 1000;
const PATIENCE_MS = 300_000;

const agent = new Agent({ keepAlive: true, maxSockets: 8 });

test("no request makes it fail: valid and broken ones to every endpoint", {
  timeout: (LONG ?? 0) + PATIENCE_MS,
}, async (t) => {
  t.after(() => agent.destroy());
  const ingest = await startIngest(t);
  const known = await createKnown(ingest);
  const statuses = new Map<string, number>();
  const property = fc.asyncProperty(apiRequests(known), async (request) => {
    const answer = await send(ingest, request);
    checkResponse({ method: request.method, path: request.path, ...answer });
    assert.ok(answer.status < 500, `${answer.status}`);
    // No schema knows which files, topics, event types and providers there are, or what a kind of device needs.
    const namesOther =
      /"attachments":\[["{]/.test(String(request.body)) ||
      request.path === BROADCASTS_PATH ||
      /\/devices\/[^/]+$/.test(request.path);
    if (request.isValid && !(namesOther && answer.status === 422)) {
      // 404: a good id of nothing; 403: a good id of another tenant; 409: an event that rests no more is not moved, and
      // an endpoint that is off is not posted to.
      const isLate = request.method === "PATCH" || request.path.includes("/webhooks/");
      assert.ok(
        [200, 201, 202, 403, 404, ...(isLate ? [409] : [])].includes(answer.status),
        `valid, but ${answer.status} ${answer.body}`,
      );
    }
    const kind = `${request.isValid ? "valid" : "broken"} ${answer.status}`;
    statuses.set(kind, (statuses.get(kind) ?? 0) + 1);
  });
  const result = await fc.check(property, {
    ...(LONG === undefined
      ? { numRuns: REQUESTS }
      : { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: LONG }),
    ...(FUZZ_SEED === undefined ? {} : { seed: Number(FUZZ_SEED) }),
  });
  const counts = [...statuses].sort().map(([kind, count]) => `${kind}: ${count}`);
  t.diagnostic(`${result.numRuns} requests; ${counts.join(", ")}`);
  assert.equal(
    result.counterexample,
    null,
    `${(result.errorInstance as Error | null)?.message}
${fc.defaultReportMessage(result)}`,
  );
  assert.ok((statuses.get("valid 200") ?? 0) > result.numRuns / 10, counts.join(", "));
  assert.deepEqual(ingest.faults(), []);
  await everyEventIsItsTenants(ingest, known);
});

async function createKnown(ingest: Ingest): Promise<Known> {
  const { apiKey, id: tenantId } = await ingest.createTenant();
  const userId = "user-1";
  const { headers } = await ask(ingest.url, {
    ...{ method: "POST", path: "/api/v1/events/trigger", key: apiKey },
    body: { eventType: "order.confirmed", payload: { userId } },
  });
  const id = headers.get("x-event-id") ?? "";
  // The dispatcher is not there: its history item is written by hand.
  const of = { tenant_id: tenantId, user_id: userId, event_type: "order.confirmed" };
  await aNotification(ingest.pool, { ...of, id });
  // The one that the document's examples name.
  await actsIn(ingest.db, tenantId)(putCategory, { key: "offers", label: { "": "Offers" } });
  return { apiKey, tenantId, userId, id };
}

async function everyEventIsItsTenants(ingest: Ingest, known: Known): Promise<void> {
  const { rows } = await ingest.pool.query("select distinct tenant_id from events");
  assert.deepEqual(rows, [{ tenant_id: known.tenantId }]);
}

/** node:http sends what it is told, where fetch would tidy up the path. */
function send(ingest: Ingest, request: ApiRequest) {
  return new Promise<{ status: number; headers: Headers; body: string }>((resolve, reject) => {
    const outgoing = httpRequest({
      agent,
      port: ingest.port,
      host: "127.0.0.1",
      method: request.method,
      path: request.path,
      headers: {
        ...request.headers,
        ...(request.body.length === 0 && request.method !== "POST"
          ? {}
          : { "content-length": Buffer.byteLength(request.body) }),
      },
    });
    outgoing.on("error", reject);
    outgoing.on("response", async (response) => {
      try {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        const headers = new Headers(response.headers as Record<string, string>);
        resolve({
          status: response.statusCode ?? 0,
          headers,
          body: Buffer.concat(chunks).toString(),
        });
      } catch (error) {
        reject(error);
      }
    });
    // As bytes: with a text node:http would send the headers in UTF-8 too.
    outgoing.end(Buffer.from(request.body as string));
  });
}
