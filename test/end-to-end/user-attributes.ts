import assert from "node:assert/strict";
import { test } from "node:test";
import { ADA, tablesWith } from "@belfry/administration/test/person";
import { putTemplate } from "@belfry/administration/test/templates";
import { createClient } from "@belfry/client";
import { eventually } from "@belfry/testing/eventually";
import { call, type Stack } from "./stack.ts";

const USERS = 5;

/** Tests of a broadcast whose templates read the attributes of each user. */
export function userAttributeTests(stack: Stack): void {
  test("a broadcast greets each user by their own name, and an erased user's name is in no table", async () => {
    const { db, pool, apiUrls } = stack;
    const [api] = apiUrls;
    const eventType = "product.news";
    const tenant = await stack.createReadyTenant({}, { eventType, channels: ["EMAIL"] });
    const template = { tenantId: tenant.id, eventType };
    const content = "{{ title }} for {{ user.name }}";
    const mail = { ...template, channel: "EMAIL", subject: "Hello {{ user.name }}" } as const;
    await putTemplate(db, { ...mail, content });
    await putTemplate(db, { ...template, channel: "PUSH", title: "News", content });
    const client = createClient({ baseUrl: api, apiKey: tenant.apiKey });
    const users = Array.from({ length: USERS }, (_, n) => ({
      ...{ userId: `u${n}`, email: `u${n}@example.com`, attributes: { name: `Name of u${n}` } },
    }));
    users.push({ ...ADA, attributes: { name: ADA.variable } });
    for (let at = 0; at < users.length; at += 1_000) {
      const some = users.slice(at, at + 1_000).map(({ userId, email, attributes }) => ({
        ...{ userId, email, attributes },
      }));
      assert.ok((await client.putUsers(some)).every(({ success }) => success));
    }
    const userIds = users.map(({ userId }) => userId);
    const body = { userIds, eventType, variables: { title: "Dark mode" } };
    const made = await call(`${api}/api/v1/broadcasts`, { apiKey: tenant.apiKey, body });
    assert.equal(made.status, 202);

    const sent = async (table: "outbox" | "notifications") => {
      const { rows } = await pool.query<{ text: string }>(
        table === "outbox"
          ? "select recipient || ' ' || subject || ' ' || text as text from outbox where tenant_id = $1 order by 1"
          : "select user_id || ' ' || body as text from notifications where tenant_id = $1 order by 1",
        [tenant.id],
      );
      return rows.map(({ text }) => text);
    };
    const expected = (text: (user: (typeof users)[number]) => string) => users.map(text).sort();
    await eventually(async () => {
      assert.deepEqual(
        (await sent("outbox")).sort(),
        expected(
          ({ email, attributes: { name } }) => `${email} Hello ${name} Dark mode for ${name}`,
        ),
      );
      assert.deepEqual(
        (await sent("notifications")).sort(),
        expected(({ userId, attributes: { name } }) => `${userId} Dark mode for ${name}`),
      );
    });
    assert.deepEqual(await tablesWith(pool, ADA.variable), [
      "notifications",
      "outbox",
      "recipients",
    ]);
    const { id } = await client.eraseUser(ADA.userId);
    await eventually(async () => assert.equal((await client.erasure(id)).status, "done"));
    assert.deepEqual(await tablesWith(pool, ADA.variable), []);
  });
}
