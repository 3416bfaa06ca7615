import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { type TestContext, test } from "node:test";
import { readEvent } from "@belfry/administration/events/event-report";
import { storeReceipts } from "@belfry/database/functions/store-receipts";
import type { AbuseBounds } from "@belfry/http-api/abuse-limits";
import { INBOUND_READERS, RECEIPT_READERS, receiptReader } from "@belfry/providers/kinds";
import { selfSigned } from "@belfry/testing/certificate";
import { eventually } from "@belfry/testing/eventually";
import { anEvent } from "@belfry/testing/rows";
import { uuidv7 } from "uuidv7";
import {
  SECRET,
  SIGNED_BY,
  TEXT_SETTINGS,
  type TextVendor,
  webhooksUnderTest,
} from "../test/signed-webhooks.ts";
import { UNVERIFIED_BOUNDS, UnverifiedBodies } from "./unverified-bodies.ts";
import { receiptRoute } from "./vendor-webhooks.ts";

const MAX_BYTES = receiptReader("sendgrid")!.maxBytes;

/** Two tenants, `a` and `b`, each with both providers; `a` has keys to verify with. */
async function setUp(t: TestContext, bounds: Partial<AbuseBounds> = {}) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const webhookPublicKey = publicKey.export({ format: "der", type: "spki" }).toString("base64");
  const bodies = new UnverifiedBodies();
  const broken = { database: false };
  /** Documents on Amazon's servers by their addresses. */
  const amazon = new Map<string, string>();
  const server = await webhooksUnderTest(
    t,
    ["a", "b"],
    (app, deps, database) =>
      receiptRoute(app, {
        ...deps,
        bodies,
        storeReceipts: (origin, receipts) =>
          broken.database
            ? Promise.reject(new Error("connection refused"))
            : storeReceipts(database.pool, origin, receipts),
        get: async (url) => amazon.get(url),
      }),
    { bounds },
  );
  const { pool, provider } = server;
  await provider("a", "sendgrid", { webhookPublicKey });
  for (const [kind, settings] of Object.entries(TEXT_SETTINGS)) await provider("a", kind, settings);
  await provider("b", "sendgrid", {});

  const delivery = async (
    tenantId = "a",
    { channel = "EMAIL", status = "accepted", to = "Ann@Example.com", variables = "{}" } = {},
  ) => {
    const id = uuidv7();
    const addresses = { recipient_email: to, recipient_phone: to };
    const eventId = await anEvent(pool, { ...addresses, tenant_id: tenantId, variables });
    await pool.query(
      `insert into deliveries (id, event_id, tenant_id, channel, recipient, status, template_version_id, due_at, settled_at)
       values ($1, $2, $3, $4, $6, $5, 1, case when $5 = 'waiting' then now() end, case when $5 <> 'waiting' then now() end)`,
      [id, eventId, tenantId, channel, status, to],
    );
    return { id, eventId };
  };
  const statusOf = async (id: string) => {
    const { rows } = await pool.query("select * from deliveries where id = $1", [id]);
    return rows[0].status as string;
  };
  const suppressions = async () => {
    const { rows } = await pool.query(
      "select tenant_id, channel, address, reason from suppressions order by 1, 2, 3",
    );
    return rows.map((row) => Object.values(row).join(" "));
  };
  const post = async (...request: Parameters<typeof server.post>) =>
    (await server.post(...request)).status;
  const sendgrid = (events: object[], options: Sender = {}) => {
    const body = `${JSON.stringify(events)}\r\n`;
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = sign("sha256", Buffer.from(timestamp + body), options.key ?? privateKey);
    return post(`/webhooks/sendgrid/${options.tenant ?? "a"}`, body, {
      "x-twilio-email-event-webhook-signature": signature.toString("base64"),
      "x-twilio-email-event-webhook-timestamp": timestamp,
      "x-forwarded-for": options.from ?? "192.0.2.1",
    });
  };
  const vonage = async (status: object, { from = "192.0.2.1" } = {}) => {
    const content = { message_uuid: randomUUID(), ...status };
    const [path, body, headers] = await SIGNED_BY.vonage("/webhooks/vonage/a", content);
    return post(path, body, { ...headers, "x-forwarded-for": from });
  };
  const twilio = async (
    delivery: { id: string },
    fields: { MessageSid: string; MessageStatus: string; ErrorCode?: string },
    token = SECRET,
  ) => {
    const path = `/webhooks/twilio/a?delivery=${delivery.id}`;
    return post(...(await SIGNED_BY.twilio(path, fields, token)));
  };
  const { db, address, webhookKeys } = server;
  return {
    ...{ pool, db, address, amazon, bodies, broken, webhookKeys, provider },
    ...{ delivery, statusOf, suppressions, post, sendgrid, twilio, vonage },
  };
}

