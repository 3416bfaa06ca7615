import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { MAX_IMAGE_BYTES, MAX_IMAGES } from "@belfry/contracts/images";
import { actsIn } from "../../test/acts.ts";
import { tenantDatabase } from "../../test/database.ts";
import { GIF, JPEG, PNG } from "../../test/image-samples.ts";
import { putTemplate } from "../../test/templates.ts";
import { deleteTenant } from "../erasure/delete-tenant.ts";
import { InvalidInput, Locked, NotFound } from "../input-error.ts";
import { createTenant } from "../tenants/tenants.ts";
import { deleteImage, listImages, uploadImage } from "./images.ts";

const SERVICES = { publicUrl: async () => "https://mail.example.com" };
const ACTOR = { personId: null, person: "a test", address: "127.0.0.1" };
const base64 = (data: Buffer) => data.toString("base64");

/** The sample with a chunk of so many bytes before its end. */
function pngOf(bytes: number): Buffer {
  const content = Buffer.concat([Buffer.from("teSt"), randomBytes(bytes - PNG.length - 12)]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length - 4);
  sum.writeUInt32BE(crc32(content));
  return Buffer.concat([PNG.subarray(0, -12), length, content, sum, PNG.subarray(-12)]);
}

test("an image has an address that nobody guesses; the same file again is the same image", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const run = actsIn(db, tenantId, SERVICES);
  const made = await run(uploadImage, { name: "logo.png", data: base64(PNG) });
  assert.match(made.url, /^https:\/\/mail\.example\.com\/images\/[0-9a-f]{32}$/);
  const { name, type, bytes, width, height } = made;
  assert.deepEqual([name, type, bytes, width, height], ["logo.png", "image/png", PNG.length, 3, 2]);
  assert.deepEqual(await run(uploadImage, { name: "again.png", data: base64(PNG) }), made);
  const second = await run(uploadImage, { name: "photo", data: base64(JPEG) });
  assert.deepEqual(await run(listImages, {}), [second, made]);
  await run(deleteImage, { id: made.id });
  assert.deepEqual(await run(listImages, {}), [second]);
  const audit = await db.selectFrom("audit_log").select("action").orderBy("id").execute();
  const actions = audit.map(({ action }) => action).filter((action) => action.startsWith("image"));
  assert.deepEqual(actions, ["image.upload", "image.upload", "image.delete"]);
});

test("what is no picture, too large or one too many is refused, and nothing is stored", async (t) => {
  const { db, pool, tenantId } = await tenantDatabase(t);
  const run = actsIn(db, tenantId, SERVICES);
  const refused = (data: string, words: RegExp) =>
    assert.rejects(run(uploadImage, { name: "a.png", data }), (error: unknown) => {
      assert.ok(error instanceof InvalidInput);
      assert.match(error.message, words);
      return true;
    });
  await refused(base64(Buffer.from("<svg/>")), /is no picture: PNG, JPEG, GIF or WebP/);
  await refused("<svg/>", /must be a text in base64/);
  await refused("", /is no picture/);
  await refused(base64(pngOf(MAX_IMAGE_BYTES + 1)), /is larger than 2 MiB/);
  await refused("A".repeat(4 * MAX_IMAGE_BYTES), /is larger than 2 MiB/);
  assert.deepEqual(await run(listImages, {}), []);
  const { id } = await run(uploadImage, { name: "most", data: base64(pngOf(MAX_IMAGE_BYTES)) });
  const insert = `insert into images select md5(n::text), tenant_id, name, type, bytes, width, height,
    sha256(n::text::bytea), data, created_at from images i, generate_series(1, $2::integer) n where i.id = $1`;
  await pool.query(insert, [id, 49]);
  await refused(base64(GIF), /is more than the 100 MiB/);
  await db.deleteFrom("images").where("id", "!=", id).execute();
  await run(deleteImage, { id });
  const small = await run(uploadImage, { name: "small", data: base64(PNG) });
  await pool.query(insert, [small.id, MAX_IMAGES - 1]);
  await refused(base64(GIF), /is one more than the 200 images/);
});

test("a locked environment keeps its images, which its mails show, and takes new ones", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const run = actsIn(db, tenantId, SERVICES);
  const { id } = await run(uploadImage, { name: "logo", data: base64(PNG) });
  await db.updateTable("tenants").set({ locked: true }).where("id", "=", tenantId).execute();
  await assert.rejects(run(deleteImage, { id }), Locked);
  await run(uploadImage, { name: "new", data: base64(GIF) });
  assert.equal((await run(listImages, {})).length, 2);
});

test("an image stays while mails of a locked environment show it, which were promoted from here", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const live = await createTenant(db, { name: "Live" });
  const run = actsIn(db, tenantId, SERVICES);
  const { id, url } = await run(uploadImage, { name: "logo", data: base64(PNG) });
  const other = await run(uploadImage, { name: "other", data: base64(GIF) });
  const content = `<img src="${url}" alt="">`;
  const mail = { channel: "EMAIL", eventType: "a", subject: "A", format: "html", content } as const;
  await putTemplate(db, { tenantId: live.id, ...mail });
  for (const [of, environment] of [
    [tenantId, "staging"],
    [live.id, "live"],
  ] as const) {
    await db
      .updateTable("tenants")
      .set({ family: "shop", environment })
      .where("id", "=", of)
      .execute();
  }
  await db.updateTable("tenants").set({ locked: true }).where("id", "=", live.id).execute();
  await assert.rejects(run(deleteImage, { id }), /Mails of Live show this image/);
  await run(deleteImage, { id: other.id });
  await db.updateTable("tenants").set({ locked: false }).execute();
  await run(deleteImage, { id });
});

test("a tenant sees, changes and loses its own images alone", async (t) => {
  const { db, tenantId } = await tenantDatabase(t);
  const other = await createTenant(db, { name: "Other" });
  const [ours, theirs] = [actsIn(db, tenantId, SERVICES), actsIn(db, other.id, SERVICES)];
  const image = await theirs(uploadImage, { name: "logo", data: base64(PNG) });
  const own = await ours(uploadImage, { name: "logo", data: base64(PNG) });
  assert.notEqual(own.id, image.id, "the same file is of each tenant");
  assert.deepEqual(await ours(listImages, {}), [own]);
  await assert.rejects(ours(deleteImage, { id: image.id }), NotFound);
  await deleteTenant(db, other.id, ACTOR);
  const left = await db.selectFrom("images").select("tenant_id").execute();
  assert.deepEqual(left, [{ tenant_id: tenantId }]);
});
