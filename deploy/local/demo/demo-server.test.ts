import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { createServer, request } from "node:http";
import { type TestContext, test } from "node:test";
import { createDatabase, createPool } from "@belfry/database/connection";
import { storeOutboxMessage } from "@belfry/database/outbox";
import { createTestDatabase } from "@belfry/testing/postgres";
import { portLike } from "../servers/ports.ts";
import { startDemoServer } from "./demo-server.ts";

const KEY = "bf_the_key_that_no_page_may_hold";
const SIGNING_SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const EVENT = "0198c0de-0000-7000-8000-000000000001";

interface Answer {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  body: string;
}

let stored: string;
let url: string;
let calls: string[];

test("the page and everything it asks for is free of the API key", async (t) => {
  await start(t);
  for (const path of ["/", "/assets/page.js", "/demo/outbox", "/demo/webhooks", "/nothing"]) {
    const answer = await ask("GET", path);
    assert.ok(!answer.body.includes(SIGNING_SECRET), path);
    assert.doesNotMatch(answer.body + JSON.stringify(answer.headers), new RegExp(KEY), path);
  }
  const token = await ask("POST", "/demo/token");
  assert.equal(token.status, 200);
  assert.doesNotMatch(token.body, new RegExp(KEY));
  const sent = await ask("POST", "/demo/events", { eventType: "order.confirmed" });
  assert.equal(sent.status, 200);
  assert.doesNotMatch(sent.body, new RegExp(KEY));
  assert.ok(
    calls.some((line) => line.includes(KEY)),
    "the server itself uses it",
  );
});

test("another site can neither ask for a change nor reach the server by a name of its own", async (t) => {
  await start(t);
  const event = { eventType: "order.confirmed" };
  const refused: Record<string, string>[] = [
    { origin: "http://evil.example" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
    { origin: new URL(url).origin, "sec-fetch-site": "same-site" },
    { host: "evil.example:3003" },
    { host: "127.0.0.1.evil.example" },
    {},
  ];
  for (const headers of refused) {
    const answer = await ask("POST", "/demo/events", event, { origin: "", ...headers });
    assert.equal(answer.status, 403, JSON.stringify(headers));
  }
  assert.equal((await ask("GET", "/demo/outbox", undefined, { host: "evil.example" })).status, 403);
  assert.equal(calls.length, 0);
});

test("the page runs no script but its own, and a mail runs none and has no origin", async (t) => {
  await start(t);
  const page = await ask("GET", "/");
  const policy = String(page.headers["content-security-policy"]);
  // The one thing that stands in the page itself is named by its hash, and runs nothing.
  const [, importMap = ""] = /<script type="importmap">([^<]*)<\/script>/.exec(page.body) ?? [];
  assert.deepEqual(Object.keys(JSON.parse(importMap)), ["imports"]);
  const hashed = hash("sha256", importMap, "base64");
  assert.ok(policy.includes(`default-src 'none'; script-src 'self' 'sha256-${hashed}';`), policy);
  assert.match(policy, /connect-src 'self' ws:\/\/127\.0\.0\.1:3001;/);
  assert.doesNotMatch(policy, /unsafe/);
  assert.doesNotMatch(page.body, /<script(?![^>]* src=| type="importmap")| on\w+=|<style| style=/);

  const mail = await ask("GET", `/outbox/${stored}`);
  assert.equal(mail.body, "<p>hello</p><script>alert(1)</script>");
  assert.match(String(mail.headers["content-security-policy"]), /^sandbox; default-src 'none';/);
  assert.equal((await ask("GET", "/outbox/not-an-id")).status, 404);
});

test("a replay is told from a first sending by the API's own header", async (t) => {
  await start(t);
  const first = JSON.parse(
    (await ask("POST", "/demo/events", { eventType: "order.confirmed" })).body,
  );
  assert.equal(first.replayed, false);
  const { eventType, order, key } = first;
  const again = JSON.parse((await ask("POST", "/demo/events", { eventType, order, key })).body);
  assert.deepEqual(again, { ...first, replayed: true });
});

test("an event that the page does not offer is refused", async (t) => {
  await start(t);
  for (const body of [{ eventType: "x" }, {}, { eventType: "order.confirmed", order: "<b>" }]) {
    assert.equal((await ask("POST", "/demo/events", body)).status, 400);
  }
});

/** The demo server before an API that remembers keys, and a database with one mail in it. */
async function start(t: TestContext): Promise<void> {
  calls = [];
  const seen = new Set<unknown>();
  const api = createServer((incoming, response) => {
    calls.push(`${incoming.method} ${incoming.url} ${incoming.headers["x-api-key"]}`);
    const key = incoming.headers["x-idempotency-key"];
    if (seen.has(key)) response.setHeader("idempotency-replayed", "true");
    if (key !== undefined) seen.add(key);
    response.setHeader("x-event-id", EVENT);
    response.end(JSON.stringify({ success: true, message: "Event dispatched", data: [] }));
  });
  await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
  const database = await createTestDatabase();
  const db = createDatabase(createPool({ url: database.url, applicationName: "test" }));
  await db
    .insertInto("tenants")
    .values({ id: "demo", name: "Demo", per_minute: 1, daily_cap: null, webhook_secret: null })
    .execute();
  stored = await storeOutboxMessage(db, {
    deliveryId: EVENT,
    tenantId: "demo",
    eventId: EVENT,
    channel: "EMAIL",
    to: "ada@example.com",
    subject: "Hello",
    html: "<p>hello</p><script>alert(1)</script>",
    text: "hello",
    segments: null,
  });
  const port = await portLike(undefined, 0);
  url = `http://127.0.0.1:${port}`;
  const demo = await startDemoServer({
    port,
    signingSecret: SIGNING_SECRET,
    local: {
      apiUrl: `http://127.0.0.1:${(api.address() as { port: number }).port}`,
      wsUrl: "ws://127.0.0.1:3001/connection/websocket",
      adminUrl: "http://127.0.0.1:3002",
      demoUrl: url,
      databaseUrl: database.url,
      natsUrl: "nats://127.0.0.1:1",
      tenant: { id: "demo", name: "Demo", apiKey: KEY },
    },
  });
  t.after(async () => {
    await demo.close();
    api.closeAllConnections();
    api.close();
    await db.destroy();
    await database[Symbol.asyncDispose]();
  });
}

/** Sends a request with the page's own headers, replaced by the given ones. An empty header is left out. */
function ask(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const all = {
    origin: method === "GET" ? "" : url,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const asked = request(`${url}${path}`, {
      method,
      headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== "")),
      agent: false,
    });
    asked.once("error", reject);
    asked.once("response", async (response) => {
      let text = "";
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
    });
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