interface Sender {
  key?: KeyObject;
  tenant?: string;
  /** The vendor's address. */
  from?: string;
}

let events = 0;
function event(delivery: { id: string }, name: string, more: object = {}) {
  events += 1;
  return { event: name, delivery_id: delivery.id, sg_event_id: `e${events}`, ...more };
}

test("receipts move a delivery on, and the timeline shows each in words", async (t) => {
  const { db, delivery, sendgrid, statusOf } = await setUp(t);
  const one = await delivery();
  assert.equal(await sendgrid([event(one, "processed"), event(one, "deferred")]), 200);
  assert.equal(await statusOf(one.id), "accepted");
  assert.equal(await sendgrid([event(one, "delivered", { response: "250 OK" })]), 200);
  assert.equal(await statusOf(one.id), "delivered");
  assert.equal(await sendgrid([event(one, "spamreport")]), 200);
  assert.equal(await statusOf(one.id), "complained");
  const { timeline } = await readEvent(db, one.eventId);
  const words = timeline.map((entry) => entry.what);
  assert.ok(words.includes("receipt of sendgrid: delivered to the recipient: 250 OK"), `${words}`);
  assert.ok(words.includes("receipt of sendgrid: the recipient complained"), `${words}`);
  assert.equal(words.filter((what) => what.includes("complained")).length, 1);
});

test("a late receipt of delivery never replaces bounced, whatever the order in one request or over several", async (t) => {
  const { delivery, sendgrid, statusOf } = await setUp(t);
  const [one, two, three] = [await delivery(), await delivery(), await delivery()];
  await sendgrid([event(one, "bounce", { type: "bounce" })]);
  await sendgrid([event(one, "delivered"), event(one, "deferred")]);
  await sendgrid([event(two, "bounce", { type: "blocked" }), event(two, "delivered")]);
  // In the other order it also ends as bounced: some servers accept an email and return it.
  await sendgrid([event(three, "delivered")]);
  await sendgrid([event(three, "bounce", { type: "blocked" })]);
  for (const { id } of [one, two, three]) assert.equal(await statusOf(id), "bounced");
});

test("a hard bounce, a complaint and an opt-out suppress the address; a soft bounce does not", async (t) => {
  const { delivery, sendgrid, suppressions, vonage } = await setUp(t);
  const to = (address: string) => delivery("a", { to: address });
  await sendgrid([
    event(await to("Hard@Example.com"), "bounce", { type: "bounce" }),
    event(await to("soft@example.com"), "bounce", { type: "blocked" }),
    event(await to("cross@example.com"), "spamreport"),
    event(await to("quiet@example.com"), "unsubscribe"),
    event(await to("hard@example.com"), "spamreport"),
  ]);
  const sms = await delivery("a", { channel: "SMS", to: "+12025550123" });
  await vonage({ client_ref: sms.id, status: "rejected", error: { title: "1050" } });
  assert.deepEqual(await suppressions(), [
    "a EMAIL cross@example.com complained",
    "a EMAIL hard@example.com bounced",
    "a EMAIL quiet@example.com opted out",
    "a SMS +12025550123 bounced",
  ]);
});

test("a repeated event is stored once", async (t) => {
  const { delivery, pool, sendgrid } = await setUp(t);
  const again = event(await delivery(), "delivered");
  assert.equal(await sendgrid([again, again]), 200);
  await Promise.all(Array.from({ length: 5 }, () => sendgrid([again])));
  assert.equal((await pool.query("select count(*)::integer as n from receipts")).rows[0].n, 1);
});

