import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import fastify from "fastify";
import { Webhook } from "standardwebhooks";
import { addDemoWebhooks, createDemoWebhooks, DEMO_WEBHOOKS_PATH } from "./demo-backend.ts";
import { refusal } from "./demo-server.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const FOREIGN = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
const HOSTILE = '<img src=x onerror="alert(1)">\u202e\u0007';
const NOW = "2026-11-22T10:00:00.000Z";

// Not as JSON.stringify would write it.
const BODY = `{ "type":"delivery.accepted", "data":{"eventId":${JSON.stringify(HOSTILE)},"n":1.0} }`;

test("what is signed is kept as it came, the newest first, and once however often it comes", async (t) => {
  const { post, list } = await start(t);
  const [first, second] = [randomUUID(), randomUUID()];
  for (const id of [first, second, first])
    assert.equal(await post(BODY, signed(BODY, { id })), 204);
  const message = { arrivedAt: NOW, body: BODY };
  assert.deepEqual(await list(), {
    messages: [
      { id: second, times: 1, ...message },
      { id: first, times: 2, ...message },
    ],
    refused: 0,
  });
});

test("a changed byte, an old message, a foreign secret and no signature are refused and counted", async (t) => {
  const { post, list } = await start(t);
  const old = new Date(Date.now() - 3_600_000);
  assert.equal(await post(BODY.replace("1.0", "1.1"), signed(BODY)), 400);
  assert.equal(await post(BODY, signed(BODY, { at: old })), 400);
  assert.equal(await post(BODY, signed(BODY, { secret: FOREIGN })), 400);
  assert.equal(await post(BODY, {}), 400);
  assert.equal(await post(BODY, { ...signed(BODY), "webhook-signature": "v1" }), 400);
  assert.deepEqual(await list(), { messages: [], refused: 5 });
});

test("a page of another site cannot post here, whatever it signs", async (t) => {
  const { post, list } = await start(t);
  for (const more of [
    { origin: "http://evil.example" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
    { host: "evil.example:3003" },
  ]) {
    assert.equal(await post(BODY, { ...signed(BODY), ...more }), 403, JSON.stringify(more));
  }
  assert.deepEqual(await list(), { messages: [], refused: 0 });
});

test("the last 60 messages are kept, and of long ones the last MiB", async (t) => {
  const { post, list } = await start(t);
  const idsOf = async () => (await list()).messages.map(({ id }: { id: string }) => id);
  const short = Array.from({ length: 61 }, (_, at) => `short-${at}`);
  for (const id of short) assert.equal(await post(BODY, signed(BODY, { id })), 204);
  assert.deepEqual(await idsOf(), short.slice(1).reverse());
  const long = JSON.stringify({
    type: "delivery.failed",
    data: { reason: "x".repeat(200 * 1024) },
  });
  for (let at = 0; at < 6; at += 1) {
    assert.equal(await post(long, signed(long, { id: `long-${at}` })), 204);
  }
  assert.deepEqual(await idsOf(), ["long-5", "long-4", "long-3", "long-2", "long-1"]);
  assert.equal(await post("x".repeat(300 * 1024), signed("x")), 413);
});

function signed(
  body: string,
  { id = randomUUID() as string, at = new Date(), secret = SECRET } = {},
) {
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign(id, at, body),
  };
}

async function start(t: TestContext) {
  const app = fastify({ bodyLimit: 16 * 1024 });
  app.addHook("onRequest", async (request, reply) => {
    if (refusal(request) !== undefined) await reply.code(403).send();
  });
  await addDemoWebhooks(app, createDemoWebhooks({ secret: SECRET, now: () => new Date(NOW) }));
  t.after(() => app.close());
  const common = { host: "127.0.0.1:3003", "content-type": "application/json" };
  return {
    async post(payload: string, headers: Record<string, string>): Promise<number> {
      const answer = await app.inject({
        ...{ method: "POST", url: DEMO_WEBHOOKS_PATH, payload },
        headers: { ...common, ...headers },
      });
      return answer.statusCode;
    },
    list: async () =>
      (await app.inject({ url: DEMO_WEBHOOKS_PATH, headers: { host: common.host } })).json(),
  };
}
