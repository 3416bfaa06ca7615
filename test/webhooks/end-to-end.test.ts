import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { afterEach, test } from "node:test";
import { webhookActs } from "@belfry/administration/test/webhook-world";
import {
  resendWebhookMessage,
  testWebhook,
} from "@belfry/administration/webhooks/send-webhook-message";
import { putWebhook, rotateSigningSecret } from "@belfry/administration/webhooks/webhooks";
import {
  WEBHOOK_PAYLOADS,
  type WebhookMessageType,
  type WebhookType,
} from "@belfry/contracts/webhook-payload";
import { assertEach } from "@belfry/testing/assert-each";
import type { Cleanup } from "@belfry/testing/cleanup";
import { eventually } from "@belfry/testing/eventually";
import { type RecordedRequest, startRecordingServer } from "@belfry/testing/recording-server";
import { wholeFile } from "@belfry/testing/whole-file";
import { Ajv } from "ajv";
import { Webhook } from "standardwebhooks";
import { call, freshKey, startStack, trigger } from "../end-to-end/stack.ts";

/** From an event to a tenant's receiver, through every process; the standard's own library judges each message. */

const ajv = new Ajv({ strict: false, validateFormats: false });
const cleanup = wholeFile();
const stack = await startStack(cleanup);
/** Every receiver of a test with the secrets that must verify what it got. */
let receivers: { requests: RecordedRequest[]; secrets: string[] }[] = [];

afterEach(() => {
  let judged = 0;
  for (const { requests, secrets } of receivers) {
    for (const request of requests) {
      for (const secret of secrets) verify(request, secret);
      const documented = ajv.compile(WEBHOOK_PAYLOADS[messageOf(request).type]);
      assert.ok(
        documented(messageOf(request)),
        `${request.body} ${ajv.errorsText(documented.errors)}`,
      );
      judged += 1;
    }
  }
  assert.ok(judged > 0, "something was judged");
  receivers = [];
});

