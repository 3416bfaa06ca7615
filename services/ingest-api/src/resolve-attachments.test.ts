import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { test } from "node:test";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { ATTACHMENTS_PATH } from "@belfry/contracts/attachments";
import { parseSecretKeys } from "@belfry/database/secrets";
import { createTenantDirectory } from "@belfry/http-api/tenant-directory";
import { connectedDatabase } from "@belfry/testing/database";
import { acceptorUnderTest, appUnderTest } from "../test/app-under-test.ts";

async function setUp(t: test.TestContext) {
  const { pool, db } = await connectedDatabase(t);
  const acceptor = acceptorUnderTest(t, pool);
  const keys = parseSecretKeys(`k1:${randomBytes(32).toString("base64")}`);
  const directory = createTenantDirectory(db, keys);
  const { app } = await appUnderTest(db, {
    ...{ pool, directory, acceptor },
    nats: { isConnected: () => true },
  });
  t.after(() => app.close());
  const tenant = await createTenant(db, { name: "Acme" });
  const other = await createTenant(db, { name: "Other" });
  const upload = async (file: Buffer | string, { apiKey } = tenant): Promise<string> => {
    const headers = { "x-api-key": apiKey, "content-type": "text/plain", "x-file-name": "a.txt" };
    const answer = await app.inject({
      method: "POST",
      url: ATTACHMENTS_PATH,
      headers,
      payload: file,
    });
    assert.equal(answer.statusCode, 201, answer.body);
    return answer.json().data.id;
  };
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const answer = await app.inject({
      method: "POST",
      url: `/api/v1/events/${path}`,
      headers: { "x-api-key": tenant.apiKey, ...headers },
      payload: body,
    });
    return { status: answer.statusCode, body: answer.json(), headers: answer.headers };
  };
  const named = async () => {
    const { rows } = await pool.query(
      `select l.event_id as event, l.attachment_id as id, l.cid, a.named
       from event_attachments l join attachments a on a.id = l.attachment_id order by l.event_id, l.position`,
    );
    return rows;
  };
  return { pool, tenant, other, upload, post, named };
}

const event = (attachments: unknown, over: object = {}) => ({
  eventType: "invoice",
  payload: { userId: "user-1" },
  email: { attachments },
  ...over,
});

test("a trigger names files in their order, and its event carries what is known of them", async (t) => {
  const { pool, upload, post, named } = await setUp(t);
  const [first, second] = [await upload("one"), await upload("two")];
  const { status, headers } = await post(
    "trigger",
    event([second.toUpperCase(), { id: first, cid: "logo" }]),
  );
  assert.equal(status, 200);
  const eventId = headers["x-event-id"];
  assert.deepEqual(await named(), [
    { event: eventId, id: second, cid: null, named: true },
    { event: eventId, id: first, cid: "logo", named: true },
  ]);
  const { rows } = await pool.query("select envelope from events");
  assert.deepEqual(
    rows[0].envelope.attachments.map(({ sha256, ...rest }: { sha256: string }) => [
      rest,
      sha256.length,
    ]),
    [
      [{ id: second, name: "a.txt", type: "text/plain", bytes: 3 }, 64],
      [{ id: first, name: "a.txt", type: "text/plain", bytes: 3, cid: "logo" }, 64],
    ],
  );
});

test("unknown, foreign, incomplete and expired files are each named by a 422, and nothing is accepted", async (t) => {
  const { pool, tenant, other, upload, post, named } = await setUp(t);
  const [good, foreign] = [await upload("a"), await upload("a", other)];
  const [incomplete, expired] = [randomUUID(), await upload("b")];
  await pool.query(
    "insert into attachments (id, tenant_id, name, type, bytes, created_at) values ($1, $2, 'a', 'a/b', 1, now())",
    [incomplete, tenant.id],
  );
  await pool.query(
    "update attachments set created_at = now() - interval '24 hours' where id = $1",
    [expired],
  );
  const bad = [randomUUID(), foreign, incomplete, expired];
  const { status, body } = await post("trigger", event([good, ...bad]));
  assert.equal(status, 422);
  const fault = (at: number) =>
    `email.attachments[${at}] must be the id of an attachment of this tenant that is complete and has not expired`;
  assert.deepEqual(body.message, [1, 2, 3, 4].map(fault));
  for (const id of bad) {
    const answer = await post("trigger", event([good, id]), { "x-idempotency-key": id });
    assert.deepEqual([answer.status, answer.body.message], [422, [fault(1)]]);
  }
  assert.deepEqual(await named(), []);
  const { rows } = await pool.query(
    `select (select count(*)::integer from events) as events, (select count(*)::integer from dedup_keys) as keys,
            (select sum(day_total)::integer from tenant_limits) as day`,
  );
  assert.deepEqual(rows, [{ events: 0, keys: 0, day: 0 }]);
});

