import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import { OPT_WORDS } from "@belfry/contracts/inbound";
import { inboundOfTenant, storeInbound } from "@belfry/database/inbound";
import {
  SIGNED_BY,
  TEXT_SETTINGS,
  type TextVendor,
  webhooksUnderTest,
} from "../test/signed-webhooks.ts";
import { PAGE_WORDS } from "./pages/page-words.ts";
import { inboundRoute } from "./vendor-webhooks.ts";

const ANN = "+12025550123";
const SHOP = "+12025550100";

interface From {
  tenant?: string;
  from?: string;
  id?: string;
}

/** A person's reply as each vendor tells it. */
const CONTENTS: Record<TextVendor, (text: string, from: string, id: string) => object> = {
  vonage: (text, from, message_uuid) => ({
    ...{ channel: "sms", message_uuid, message_type: "text", text },
    ...{ to: SHOP.slice(1), from: from.slice(1) },
  }),
  twilio: (Body, From, id) => ({
    ...{ MessageSid: `SM${id.replaceAll("-", "")}`, From, To: SHOP, Body },
  }),
  plivo: (Text, from, MessageUUID) => ({
    ...{ MessageUUID, From: from.replace(/^\+/, ""), To: SHOP.slice(1), Text, Type: "sms" },
  }),
  telnyx: (text, phone_number, id) => ({
    event_type: "message.received",
    payload: { id, from: { phone_number }, to: [{ phone_number: SHOP }], text },
  }),
  bird: (text, identifierValue, id) => ({
    event: "sms.inbound",
    payload: {
      id,
      sender: { contact: { identifierValue } },
      receiver: { connector: { identifierValue: SHOP } },
      body: { type: "text", text: { text } },
    },
  }),
};

/** Tenants `a` and `b`, both with all vendors under one secret; `c` has none. */
async function setUp(t: TestContext, publicUrl?: string) {
  const many = 1_000_000;
  const bounds = { unknownKeysPerMinute: many, otherPerMinute: many, receiptsPerMinute: many };
  const { pool, db, provider, post } = await webhooksUnderTest(
    t,
    ["a", "b", "c"],
    (app, deps, database) =>
      inboundRoute(app, {
        ...deps,
        storeInbound: (origin, message) => storeInbound(database.db, origin, message),
      }),
    { bounds, ...(publicUrl !== undefined && { publicUrl }) },
  );
  for (const tenantId of ["a", "b"]) {
    for (const [kind, settings] of Object.entries(TEXT_SETTINGS)) {
      await provider(tenantId, kind, settings);
    }
  }
  const request = async (vendor: TextVendor, text: string, options: From = {}) => {
    const { tenant = "a", from = ANN, id = randomUUID() } = options;
    const content = CONTENTS[vendor](text, from, id) as Record<string, unknown>;
    return await SIGNED_BY[vendor](`/webhooks/${vendor}/${tenant}/inbound`, content);
  };
  const suppressions = async () => {
    const { rows } = await pool.query(
      "select tenant_id, channel, address, reason, source from suppressions order by 1, 2, 3, 4",
    );
    return rows.map((row) => Object.values(row).join(" "));
  };
  const texts = async (tenantId = "a") =>
    (await inboundOfTenant(db, tenantId, { limit: 100 })).map(
      ({ sender, text }) => `${sender}: ${text}`,
    );
  return { db, pool, post, request, suppressions, texts };
}

const VENDORS = Object.keys(TEXT_SETTINGS) as TextVendor[];
/** They sign the address too. */
const BY_ADDRESS = ["twilio", "plivo", "bird"] as const;
const IN_XML: readonly string[] = ["twilio", "plivo"];

test("each language of the hosted pages has its words for STOP and START", () => {
  assert.deepEqual(
    Object.keys(OPT_WORDS).sort(),
    PAGE_WORDS.map(({ language }) => language).sort(),
  );
});

