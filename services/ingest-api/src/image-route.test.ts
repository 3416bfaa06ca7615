import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { deleteImage, uploadImage } from "@belfry/administration/images/images";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { actsIn } from "@belfry/administration/test/acts";
import { PNG } from "@belfry/administration/test/image-samples";
import { connectedDatabase } from "@belfry/testing/database";
import { appUnderTest } from "../test/app-under-test.ts";
import { createImages } from "./image-route.ts";

async function startWithImage(t: TestContext, imagesPerMinute = 6000) {
  const { db } = await connectedDatabase(t);
  const { id: tenantId } = await createTenant(db, { name: "Acme" });
  const run = actsIn(db, tenantId, { publicUrl: async () => "" });
  const image = await run(uploadImage, { name: "a.png", data: PNG.toString("base64") });
  const images = createImages(db);
  const { app } = await appUnderTest(db, { images }, { imagesPerMinute });
  t.after(() => app.close());
  const get = (url: string, headers = {}) => app.inject({ url, headers });
  return { db, run, image, images, app, get };
}

test("an image is served as nothing but an image, and may be kept for ever", async (t) => {
  const { app, get, image } = await startWithImage(t);
  const { statusCode, headers, rawPayload } = await get(image.url);
  assert.equal(statusCode, 200);
  assert.deepEqual(rawPayload, PNG);
  assert.equal(headers["content-type"], "image/png");
  assert.equal(headers["content-length"], String(PNG.length));
  assert.equal(headers["cache-control"], "public, max-age=31536000, immutable");
  assert.equal(headers["x-content-type-options"], "nosniff");
  assert.equal(headers["content-security-policy"], "default-src 'none'; sandbox");
  assert.equal(headers["cross-origin-resource-policy"], "cross-origin");
  assert.equal(headers["set-cookie"], undefined);
  const again = await get(image.url, { "if-none-match": headers.etag });
  assert.deepEqual([again.statusCode, again.rawPayload.length], [304, 0]);
  const head = await app.inject({ method: "HEAD", url: image.url });
  assert.deepEqual([head.statusCode, head.rawPayload.length], [200, 0]);
});

test("a name that nobody has is 404, and one that is no name costs no query", async (t) => {
  const { get, image, images } = await startWithImage(t);
  const [, , id = ""] = image.url.split("/");
  for (const name of ["f".repeat(32), id.toUpperCase(), id.slice(1), `${id}.png`, "..%2f", "%00"]) {
    const { statusCode, headers } = await get(`/images/${name}`);
    assert.equal(statusCode, 404, name);
    assert.match(String(headers["content-type"]), /^application\/json/);
    assert.notEqual(headers["cache-control"], "public, max-age=31536000, immutable");
  }
  assert.equal(images.peek("f".repeat(32))?.value, undefined);
  assert.equal(images.peek(id.slice(1)), undefined, "never asked for");
});

test("a deleted image is gone once the configuration is read anew", async (t) => {
  const { run, get, image, images } = await startWithImage(t);
  assert.equal((await get(image.url)).statusCode, 200);
  await run(deleteImage, { id: image.id });
  images.clear();
  assert.equal((await get(image.url)).statusCode, 404);
});

test("an address that asks for too many images is answered 429, and another is not", async (t) => {
  const { app, get, image } = await startWithImage(t, 3);
  const answers = await Promise.all(Array.from({ length: 4 }, () => get(image.url)));
  const statuses = answers.map(({ statusCode }) => statusCode);
  assert.deepEqual(statuses.toSorted(), [200, 200, 200, 429]);
  const other = await app.inject({ url: image.url, remoteAddress: "192.0.2.7" });
  assert.equal(other.statusCode, 200);
});