test("Twilio's callbacks move a delivery forwards only, and suppress a dead number", async (t) => {
  const { delivery, post, statusOf, suppressions, twilio } = await setUp(t);
  const sms = async (to: string) => ({
    ...(await delivery("a", { channel: "SMS", to })),
    MessageSid: `SM${randomUUID().replaceAll("-", "")}`,
  });
  const [read, dead, out] = [
    await sms("+12025550101"),
    await sms("+12025550102"),
    await sms("+12025550103"),
  ];
  const tell = ({ id, MessageSid }: typeof read, MessageStatus: string, ErrorCode?: string) =>
    twilio({ id }, { MessageSid, MessageStatus, ...(ErrorCode && { ErrorCode }) });
  for (const status of ["queued", "sent", "delivered", "sent"]) {
    assert.equal(await tell(read, status), 200);
  }
  assert.equal(await statusOf(read.id), "delivered");
  assert.equal(await tell(dead, "undelivered", "30005"), 200);
  assert.equal(await tell(dead, "sent"), 200);
  assert.equal(await statusOf(dead.id), "bounced");
  assert.equal(await tell(out, "failed", "21610"), 200);
  assert.deepEqual(await suppressions(), [
    "a SMS +12025550102 bounced",
    "a SMS +12025550103 opted out",
  ]);
  const fields = { MessageSid: read.MessageSid, MessageStatus: "failed" };
  assert.equal(await twilio(read, fields, "somebody-else's-token"), 401);
  const type = { "content-type": "application/x-www-form-urlencoded" };
  assert.equal(await post("/webhooks/twilio/b", "MessageSid=x", type), 404);
  assert.equal(await statusOf(read.id), "delivered");
});

/** A receipt as each vendor tells it: of one message, with a status and a code. */
const CONTENTS = {
  plivo: (_, message, [Status, ErrorCode]) => ({ MessageUUID: message, Status, ErrorCode }),
  telnyx: (path, id, [status, code, title]) => {
    const errors = [{ code, title }];
    const payload = { id, to: [{ status }], errors, webhook_url: `https://belfry.example${path}` };
    return { event_type: "message.finalized", payload };
  },
  bird: (path, id, [status, details]) => ({
    event: "sms.outbound",
    payload: { id, reference: path.split("=")[1], status, details },
  }),
} satisfies Partial<Record<TextVendor, (path: string, message: string, told: Told) => object>>;
type Told = readonly [status: string, code: string, words?: string];

const WORDS_OF_VENDORS = {
  plivo: { dead: ["undelivered", "70"], out: ["failed", "200"] },
  telnyx: {
    dead: ["delivery_failed", "40001"],
    out: ["sending_failed", "40300", "Blocked due to STOP message"],
  },
  bird: { dead: ["delivery_failed", "unknown_subscriber"], out: ["rejected", "opted_out"] },
} as const satisfies Record<keyof typeof CONTENTS, { dead: Told; out: Told }>;

for (const vendor of ["plivo", "telnyx", "bird"] as const) {
  test(`${vendor}'s receipts move a delivery forwards only, suppress a dead number and an opt-out, and are forged with another body`, async (t) => {
    const { delivery, post, statusOf, suppressions } = await setUp(t);
    const sms = async (to: string) => (await delivery("a", { channel: "SMS", to })).id;
    const [read, dead, out] = [
      await sms("+12025550101"),
      await sms("+12025550102"),
      await sms("+12025550103"),
    ];
    const signed = (id: string, told: Told) => {
      const path = `/webhooks/${vendor}/a?delivery=${id}`;
      return SIGNED_BY[vendor](path, CONTENTS[vendor](path, randomUUID(), told));
    };
    const tell = async (id: string, told: Told) => post(...(await signed(id, told)));
    for (const status of ["sent", "delivered", "sent"]) {
      assert.equal(await tell(read, [status, ""]), 200);
    }
    assert.equal(await statusOf(read), "delivered");
    assert.equal(await tell(dead, WORDS_OF_VENDORS[vendor].dead), 200);
    assert.equal(await tell(dead, ["sent", ""]), 200);
    assert.equal(await statusOf(dead), "bounced");
    assert.equal(await tell(out, WORDS_OF_VENDORS[vendor].out), 200);
    assert.deepEqual(await suppressions(), [
      "a SMS +12025550102 bounced",
      "a SMS +12025550103 opted out",
    ]);
    const late = await sms("+12025550104");
    const [path, body, headers] = await signed(late, ["sent", ""]);
    assert.equal(await post(path, body.replace("sent", "delivered"), headers), 401);
    assert.equal(await post(path.replace("/a", "/b"), body, headers), 404);
    assert.equal(await statusOf(late), "accepted");
  });
}

