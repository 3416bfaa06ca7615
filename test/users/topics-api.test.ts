import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { createClient } from "@belfry/client";
import { wholeFile } from "@belfry/testing/whole-file";
import { startIngest } from "../fuzz/start-ingest.ts";
import { type Asked, ask } from "../openapi/ask.ts";

const ingest = await startIngest(wholeFile());

const send = (asked: Asked) => ask(ingest.url, asked);
const MEMBERS = "/api/v1/topics/news/members";

test("users are added, listed page by page and removed; of another tenant the topic is unknown", async () => {
  const [tenant, other] = [await ingest.createTenant(), await ingest.createTenant()];
  const client = createClient({ baseUrl: ingest.url, apiKey: tenant.apiKey });
  assert.equal(await client.changeMembers("news", { add: ["user/1", "user-2", "user-3"] }), 3);
  assert.equal(await client.changeMembers("news", { add: ["user-2"], remove: ["user-3"] }), 2);
  assert.equal(await client.changeMembers("order:7", { add: ["user-2"] }), 1);
  const { topics, next } = await client.topics();
  assert.deepEqual(
    [...topics.map(({ key, members }) => [key, members]), next],
    [["news", 2], ["order:7", 1], undefined],
  );
  const page = await client.members("news", { limit: 1 });
  assert.deepEqual(page, { userIds: ["user-2"], next: "user-2" });
  const rest = await client.members("news", { after: "user-2", search: "user/" });
  assert.deepEqual(rest, { userIds: ["user/1"], next: undefined });
  const foreign = { method: "GET", path: MEMBERS, key: other.apiKey };
  assert.equal((await send(foreign)).status, 404);
  await client.deleteTopic("news");
  await assert.rejects(client.members("news"), { status: 404 });
  assert.equal((await client.topics()).topics.length, 1);
});

test("every fault names its field; 1,000 of the longest user ids are taken", async () => {
  const { apiKey: key } = await ingest.createTenant();
  const change = (body: unknown, path = MEMBERS) => send({ method: "PATCH", path, key, body });
  for (const [body, message] of [
    [{ add: ["a"], remove: ["a"] }, 'remove has a user that add has, too: "a"'],
    [{ add: "a" }, "add must be an array of user ids"],
    [{ remove: [7] }, "remove has a bad item, [0]: it must be a string"],
    [[], "body must be an object"],
  ] as const) {
    const answer = await change(body);
    assert.deepEqual([answer.status, answer.body.message], [422, [message]]);
  }
  const bad = await change({ add: ["a"] }, "/api/v1/topics/a%20b/members");
  assert.equal(bad.status, 422);
  assert.match(bad.body.message[0], /^key must be 1 to 64 of/);
  const limit = { method: "GET", path: `${MEMBERS}?limit=1001`, key };
  assert.match((await send(limit)).body.message[0], /^limit must be an integer from 1 to 1000$/);
  const longest = Array.from({ length: 1_000 }, (_, n) => n + "😀".repeat(255 - `${n}`.length));
  assert.equal((await change({ add: longest })).body.members, 1_000);
});

test("with a webhook secret every change of a topic is signed, and reading is not", async () => {
  const secret = "hush";
  const { apiKey: key } = await ingest.createTenant({ webhookSecret: secret });
  const body = { add: ["a"] };
  const asked = { method: "PATCH", path: MEMBERS, key, body };
  assert.equal((await send(asked)).status, 401);
  const sign = (text: string) => createHmac("sha256", secret).update(text).digest("hex");
  const headers = { "x-service-signature": sign(JSON.stringify(body)) };
  assert.equal((await send({ ...asked, headers })).status, 200);
  assert.equal((await send({ method: "GET", path: MEMBERS, key })).status, 200);
  const gone = { method: "DELETE", path: "/api/v1/topics/news", key };
  assert.equal((await send(gone)).status, 401);
  const empty = { "x-service-signature": sign("") };
  assert.equal((await send({ ...gone, headers: empty })).status, 200);
});
