import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { connect } from "node:net";
import { test } from "node:test";
import { createTenant } from "@belfry/administration/tenants/tenants";
import {
  ATTACHMENT_CHUNK_BYTES,
  ATTACHMENTS_PATH,
  MAX_ATTACHMENT_BYTES,
  UNNAMED_HOURS,
} from "@belfry/contracts/attachments";
import { readAttachment } from "@belfry/database/functions/attachments";
import { parseSecretKeys } from "@belfry/database/secrets";
import { createTenantDirectory } from "@belfry/http-api/tenant-directory";
import { connectedDatabase } from "@belfry/testing/database";
import { eventually } from "@belfry/testing/eventually";
import { untilBlocked } from "@belfry/testing/until-blocked";
import { appUnderTest } from "../test/app-under-test.ts";

async function setUp(
  t: test.TestContext,
  input: Omit<Parameters<typeof createTenant>[1], "name"> = {},
) {
  const { pool, db } = await connectedDatabase(t);
  const keys = parseSecretKeys(`k1:${randomBytes(32).toString("base64")}`);
  const directory = createTenantDirectory(db, keys);
  const { app } = await appUnderTest(db, { pool, directory });
  t.after(() => app.close());
  const tenant = await createTenant(db, { name: "Acme", ...input }, keys);
  const upload = async (payload: Buffer | string, headers: Record<string, string> = {}) => {
    const answer = await app.inject({
      method: "POST",
      url: ATTACHMENTS_PATH,
      headers: {
        "x-api-key": tenant.apiKey,
        "content-type": "application/pdf",
        "x-file-name": "a.pdf",
        ...headers,
      },
      payload,
    });
    return { status: answer.statusCode, body: answer.json(), headers: answer.headers };
  };
  const counted = async () => {
    const { rows } = await pool.query<{ files: number; chunks: number }>(
      `select (select count(*)::integer from attachments) as files,
              (select count(*)::integer from attachment_chunks) as chunks`,
    );
    return rows[0]!;
  };
  return { pool, db, app, keys, tenant, upload, counted };
}

async function partsOf(parts: AsyncIterable<Buffer>): Promise<Buffer[]> {
  const all: Buffer[] = [];
  for await (const part of parts) all.push(part);
  return all;
}

const NONE = { files: 0, chunks: 0 };

test("a file is kept byte by byte in rows of 256 KiB, and answered with its id and its time", async (t) => {
  const { pool, tenant, upload, counted } = await setUp(t);
  const file = randomBytes(2 * ATTACHMENT_CHUNK_BYTES + 77);
  const { status, body } = await upload(file, {
    "x-file-name": encodeURIComponent('发票 "1001".pdf'),
    "content-type": 'Application/PDF; name="x.pdf"',
  });
  assert.equal(status, 201);
  const { id, expiresAt, ...data } = body.data;
  assert.deepEqual(data, { name: '发票 "1001".pdf', type: "application/pdf", bytes: file.length });
  const restHours = (Date.parse(expiresAt) - Date.now()) / 3_600_000;
  assert.ok(restHours > UNNAMED_HOURS - 0.1 && restHours < UNNAMED_HOURS + 0.1);
  assert.deepEqual(await counted(), { files: 1, chunks: 3 });
  const parts = await partsOf(readAttachment(pool, tenant.id, body.data));
  assert.deepEqual(Buffer.concat(parts), file);
  assert.deepEqual(
    parts.map(({ length }) => length),
    [ATTACHMENT_CHUNK_BYTES, ATTACHMENT_CHUNK_BYTES, 77],
  );
  await assert.rejects(partsOf(readAttachment(pool, "other", body.data)), {
    name: "AttachmentGone",
  });
  const { rows } = await pool.query("select complete, named, sha256 from attachments");
  assert.deepEqual([rows[0].complete, rows[0].named, rows[0].sha256.length], [true, false, 32]);
});