for (const vendor of VENDORS) {
  test(`${vendor}: STOP suppresses its sender's number for its tenant, START removes the suppression, and no SMS is sent back`, async (t) => {
    const { post, request, suppressions, texts } = await setUp(t);
    const send = async (text: string, options = {}) =>
      await post(...(await request(vendor, text, options)));
    const answer = await send("Stop");
    assert.equal(answer.status, 200);
    const isXml = IN_XML.includes(vendor);
    assert.equal(answer.body, isXml ? "<Response/>" : "{}");
    assert.match(answer.type!, isXml ? /^text\/xml/ : /^application\/json/);
    assert.deepEqual(await suppressions(), [`a SMS ${ANN} opted out ${vendor}`]);
    await send(" opt out! ", { from: "+12025550124" });
    await send("“Arrêt” 🛑", { from: "+12025550124" });
    await send("STOPALL");
    assert.equal((await suppressions()).length, 2);
    await send("START", { tenant: "b" });
    assert.equal((await suppressions()).length, 2);
    await send("unstop");
    assert.deepEqual(await suppressions(), [`a SMS +12025550124 opted out ${vendor}`]);
    assert.deepEqual(await texts(), []);
  });

  test(`${vendor}: any other text suppresses nothing and is stored once for the tenant's people`, async (t) => {
    const { post, request, suppressions, texts } = await setUp(t);
    const first = await request(vendor, "please stop calling");
    for (let n = 0; n < 3; n += 1) assert.equal((await post(...first)).status, 200);
    await post(...(await request(vendor, "größer 🎉 <b>")));
    assert.deepEqual(await suppressions(), []);
    assert.deepEqual(await texts(), [`${ANN}: größer 🎉 <b>`, `${ANN}: please stop calling`]);
    assert.deepEqual(await texts("b"), []);
  });

  test(`${vendor}: a replayed webhook changes nothing, even after its effect was undone`, async (t) => {
    const { post, request, suppressions } = await setUp(t);
    const stop = await request(vendor, "STOP");
    const start = await request(vendor, "START");
    await post(...stop);
    await post(...start);
    assert.equal((await post(...stop)).status, 200);
    assert.deepEqual(await suppressions(), []);
    await post(...(await request(vendor, "STOP")));
    assert.equal((await post(...start)).status, 200);
    assert.equal((await suppressions()).length, 1);
  });

  test(`${vendor}: a forged webhook changes nothing, and neither does one signed for another tenant`, async (t) => {
    const { post, request, suppressions, texts } = await setUp(t);
    const [path, body, headers] = await request(vendor, "STOP");
    const changed = body.replace(ANN.slice(1), "12025550199");
    assert.notEqual(changed, body);
    assert.equal((await post(path, changed, headers)).status, 401);
    const type = { "content-type": headers["content-type"] ?? "application/json" };
    assert.ok([401, 503].includes((await post(path, body, type)).status));
    assert.equal((await post(path.replace("/a/", "/c/"), body, headers)).status, 404);
    assert.equal((await post(path.replace("/a/", "/nobody/"), body, headers)).status, 404);
    assert.equal((await post(path.replace(vendor, "sendgrid"), body, headers)).status, 404);
    assert.equal((await post(path, "x".repeat(70_000), headers)).status, 413);
    assert.deepEqual(await suppressions(), []);
    assert.deepEqual(await texts(), []);
  });
}

test("START removes only an opt-out: a bounce, and a suppression by hand, stay", async (t) => {
  for (const vendor of VENDORS) {
    const { post, request, suppressions, pool } = await setUp(t);
    for (const reason of ["bounced", "by hand", "opted out"]) {
      await pool.query(
        "insert into suppressions (tenant_id, channel, address, reason) values ('a', 'SMS', $1, $2)",
        [ANN, reason],
      );
    }
    await post(...(await request(vendor, "STOP")));
    assert.equal((await suppressions()).length, 3);
    await post(...(await request(vendor, "START")));
    assert.deepEqual(await suppressions(), [`a SMS ${ANN} bounced `, `a SMS ${ANN} by hand `]);
  }
});

for (const vendor of BY_ADDRESS) {
  test(`${vendor}: a request that was signed for one tenant's address is refused at another's`, async (t) => {
    const { post, request, suppressions } = await setUp(t);
    const [path, body, headers] = await request(vendor, "STOP");
    assert.equal((await post(path.replace("/a/", "/b/"), body, headers)).status, 401);
    assert.deepEqual(await suppressions(), []);
  });
}

test("without the public address nothing of a vendor that signs it can be verified: 404", async (t) => {
  const { post, request } = await setUp(t, "");
  for (const vendor of BY_ADDRESS) {
    assert.equal((await post(...(await request(vendor, "STOP")))).status, 404);
  }
  assert.equal((await post(...(await request("vonage", "STOP")))).status, 200);
  assert.equal((await post(...(await request("telnyx", "STOP")))).status, 200);
});

test("a keyword from a sender that is no number is stored as a text, because there is nothing to suppress", async (t) => {
  const { post, request, suppressions, texts } = await setUp(t);
  assert.equal((await post(...(await request("twilio", "STOP", { from: "ACME" })))).status, 200);
  assert.deepEqual(await suppressions(), []);
  assert.deepEqual(await texts(), ["ACME: STOP"]);
});
