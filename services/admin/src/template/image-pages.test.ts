import assert from "node:assert/strict";
import { test } from "node:test";
import { JPEG, PNG } from "@belfry/administration/test/image-samples";
import type { TestBrowser } from "../../test/browser.ts";
import { startForTenant } from "../../test/start-admin.ts";

test("an image is uploaded by a form without a script, listed on the page of the design, and deleted", async (t) => {
  const { admin, operator, id } = await startForTenant(t);
  const base = `/tenants/${id}`;
  const upload = async (by: TestBrowser, file: Blob, name: string, headers = {}) => {
    const body = new FormData();
    body.append("_token", await by.token("/account"));
    body.append("file", file, name);
    return await by.raw(`${base}/images`, { method: "POST", body, headers });
  };
  const done = await upload(operator, new Blob([new Uint8Array(PNG)]), "logo <b>.png");
  assert.equal(done.status, 303);
  const html = await operator.page(done);
  assert.match(html, /logo &lt;b&gt;\.png/);
  const [, imageId = ""] = /src="http:\/\/api\.test\/images\/([0-9a-f]{32})"/.exec(html) ?? [];

  const fake = new Blob(["<svg onload='alert(1)'/>"], { type: "image/png" });
  const refused = await upload(operator, fake, "x.png");
  assert.equal(refused.status, 422);
  assert.match(await refused.text(), /x\.png is no picture: PNG, JPEG, GIF or WebP\./);
  const large = new Blob([new Uint8Array(2 * 1024 * 1024 + 1)]);
  assert.match(await (await upload(operator, large, "l")).text(), /l is larger than 2 MiB\./);
  const huge = await upload(operator, new Blob([new Uint8Array(3 * 1024 * 1024)]), "h");
  assert.equal(huge.status, 413);

  const accept = { accept: "application/json" };
  const photo = await upload(operator, new Blob([new Uint8Array(JPEG)]), "photo", accept);
  const { image } = (await photo.json()) as { image: { id: string; url: string } };
  const listed = (await (await operator.get(`${base}/images`)).json()) as { images: object[] };
  assert.deepEqual([listed.images.length, listed.images[0]], [2, image]);

  const of = { tenantId: id, role: "viewer" } as const;
  const viewer = await admin.person({ email: "v@example.com", name: "Vic", of });
  assert.equal((await upload(viewer, fake, "x")).status, 403);
  assert.equal((await viewer.post(`${base}/images/${imageId}/delete`)).status, 403);
  assert.match(await viewer.text(`${base}/design`), new RegExp(imageId));
  const forged = new FormData();
  forged.append("file", fake, "x");
  const without = await operator.raw(`${base}/images`, { method: "POST", body: forged });
  assert.equal(without.status, 403);

  assert.equal((await operator.post(`${base}/images/${imageId}/delete`)).status, 303);
  assert.doesNotMatch(await operator.text(`${base}/design`), new RegExp(imageId));
  const audit = await operator.text(`${base}/audit`);
  assert.match(audit, /image: upload/);
  assert.match(audit, /image: delete/);
});