test("a calendar's method, a name of 255 letters and a file of 10 MiB are taken; one byte more is 413", async (t) => {
  const { upload, counted } = await setUp(t);
  const { body } = await upload(Buffer.alloc(MAX_ATTACHMENT_BYTES, 7), {
    "content-type": "text/calendar; charset=UTF-8; method=REQUEST",
    "x-file-name": encodeURIComponent("票".repeat(255)),
  });
  assert.deepEqual(
    [body.data.type, body.data.bytes, [...body.data.name].length],
    ["text/calendar; charset=UTF-8; method=REQUEST", MAX_ATTACHMENT_BYTES, 255],
  );
  const { status } = await upload(Buffer.alloc(MAX_ATTACHMENT_BYTES + 1));
  assert.deepEqual([status, await counted()], [413, { files: 1, chunks: 40 }]);
});

test("each bad head is refused by the field's name, and stores nothing", async (t) => {
  const { upload, counted } = await setUp(t);
  const names: [string | undefined, RegExp][] = [
    ["", /X-File-Name is missing/],
    ["a%ff.pdf", /percent-encoded UTF-8/],
    // The bytes of UTF-8, as Node's clients send them.
    [Buffer.from("Müller.pdf").toString("latin1"), /percent-encoded UTF-8, such as M%C3%BCller/],
    ["..%2fa.pdf", /without a path/],
    ["a%5Cb.pdf", /without a path/],
    ["a%0d%0aBcc.pdf", /control characters/],
    ["...", /only dots/],
    ["invoice%E2%80%AEfdp.exe.pdf", /direction of text/],
    [encodeURIComponent("票".repeat(256)), /at most 255 characters/],
    ["run.EXE", /must not end in \.exe/],
    ["run.exe.%20", /must not end in \.exe/],
  ];
  for (const [name, fault] of names) {
    const { status, body } = await upload("x", { "x-file-name": name! });
    assert.equal(status, 422, name);
    assert.match(String(body.message), fault);
  }
  for (const type of [
    ...["", "pdf", "a/b/c", "multipart/form-data; boundary=x", "message/rfc822"],
    ...["application/x-www-form-urlencoded", 'text/plain; x="a\\"b"', "application/x-msdownload"],
  ]) {
    const { status, body } = await upload("x", { "content-type": type });
    assert.equal(status, 415, type);
    assert.match(body.message, /^Content-Type must /);
  }
  assert.equal((await upload("x", { "content-encoding": "gzip" })).status, 415);
  const empty = await upload("");
  assert.equal(empty.status, 415, "without a body it has no type");
  assert.deepEqual(await counted(), NONE);
});

test("a tenant may allow programs", async (t) => {
  const { upload } = await setUp(t, { allowExecutables: true });
  const { status } = await upload("x", {
    "x-file-name": "setup.exe",
    "content-type": "application/x-msdownload",
  });
  assert.equal(status, 201);
});

test("where the tenant signs, a file counts only once its signature is right", async (t) => {
  const secret = "s".repeat(32);
  const { upload, counted } = await setUp(t, { webhookSecret: secret });
  const file = randomBytes(ATTACHMENT_CHUNK_BYTES + 5);
  const signature = createHmac("sha256", secret).update(file).digest("hex");
  const missing = await upload(file);
  assert.equal(missing.status, 401);
  assert.equal(missing.headers["www-authenticate"], 'X-Service-Signature error="missing"');
  const changed = Buffer.concat([file, Buffer.from("x")]);
  const wrong = await upload(changed, { "x-service-signature": signature });
  assert.equal(wrong.status, 401);
  assert.deepEqual(await counted(), NONE);
  assert.equal((await upload(file, { "x-service-signature": signature })).status, 201);
});

