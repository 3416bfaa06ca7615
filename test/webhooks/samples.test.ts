import assert from "node:assert/strict";
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { temporaryFolder } from "@belfry/testing/temporary-folder";
import { signWebhook } from "../../services/webhook-sender/src/sign-webhook.ts";
import { blocksOf } from "../docs/markdown.ts";
import {
  bringReceiver,
  RECEIVERS,
  type RunningReceiver,
  type SampleReceiver,
  startReceiver,
} from "./receivers.ts";

/** Each sample of docs/webhooks.md as a receiver of its own, called as the sender calls it. */

const newSecret = () => `whsec_${randomBytes(32).toString("base64")}`;
const nowSeconds = () => Math.floor(Date.now() / 1000);

// Who reads it as JSON and writes it again has other bytes.
const BODY =
  '{ "type" : "delivery.accepted","data":{"eventId":"Größe ✓ 😀","count":1.0,"u":"\\u00fc"} }\n';

test("webhooks.md shows every receiver that is run here, and no other", () => {
  const shown = blocksOf("webhooks.md").map(({ info }) => info);
  assert.deepEqual(
    shown.filter((info) => info.startsWith("examples/")),
    ["mjs", "py", "php", "go", "ru"].map((ending) => `examples/receiver.${ending}`),
  );
  assert.equal(RECEIVERS.length, 5);
});

for (const receiver of RECEIVERS) {
  test(`${receiver.language}: ${receiver.file} keeps what is signed, once, and nothing else`, async (t) => {
    const folder = await temporaryFolder(t, "receiver");
    const missing = await bringReceiver(receiver, folder);
    if (missing !== undefined) return t.skip(missing);
    const [secret, previous] = [newSecret(), newSecret()];
    const running = await startReceiver(t, receiver, folder, secret);
    assert.ok(running, "it ended by itself");
    await keepsEachOnce(t, running, secret, previous);
    await refuses(t, running, secret);
    await refusesWithoutSecret(t, receiver, folder);
  });
}

async function keepsEachOnce(
  t: TestContext,
  running: RunningReceiver,
  secret: string,
  previous: string,
): Promise<void> {
  await t.test("a signed message is kept, byte for byte", async () => {
    const headers = headersOf(secret);
    assert.equal(await post(running, headers), 204, running.errors());
    assert.deepEqual(await kept(running), { [`${headers["webhook-id"]}.json`]: BODY });
  });
  await t.test("while the secret rotates, whichever signature is this receiver's", async () => {
    const before = Object.keys(await kept(running)).length;
    for (const secrets of [
      [secret, previous],
      [previous, secret],
    ]) {
      assert.equal(await post(running, headersOf(secrets)), 204, running.errors());
    }
    assert.equal(Object.keys(await kept(running)).length, before + 2);
  });
  await t.test("a message that comes again is answered well and kept once", async () => {
    const headers = headersOf(secret);
    assert.equal(await post(running, headers), 204);
    await writeFile(join(running.inbox, `${headers["webhook-id"]}.json`), "worked on");
    const before = await kept(running);
    const again = headersOf(secret, { id: headers["webhook-id"], seconds: nowSeconds() - 30 });
    assert.equal(await post(running, again), 204, running.errors());
    assert.deepEqual(await kept(running), before);
  });
}

async function refuses(t: TestContext, running: RunningReceiver, secret: string): Promise<void> {
  const good = headersOf(secret);
  const signature = good["webhook-signature"];
  const { "webhook-signature": _, ...unsigned } = good;
  const bad: [what: string, headers: Record<string, string>, body?: string][] = [
    ["a changed byte", good, BODY.replace("1.0", "2.0")],
    ["another id", { ...good, "webhook-id": randomUUID() }],
    ["an id that is a path", { ...good, "webhook-id": "../escaped" }],
    ["another time", { ...good, "webhook-timestamp": String(nowSeconds() - 1) }],
    ["an old message", headersOf(secret, { seconds: nowSeconds() - 3600 })],
    ["a message of tomorrow", headersOf(secret, { seconds: nowSeconds() + 86_400 })],
    ["a foreign secret", headersOf(newSecret())],
    ["no signature", unsigned],
    ["no header at all", {}],
    [
      "a signature of another version",
      { ...good, "webhook-signature": signature.replace("v1,", "v0,") },
    ],
    ["a signature without its version", { ...good, "webhook-signature": signature.slice(3) }],
    ["a version without its signature", { ...good, "webhook-signature": "v1" }],
    ["a signature that is no base64", { ...good, "webhook-signature": "v1,%%%%" }],
    ["a time that is no number", { ...good, "webhook-timestamp": "now" }],
  ];
  const before = await kept(running);
  for (const [what, headers, body = BODY] of bad) {
    await t.test(`refused: ${what}`, async () => {
      assert.equal(await post(running, headers, body), 400, running.errors());
      assert.deepEqual(await kept(running), before);
    });
  }
  await t.test("what came with them is taken when it is as it was sent", async () => {
    assert.equal(await post(running, good), 204, running.errors());
  });
}

/** An unset variable must not become the key that everybody knows. */
async function refusesWithoutSecret(t: TestContext, receiver: SampleReceiver, folder: string) {
  await t.test(
    "without its secret it takes nothing, not even what an empty key signed",
    async () => {
      const running = await startReceiver(t, receiver, folder, "");
      if (running === undefined) return;
      const headers = headersOf(newSecret());
      const text = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${BODY}`;
      headers["webhook-signature"] = `v1,${createHmac("sha256", "").update(text).digest("base64")}`;
      assert.ok((await post(running, headers)) >= 400);
      assert.deepEqual(await kept(running), {});
    },
  );
}

function headersOf(
  secret: string | string[],
  { id = randomUUID() as string, seconds = nowSeconds() } = {},
) {
  const secrets = [secret].flat();
  return {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": signWebhook({ id, seconds, body: BODY, secrets }),
  };
}

async function post({ url }: RunningReceiver, headers: Record<string, string>, body = BODY) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  await response.arrayBuffer();
  return response.status;
}

/** The files of its inbox by name. */
async function kept({ inbox }: RunningReceiver): Promise<Record<string, string>> {
  const names = await readdir(inbox).catch(() => []);
  const files = names.map(async (name) => [name, await readFile(join(inbox, name), "utf8")]);
  return Object.fromEntries(await Promise.all(files));
}