const TOPIC = "arn:aws:sns:eu-central-1:123456789012:mail";
/** Settings of the vendors that `setUp` leaves out. */
const OTHER_SETTINGS = {
  ses: { topicArn: TOPIC },
  postmark: { webhookPassword: SECRET },
  brevo: { webhookPassword: SECRET },
  resend: { webhookSecret: `whsec_${Buffer.alloc(24, 1).toString("base64")}` },
  mailgun: { webhookSigningKey: SECRET },
};
/** It signs in the body alone. */
const WITHOUT_HEADER = ["mailgun"];

test("a body is not read before its headers hold the vendor's proof, whichever vendor's it is", async (t) => {
  const { address, bodies, provider } = await setUp(t);
  for (const [kind, settings] of Object.entries(OTHER_SETTINGS)) {
    await provider("a", kind, settings);
  }
  const reads = t.mock.method(bodies, "read");
  const kinds = RECEIPT_READERS.map(({ kind }) => kind);
  assert.ok(Object.keys(OTHER_SETTINGS).every((kind) => kinds.includes(kind)));
  const basic = `Basic ${Buffer.from("belfry:guessed").toString("base64")}`;
  for (const kind of kinds.filter((one) => !WITHOUT_HEADER.includes(one))) {
    for (const headers of [
      "",
      `Authorization: ${basic}\r\n`,
      "X-Twilio-Signature: AAAA\r\nX-Plivo-Signature-V3: AAAA\r\nX-Amz-Sns-Topic-Arn: arn:x\r\n",
      `Authorization: Bearer ${"x".repeat(40)}.y.z\r\n`,
    ]) {
      const path = `/webhooks/${kind}/a`;
      const sender = await sendWithoutEnd(address, "192.0.2.1", 1000, { path, headers });
      const status = await sender.answered;
      sender.socket.destroy();
      // Vonage sends again what it has not signed.
      const isUnsigned = kind === "vonage" && !headers.startsWith("Auth");
      assert.equal(status, isUnsigned ? 503 : 401, `${kind}: ${headers}`);
    }
  }
  assert.equal(reads.mock.callCount(), 0);
});

test("a callback of one message has at most 64 KiB, a batch 1 MiB; a longer body is not read", async (t) => {
  const { address, bodies, provider } = await setUp(t);
  await provider("a", "resend", OTHER_SETTINGS.resend);
  const reads = t.mock.method(bodies, "read");
  for (const { kind, maxBytes } of [...RECEIPT_READERS, ...INBOUND_READERS]) {
    const isBatch = ["sendgrid", "brevo", "postmark"].includes(kind);
    const most = kind === "ses" ? 320 : isBatch ? 1024 : 64;
    assert.equal(maxBytes, most * 1024, kind);
  }
  for (const kind of ["twilio", "resend"]) {
    const path = `/webhooks/${kind}/a`;
    const sender = await sendWithoutEnd(address, "192.0.2.1", 64 * 1024 + 1, { path });
    assert.equal(await sender.answered, 413);
    sender.socket.destroy();
  }
  assert.equal(reads.mock.callCount(), 0);
});

test("receipts of SMS are accepted by the token's signature", async (t) => {
  const { delivery, post, statusOf, vonage } = await setUp(t);
  const sms = await delivery("a", { channel: "SMS", to: "+12025550123" });
  assert.equal(await vonage({ client_ref: sms.id, status: "delivered" }), 200);
  assert.equal(await statusOf(sms.id), "delivered");
  assert.equal(await post("/webhooks/vonage/a", "{}", { authorization: "Bearer x.y.z" }), 401);
  // The vendor must send an unsigned webhook again, signed.
  assert.equal(await post("/webhooks/vonage/a", "{}", {}), 503);
});