test("an event is told of by its channels, its notification and what the user does, in ids and words alone", async (t) => {
  const { receiver, tenant } = await tenantWithEndpoint(t);
  const eventId = 'order "7" <b>Größe</b>';
  const answer = await trigger(stack.apiUrls[0], tenant.apiKey, { eventId }, freshKey());
  const id = answer.headers.get("x-event-id");
  await receiver.received(3);
  const [notification] = receiver.requests.filter(
    (one) => messageOf(one).type === "notification.created",
  );
  assert.ok(notification);
  const user = `${stack.apiUrls[1]}/api/v1/notifications/${tenant.id}/user-1`;
  const read = await call(`${user}/${id}/read`, { method: "PUT", apiKey: tenant.apiKey });
  assert.equal(read.status, 200);
  const wanted = [{ category: "*", channel: "SMS", enabled: false }];
  const changed = await call(`${stack.apiUrls[1]}/api/v1/users/user-1/preferences`, {
    ...{ method: "PATCH", apiKey: tenant.apiKey, body: { preferences: wanted } },
  });
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  await receiver.received(5);

  const messages = receiver.requests.map(messageOf);
  const told = messages.map(({ type, data }) => `${type} ${data.channel ?? data.source}`).sort();
  assert.deepEqual(told, [
    "delivery.accepted EMAIL",
    "delivery.accepted SMS",
    "notification.created PUSH",
    "notification.read PUSH",
    `preference.changed ${messages.find(({ type }) => type === "preference.changed")?.data.source}`,
  ]);
  for (const { type, timestamp, data } of messages) {
    assert.equal(timestamp, data.occurredAt, type);
    assert.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    if (type !== "preference.changed")
      assert.deepEqual([data.id, data.eventId], [id, eventId], type);
  }
  const all = receiver.requests.map(({ body }) => body).join("\n");
  for (const text of ["ann@example.com", "12025550123", "Order A-1", "Thank you"]) {
    assert.ok(!all.includes(text), text);
  }
  for (const { method, headers } of receiver.requests) {
    assert.equal(method, "POST");
    assert.equal(headers["content-type"], "application/json");
    assert.match(String(headers["user-agent"]), /^Belfry\//);
  }
  const ids = receiver.requests.map(({ headers }) => headers["webhook-id"]);
  assert.equal(new Set(ids).size, ids.length);
});

test("an endpoint gets the types it has chosen, and no other tenant's", async (t) => {
  const { receiver, tenant } = await tenantWithEndpoint(t, ["notification.created"]);
  const other = await tenantWithEndpoint(t);
  await trigger(stack.apiUrls[0], tenant.apiKey, { eventId: "mine" }, freshKey());
  await trigger(stack.apiUrls[0], other.tenant.apiKey, { eventId: "theirs" }, freshKey());
  await Promise.all([receiver.received(1), other.receiver.received(3)]);
  // What is written after them arrives after them, were there any: one that is asked for ends the list.
  await sendTest(receiver, tenant.id, 2);
  assertEach(receiver.requests.map(messageOf), ({ type, data }) => [type, data.eventId], [
    ["notification.created", "mine"],
    ["webhook.test", undefined],
  ]);
  for (const { data } of other.receiver.requests.map(messageOf))
    assert.equal(data.eventId, "theirs");
});

test("an endpoint that fails gets the same message again: the same id, a new time, its first bytes", async (t) => {
  const { receiver, tenant } = await tenantWithEndpoint(t, ["notification.created"]);
  receiver.next({ status: 500, body: "out of order" });
  await trigger(stack.apiUrls[0], tenant.apiKey, {}, freshKey());
  const [first, second] = await receiver.received(2);
  assert.equal(second?.headers["webhook-id"], first?.headers["webhook-id"]);
  assert.equal(second?.body, first?.body);
  const waited =
    Number(second?.headers["webhook-timestamp"]) - Number(first?.headers["webhook-timestamp"]);
  // 5 s less 20 %, in whole seconds.
  assert.ok(waited >= 3, `${waited} s`);
  const { rows } = await stack.pool.query(
    `select a.number, a.class, a.vendor_status as status, a.vendor_answer as answer
     from attempts a join deliveries d on d.id = a.delivery_id
     where d.tenant_id = $1 and d.channel = 'WEBHOOK' order by a.number`,
    [tenant.id],
  );
  assert.deepEqual(rows[0], {
    number: 1,
    class: "transient",
    status: "500",
    answer: "out of order",
  });
});

test("sent again by hand it has its first id; what is kept by that is kept once", async (t) => {
  const { receiver, tenant, webhookId } = await tenantWithEndpoint(t, ["notification.created"]);
  await trigger(stack.apiUrls[0], tenant.apiKey, {}, freshKey());
  const [first] = await receiver.received(1);
  const messageId = String(first?.headers["webhook-id"]);
  await settled(messageId);
  await acts()(resendWebhookMessage, { tenantId: tenant.id, webhookId, messageId });
  const [, again] = await receiver.received(2);
  assert.equal(again?.headers["webhook-id"], messageId);
  assert.equal(again?.body, first?.body);
});

test("while a secret rotates both verify each message", async (t) => {
  const { receiver, tenant, webhookId, secrets } = await tenantWithEndpoint(t);
  const of = { tenantId: tenant.id, webhookId };
  const { secret } = await acts()(rotateSigningSecret, of);
  secrets.push(secret);
  await sendTest(receiver, tenant.id, 1);
  assert.equal(String(receiver.requests[0]?.headers["webhook-signature"]).split(" ").length, 2);
});

/** Acts of the tenant that an input names. */
const acts = () => webhookActs(stack.db, { keys: stack.keys, allowPrivateAddresses: true });

/** A tenant with all channels, and an endpoint whose receiver records. */
async function tenantWithEndpoint(t: Cleanup, types: WebhookType[] = []) {
  const receiver = await startRecordingServer(t);
  const tenant = await stack.createReadyTenant();
  const url = `${receiver.url}/hooks?from=${randomUUID()}`;
  const made = await acts()(putWebhook, { tenantId: tenant.id, url, types });
  const secrets = [made.secret ?? ""];
  receivers.push({ requests: receiver.requests, secrets });
  return { receiver, tenant, webhookId: made.id, secrets };
}

type Receiver = Awaited<ReturnType<typeof tenantWithEndpoint>>["receiver"];

async function sendTest(receiver: Receiver, tenantId: string, count: number): Promise<void> {
  const { id } = await stack.db
    .selectFrom("webhooks")
    .select("id")
    .where("tenant_id", "=", tenantId)
    .executeTakeFirstOrThrow();
  await acts()(testWebhook, { tenantId, webhookId: id });
  await receiver.received(count);
}

/** Until the sender has written down what it was answered. */
async function settled(messageId: string): Promise<void> {
  await eventually(async () => {
    const { rows } = await stack.pool.query(
      "select status from deliveries where event_id = $1 and channel = 'WEBHOOK'",
      [messageId],
    );
    assert.equal(rows[0]?.status, "accepted");
  });
}

function verify({ body, headers }: RecordedRequest, secret: string): unknown {
  return new Webhook(secret).verify(body, headers as Record<string, string>);
}

function messageOf({ body }: RecordedRequest) {
  return JSON.parse(body) as {
    type: WebhookMessageType;
    timestamp: string;
    data: Record<string, unknown> & { occurredAt: string };
  };
}