test("uploads count in the minute window, and a tenant's unnamed files are bounded", async (t) => {
  const { pool, tenant, upload } = await setUp(t, { perMinute: 3 });
  assert.equal((await upload("a")).status, 201);
  await pool.query(
    `insert into attachments (id, tenant_id, name, type, bytes, complete, sha256, created_at)
     select gen_random_uuid(), $1, 'a', 'a/b', 10485760, true, '', clock_timestamp() - interval '23 hours'
     from generate_series(1, 102)`,
    [tenant.id],
  );
  const full = await upload(Buffer.alloc(5 * 1024 * 1024));
  assert.deepEqual([full.status, full.body.retryAfter], [429, 3600]);
  assert.match(full.body.message, /at most 1 GiB/);
  assert.equal((await upload("b")).status, 201, "what still fits");
  await pool.query("update attachments set complete = true, named = true, sha256 = ''");
  assert.equal(
    (await upload(Buffer.alloc(5 * 1024 * 1024))).status,
    201,
    "named ones do not count",
  );
  const over = await upload("c");
  assert.equal(over.status, 429);
  assert.match(over.body.message, /Limit: 3\/min/);
});

test("an upload that is cut after any of its rows leaves nothing", async (t) => {
  const { pool, app, tenant, counted } = await setUp(t);
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as { port: number };
  const total = 4 * ATTACHMENT_CHUNK_BYTES;
  for (const sent of [1, 100, ATTACHMENT_CHUNK_BYTES, 2 * ATTACHMENT_CHUNK_BYTES + 1, total - 1]) {
    const socket = connect(port, "127.0.0.1");
    socket.write(
      `POST ${ATTACHMENTS_PATH} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${tenant.apiKey}\r\n` +
        `Content-Type: a/b\r\nX-File-Name: a\r\nContent-Length: ${total}\r\n\r\n`,
    );
    socket.write(Buffer.alloc(sent));
    const rows = Math.floor(sent / ATTACHMENT_CHUNK_BYTES);
    await eventually(async () => {
      assert.deepEqual(await counted(), { files: 1, chunks: rows }, `${sent} bytes`);
    });
    const { rows: found } = await pool.query("select complete from attachments");
    assert.equal(found[0].complete, false);
    socket.destroy();
    await eventually(async () => assert.deepEqual(await counted(), NONE, `${sent} bytes`));
  }
});

test("uploads are refused with 409 while the tenant's files take all their space, those of events included", async (t) => {
  const { pool, upload, tenant } = await setUp(t);
  assert.equal((await upload("x")).status, 201);
  await pool.query("update attachments set named = true, bytes = 1048576");
  await pool.query("update tenants set max_attachment_mib = 1 where id = $1", [tenant.id]);
  const refused = await upload("y");
  assert.equal(refused.status, 409);
  assert.match(refused.body.message, /take all the space that they may \(maxAttachmentMib\)/);
  await pool.query("delete from attachments");
  assert.equal((await upload("y")).status, 201);
});

test("a tenant's slow uploads take half of the places, and another tenant's pass", async (t) => {
  const { pool, db, keys, upload, app } = await setUp(t);
  const other = await createTenant(db, { name: "Other" }, keys);
  const blocker = await pool.connect();
  await blocker.query("begin; lock table attachment_chunks in exclusive mode");
  const slow = Array.from({ length: 4 }, () => upload("slow"));
  await untilBlocked(pool, 4);
  const refused = await upload("one more");
  assert.equal(refused.status, 429);
  assert.match(refused.body.message, /Too many calls at a time/);
  const passing = app.inject({
    ...{ method: "POST", url: ATTACHMENTS_PATH, payload: "x" },
    headers: { "x-api-key": other.apiKey, "content-type": "a/b", "x-file-name": "a" },
  });
  await untilBlocked(pool, 5);
  await blocker.query("rollback");
  blocker.release();
  assert.equal((await passing).statusCode, 201);
  assert.deepEqual(new Set((await Promise.all(slow)).map(({ status }) => status)), new Set([201]));
});