test("a receipt for another tenant's delivery, or for another channel's, changes nothing", async (t) => {
  const { delivery, pool, sendgrid, statusOf, suppressions, vonage } = await setUp(t);
  const other = await delivery("b");
  assert.equal(await sendgrid([event(other, "bounce", { type: "bounce" })]), 200);
  assert.equal(await statusOf(other.id), "accepted");
  const mail = await delivery("a");
  assert.equal(await vonage({ client_ref: mail.id, status: "rejected" }), 200);
  assert.equal(await statusOf(mail.id), "accepted");
  assert.deepEqual(await suppressions(), []);
  assert.equal((await pool.query("select from receipts")).rowCount, 0);
});

test("a vendor of mail that signs nothing proves its receipts by a password", async (t) => {
  const { delivery, post, provider, statusOf, suppressions } = await setUp(t);
  await provider("a", "postmark", { webhookPassword: SECRET });
  const [one, other] = [await delivery(), await delivery("b")];
  const bounce = (id: string) =>
    JSON.stringify({
      RecordType: "Bounce",
      ID: 1,
      Type: "HardBounce",
      Metadata: { delivery_id: id },
    });
  const as = (password: string) => ({
    authorization: `Basic ${Buffer.from(`belfry:${password}`).toString("base64")}`,
  });
  assert.equal(await post("/webhooks/postmark/a", bounce(one.id), as("wrong")), 401);
  assert.equal(await post("/webhooks/postmark/a", bounce(one.id), {}), 401);
  assert.equal(await statusOf(one.id), "accepted");
  assert.equal(await post("/webhooks/postmark/a", bounce(other.id), as(SECRET)), 200);
  assert.equal(await statusOf(other.id), "accepted");
  assert.equal(await post("/webhooks/postmark/a", bounce(one.id), as(SECRET)), 200);
  assert.equal(await statusOf(one.id), "bounced");
  assert.deepEqual(await suppressions(), ["a EMAIL ann@example.com bounced"]);
});

test("a topic of Amazon SNS is subscribed once, and posts JSON as plain text", async (t) => {
  const { amazon, delivery, post, provider, statusOf } = await setUp(t);
  await provider("a", "ses", { topicArn: TOPIC });
  const host = "https://sns.eu-central-1.amazonaws.com";
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const certificate = `${host}/SimpleNotificationService-a1.pem`;
  const validity = { from: "2026-01-01", to: "2126-01-01" };
  const message = (fields: Record<string, string>) => {
    const signed = {
      ...{ MessageId: randomUUID(), Timestamp: new Date().toISOString(), TopicArn: TOPIC },
      ...fields,
    };
    const text = Object.entries(signed)
      .toSorted(([name], [next]) => (name < next ? -1 : 1))
      .map(([name, value]) => `${name}\n${value}\n`)
      .join("");
    const Signature = sign("sha256", Buffer.from(text), privateKey).toString("base64");
    return JSON.stringify({
      ...signed,
      ...{ SignatureVersion: "2", SigningCertURL: certificate, Signature },
    });
  };
  const plain = {
    ...{ "content-type": "text/plain; charset=UTF-8", "x-amz-sns-topic-arn": TOPIC },
  };
  const SubscribeURL = `${host}/?Action=ConfirmSubscription`;
  const subscription = message({
    ...{ Type: "SubscriptionConfirmation", Token: "t", Message: "", SubscribeURL },
  });
  assert.equal(await post("/webhooks/ses/a", subscription, plain), 503, "Amazon is away");
  amazon.set(certificate, selfSigned({ privateKey, publicKey }, validity));
  amazon.set(SubscribeURL, "<ConfirmSubscriptionResponse/>");
  assert.equal(await post("/webhooks/ses/a", subscription, plain), 200);
  const one = await delivery();
  const Message = JSON.stringify({
    eventType: "Delivery",
    delivery: {},
    mail: { tags: { delivery_id: [one.id] } },
  });
  const notification = message({ Type: "Notification", Message });
  const forged = notification.replace("Delivery", "Complaint");
  assert.equal(await post("/webhooks/ses/a", forged, plain), 401);
  assert.equal(await post("/webhooks/ses/a", notification, plain), 200);
  assert.equal(await statusOf(one.id), "delivered");
  assert.equal(await post("/webhooks/ses/b", notification, plain), 404, "of another tenant");
});