test("the same file uploaded again and the same trigger are a replay; other bytes are not", async (t) => {
  const { pool, upload, post } = await setUp(t);
  const answers = [];
  for (const text of ["invoice", "invoice", "other"]) {
    answers.push(await post("trigger", event([await upload(text)])));
  }
  assert.deepEqual(
    answers.map(({ status, headers }) => [status, headers["idempotency-replayed"]]),
    [
      [200, undefined],
      [200, "true"],
      [200, undefined],
    ],
  );
  assert.equal(answers[0]!.headers["x-event-id"], answers[1]!.headers["x-event-id"]);
  // With a key of its own it is a replay even after its files are gone.
  const id = await upload("keyed");
  const keyed = { "x-idempotency-key": "k" };
  assert.equal((await post("trigger", event([id]), keyed)).status, 200);
  await pool.query("delete from attachments");
  const again = await post("trigger", event([id]), keyed);
  assert.deepEqual([again.status, again.headers["idempotency-replayed"]], [200, "true"]);
});

test("each bad field is named", async (t) => {
  const { upload, post } = await setUp(t);
  const id = await upload("a");
  const faults: [unknown, string][] = [
    ["a", "email.attachments must be an array"],
    [["a"], "email.attachments [0] must be an attachment's id, or an object with its id and a cid"],
    [[id, id], "email.attachments [1] is named twice"],
    [
      Array.from({ length: 11 }, () => randomUUID()),
      "email.attachments must have at most 10 items",
    ],
    [
      [{ id, cid: "a b" }],
      "email.attachments [0] has a cid that must be 1 to 64 letters, digits, dots, dashes and underscores",
    ],
    [
      [
        { id, cid: "a" },
        { id: randomUUID(), cid: "a" },
      ],
      "email.attachments [1] has the cid of another",
    ],
  ];
  for (const [attachments, fault] of faults) {
    const { status, body } = await post("trigger", event(attachments));
    assert.deepEqual([status, body.message], [422, [fault]]);
  }
});

test("files are bounded together, and by what the tenant's providers take", async (t) => {
  const { pool, tenant, upload, post } = await setUp(t);
  const large = Buffer.alloc(8 * 1024 * 1024);
  const ids = [await upload(large), await upload(large), await upload(large)];
  const over = await post("trigger", event(ids));
  assert.deepEqual(over.body.message, [
    "email.attachments must be at most 20971520 bytes together",
  ]);
  const provider = (kind: string) =>
    pool.query(
      `insert into providers (id, tenant_id, channel, kind, name, settings, masked_settings, active, position)
       values (gen_random_uuid(), $1, 'EMAIL', $2, $2, 'x', '{}', true, 0)`,
      [tenant.id, kind],
    );
  await provider("postmark");
  const refused = await post("trigger", event(ids.slice(1)));
  assert.deepEqual(refused.body.message, [
    "email.attachments are larger than the tenant's email providers take: 10485760 bytes a mail",
  ]);
  await provider("sendgrid");
  assert.equal((await post("trigger", event(ids.slice(1)))).status, 200, "another takes it");
});

test("a batch judges files event by event and keeps its order", async (t) => {
  const { pool, upload, post } = await setUp(t);
  const id = await upload("a");
  const { status, body } = await post("trigger-batch", {
    events: [
      event([id], { eventId: "1" }),
      event([randomUUID()]),
      { eventType: "invoice", payload: { userId: "user-1" }, eventId: "2" },
      event([id], { eventId: "3" }),
    ],
  });
  assert.equal(status, 200);
  const results: { statusCode: number; replayed?: boolean }[] = body.results;
  assert.deepEqual(
    results.map(({ statusCode, replayed }) => [statusCode, replayed]),
    [
      [200, false],
      [422, undefined],
      [200, false],
      [200, true],
    ],
  );
  const { rows } = await pool.query("select reference from events order by id");
  assert.deepEqual(
    rows.map(({ reference }) => reference),
    ["1", "2"],
  );
});
