import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { putActiveProvider } from "@belfry/administration/test/acts";
import { ADA, BOB, tablesWith } from "@belfry/administration/test/person";
import { putTemplate } from "@belfry/administration/test/templates";
import { eventually } from "@belfry/testing/eventually";
import { startRecordingServer } from "@belfry/testing/recording-server";
import { type Ended, nextEvent } from "../realtime/clients.ts";
import { call, type Stack, triggered } from "./stack.ts";
import { connectedBrowser } from "./trace.ts";

const CLI = new URL("../../packages/cli/src/main.ts", import.meta.url).pathname;
const NEEDLES = Object.values(ADA);

/** Tests of the erasure of a person's data. */
export function erasureTests(stack: Stack): void {
  test("an erased person is found in no table, gets nothing more, and is gone from the browser; another loses nothing", async (t) => {
    const { apiUrls, db, pool, keys } = stack;
    const { id: tenantId, apiKey } = await stack.createTenant();
    const vendor = await startRecordingServer(t);
    // Refuses for now whoever's second order it is, and says whose.
    vendor.answer = ({ body }) =>
      body.includes("second order")
        ? { status: 500, body: { errors: [{ message: `cannot take: ${body}` }] } }
        : { status: 202, headers: { "x-message-id": "m1" } };
    const settings = { apiKey: "SG.a-key", from: "shop@example.com", baseUrl: vendor.url };
    const secret = { keys, allowPrivateAddresses: true };
    await putActiveProvider(db, { tenantId, channel: "EMAIL", kind: "sendgrid", settings }, secret);
    await putActiveProvider(
      db,
      { tenantId, channel: "SMS", kind: "sandbox", settings: {} },
      secret,
    );
    const template = { tenantId, eventType: "order.confirmed" };
    const content = "{{order}}: {{item}}";
    await putTemplate(db, { ...template, channel: "EMAIL", subject: "{{order}}", content });
    await putTemplate(db, { ...template, channel: "SMS", content });
    await putTemplate(db, { ...template, channel: "PUSH", title: "{{order}}", content });
    const order = async (person: typeof ADA, name: string) => {
      const event = {
        payload: {
          userId: person.userId,
          recipientEmail: person.email,
          recipientPhone: person.phone,
        },
        variables: { order: `${name} of ${person.userId}`, item: person.variable },
      };
      return await triggered(stack, apiKey, event);
    };
    const emailOf = async (id: string) => {
      const { body } = await call(`${apiUrls[1]}/api/v1/events/${id}`, { apiKey });
      return body.channels?.EMAIL?.status as string | undefined;
    };
    await using browser = await connectedBrowser(stack, apiKey, ADA.userId);
    const closed = nextEvent<Ended>(browser.client, "disconnected");

    const first = await order(ADA, "first order");
    await eventually(async () => assert.equal(await emailOf(first), "accepted"));
    const waiting = await Promise.all([order(ADA, "second order"), order(BOB, "second order")]);
    for (const id of waiting)
      await eventually(async () => assert.equal(await emailOf(id), "waiting"));
    await eventually(() => browser.pushed.length === 2);
    await eventually(async () => assert.equal((await outboxRows(stack, tenantId)).length, 3));
    for (const needle of NEEDLES) {
      assert.ok((await tablesWith(pool, needle)).length >= 2, `${needle} was there`);
    }
    assert.ok((await tablesWith(pool, ADA.email)).includes("attempts"), "the vendor has echoed it");

    const report = await erase(stack, tenantId, ADA.userId);
    const requestsFor = (userId: string) =>
      vendor.requests.filter((request) => request.body.includes(`second order of ${userId}`))
        .length;
    const [ofAda, ofBob] = [requestsFor(ADA.userId), requestsFor(BOB.userId)];
    const { deleted } = report;
    assert.deepEqual(
      [deleted.events, deleted.deliveries, deleted.outbox, deleted.notifications, report.unsent],
      [2, 4, 2, 2, 1],
    );
    assert.equal((await closed).code, 3503);
    for (const needle of NEEDLES) assert.deepEqual(await tablesWith(pool, needle), []);
    assert.equal((await call(`${apiUrls[0]}/api/v1/events/${first}`, { apiKey })).status, 404);
    const history = await call(`${apiUrls[0]}/api/v1/notifications/${tenantId}/${ADA.userId}`, {
      apiKey,
    });
    assert.deepEqual(history.body.data, []);

    // Bob's next retry shows that Ada's would have had the time.
    await eventually(() => requestsFor(BOB.userId) > ofBob);
    assert.equal(requestsFor(ADA.userId), ofAda);
    for (const needle of NEEDLES) assert.deepEqual(await tablesWith(pool, needle), []);
    assert.equal((await outboxRows(stack, tenantId)).length, 1);

    const lines = Object.values(stack.processes).flatMap((process) => process.lines);
    for (const needle of NEEDLES) {
      assert.deepEqual(
        lines.filter((line) => line.includes(needle)),
        [],
      );
    }
  });
}

async function outboxRows({ db }: Stack, tenantId: string) {
  return await db.selectFrom("outbox").select("id").where("tenant_id", "=", tenantId).execute();
}

async function erase(stack: Stack, tenantId: string, userId: string) {
  const args = [CLI, "user", "erase", "--tenant", tenantId, "--user", userId];
  const { error, out } = await new Promise<{ error: Error | null; out: string }>((resolve) => {
    execFile(process.execPath, args, { env: stack.adminEnv }, (error, out) =>
      resolve({ error, out }),
    );
  });
  assert.equal(error, null);
  return JSON.parse(out);
}