test("a forged or unsigned request is 401, and nothing of it is stored", async (t) => {
  const { delivery, post, sendgrid, statusOf } = await setUp(t);
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const one = await delivery();
  assert.equal(await sendgrid([event(one, "bounce")], { key: privateKey }), 401);
  assert.equal(await post("/webhooks/sendgrid/a", "[]", {}), 401);
  assert.equal(await statusOf(one.id), "accepted");
});

test("an unknown tenant or provider, or one without a key, is 404; a key that is stored later is used", async (t) => {
  const { delivery, post, provider, sendgrid, statusOf, webhookKeys } = await setUp(t);
  for (const path of ["sendgrid/nobody", "sendgrid/b", "vonage/b", "pigeon/a", "sendgrid/A%00"]) {
    assert.equal(await post(`/webhooks/${path}`, "[]", {}), 404, path);
  }
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const webhookPublicKey = publicKey.export({ format: "der", type: "spki" }).toString("base64");
  await provider("b", "sendgrid", { webhookPublicKey }, "second account");
  webhookKeys.clear();
  const one = await delivery("b");
  const asB = { key: privateKey, tenant: "b" };
  assert.equal(await sendgrid([event(one, "delivered")], asB), 200);
  assert.equal(await statusOf(one.id), "delivered");
});

test("while the database is away the answer is 5xx, so the vendor retries", async (t) => {
  const { broken, delivery, sendgrid, statusOf } = await setUp(t);
  const one = await delivery();
  const delivered = event(one, "delivered");
  broken.database = true;
  assert.equal(await sendgrid([delivered]), 500);
  broken.database = false;
  assert.equal(await sendgrid([delivered]), 200);
  assert.equal(await statusOf(one.id), "delivered");
});

test("a receipt ends a delivery that waits for another attempt or is unknown: it is not sent again", async (t) => {
  const { delivery, pool, sendgrid, statusOf } = await setUp(t);
  const waiting = await delivery("a", { status: "waiting" });
  const unknown = await delivery("a", { status: "unknown" });
  const failed = await delivery("a", { status: "failed" });
  await sendgrid([event(waiting, "processed"), event(unknown, "delivered"), event(failed, "open")]);
  assert.deepEqual(
    [await statusOf(waiting.id), await statusOf(unknown.id), await statusOf(failed.id)],
    ["accepted", "delivered", "failed"],
  );
  const { rows } = await pool.query("select due_at from deliveries where id = $1", [waiting.id]);
  assert.equal(rows[0].due_at, null);
});

test("a batch of the vendor's maximum size is accepted", async (t) => {
  const { delivery, sendgrid, statusOf } = await setUp(t);
  const one = await delivery();
  const filler = Array.from({ length: 1_500 }, () =>
    event({ id: randomUUID() }, "delivered", { response: "x".repeat(400) }),
  );
  assert.equal(await sendgrid([...filler, event(one, "delivered")]), 200);
  assert.equal(await statusOf(one.id), "delivered");
});

/** Headers of SendGrid whose signature is nobody's. */
function shapedHeaders(): string {
  const name = "X-Twilio-Email-Event-Webhook";
  const time = Math.floor(Date.now() / 1000);
  return `${name}-Signature: ${"A".repeat(96)}\r\n${name}-Timestamp: ${time}\r\n`;
}

/** A body of `bytes` from an address, whose last byte never comes; ends with the answer. */
async function sendWithoutEnd(
  origin: string,
  from: string,
  bytes: number,
  { path = "/webhooks/sendgrid/a", headers = shapedHeaders() } = {},
) {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Forwarded-For: ${from}\r\nContent-Length: ${bytes}\r\n${headers}\r\n`,
  );
  socket.write(Buffer.alloc(bytes - 1));
  const answered = once(socket, "data").then(([data]) => Number(String(data).split(" ")[1]));
  return { socket, answered };
}

test("bodies of unknown senders take bounded memory, in total and per address, and free it", async (t) => {
  const { address, bodies, delivery, sendgrid } = await setUp(t);
  const { bytes, bytesOfAddress } = UNVERIFIED_BOUNDS;
  const sockets: Socket[] = [];
  const senders = async (count: number, from: (index: number) => string) => {
    const all = Array.from({ length: count }, (_, index) =>
      sendWithoutEnd(address, from(index), MAX_BYTES),
    );
    const sent = await Promise.all(all);
    sockets.push(...sent.map(({ socket }) => socket));
    return sent.map(({ answered }) => answered);
  };
  // One IPv6 customer's network counts as one address.
  const mine = await senders(12, (index) => `2001:db8::${index}`);
  const room = Math.floor(bytesOfAddress / MAX_BYTES);
  const refused: number[] = [];
  for (const answer of mine) answer.then((status) => refused.push(status));
  await eventually(() => assert.ok(refused.length >= 12 - room));
  assert.ok(refused.every((status) => status === 429));
  assert.ok(bodies.heldBytes <= bytesOfAddress);
  const one = await delivery();
  assert.equal(await sendgrid([event(one, "delivered")]), 200, "others are heard");

  const many = await senders(40, (index) => `198.51.100.${index}`);
  assert.equal(await Promise.any(many), 503);
  await eventually(() => assert.ok(bodies.heldBytes > bytes - MAX_BYTES));
  assert.ok(bodies.heldBytes <= bytes);
  for (const socket of sockets) socket.destroy();
  await eventually(() => assert.equal(bodies.heldBytes, 0));
  assert.equal(await sendgrid([event(one, "delivered")]), 200);
  assert.equal(bodies.heldBytes, 0);
});

test("a body that arrives byte by byte takes no more memory than one that arrives at once", async () => {
  const bodies = new UnverifiedBodies();
  const bytes = Array.from({ length: 100_000 }, () => Buffer.from("x"));
  using body = await bodies.read(Readable.from(bytes, { objectMode: true }), "a", MAX_BYTES);
  assert.equal(body.bytes.length, 100_000);
  assert.ok(bodies.heldBytes < 200_000);
});

test("a body that is too long is 413, with or without a declared length, and is not kept", async (t) => {
  const { address, bodies } = await setUp(t);
  const sender = await sendWithoutEnd(address, "192.0.2.1", MAX_BYTES + 1);
  assert.equal(await sender.answered, 413);
  sender.socket.destroy();
  const chunks = Readable.from(Array.from({ length: 17 }, () => Buffer.alloc(64 * 1024)));
  await assert.rejects(bodies.read(chunks, "a", MAX_BYTES), /too large/);
  assert.equal(bodies.heldBytes, 0);
});

test("an address whose receipts fail verification gets 429 before its body is read, for that webhook alone", async (t) => {
  const { address, delivery, sendgrid, vonage } = await setUp(t, { unknownKeysPerMinute: 3 });
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const one = await delivery();
  const forged = (from: string) => sendgrid([event(one, "bounce")], { key: privateKey, from });
  const answers = [];
  for (let i = 0; i < 5; i += 1) answers.push(await forged(`2001:db8::${i}`));
  assert.deepEqual(answers, [401, 401, 401, 429, 429]);
  const sender = await sendWithoutEnd(address, "2001:db8::9", 1000);
  assert.equal(await sender.answered, 429);
  sender.socket.destroy();
  assert.equal(await sendgrid([event(one, "delivered")], { from: "192.0.2.1" }), 200);
  const sms = await delivery("a", { channel: "SMS", to: "+12025550123" });
  const from = "2001:db8::1";
  assert.equal(await vonage({ client_ref: sms.id, status: "delivered" }, { from }), 200);
});

test("a webhook is limited to so many requests a minute, and the others are not affected", async (t) => {
  const { delivery, sendgrid, vonage } = await setUp(t, { receiptsPerMinute: 2 });
  const one = await delivery();
  const answers = [];
  for (let i = 0; i < 3; i += 1) answers.push(await sendgrid([event(one, "open")]));
  assert.deepEqual(answers, [200, 200, 429]);
  const sms = await delivery("a", { channel: "SMS", to: "+12025550123" });
  assert.equal(await vonage({ client_ref: sms.id, status: "delivered" }), 200);
});

test("guessing tenant ids costs the database one query", async (t) => {
  const { db, post } = await setUp(t);
  const queries = t.mock.method(db, "selectFrom");
  for (let i = 0; i < 50; i += 1) assert.equal(await post(`/webhooks/vonage/t${i}`, "[]", {}), 404);
  assert.equal(queries.mock.callCount(), 1);
});
