import assert from "node:assert/strict";
import { test } from "node:test";
import { readProviders } from "@belfry/administration/providers/providers";
import { startRecordingServer } from "@belfry/testing/recording-server";
import { startForTenant } from "../../test/start-admin.ts";

/** "Zorglub Text" exists nowhere else: its API is known from these settings alone. */
const KEY = "z0rglub-k3y";
const BODY = `{
  "message": { "recipient": {{ to }}, "content": "Zorglub: {{ text }}" },
  "parts": {{ segments }}, "reference": {{ delivery_id }}
}`;

test("a vendor that nobody has heard of is set up in the Admin UI alone, and sends a text message", async (t) => {
  const { admin, operator, id } = await startForTenant(t);
  const vendor = await startRecordingServer(t);
  const base = `/tenants/${id}/providers`;
  const form = {
    ...{ channel: "SMS", kind: "http", name: "Zorglub", "settings.url": `${vendor.url}/send?v=2` },
    ...{ "settings.headers": `X-Zorglub-Key: ${KEY}\r\nX-Team: red`, "settings.method": "PUT" },
    ...{ "settings.successStatuses": "200", "settings.messageIdPointer": "/result/0/ref" },
    "settings.errorPointer": "/fault/code",
  };

  const empty = await operator.text(`${base}/new?channel=SMS&kind=http`);
  for (const field of ["url", "method", "headers", "body", "successStatuses", "messageIdPointer"]) {
    assert.match(empty, new RegExp(`name="settings\\.${field}"`));
  }
  const wrong = { ...form, "settings.body": '{\r\n  "to": {{ phone }}\r\n}' };
  const refused = await operator.page(await operator.post(base, wrong));
  assert.match(refused, /line 2, column 12: there is no phone here: there are to, text,/);
  assert.ok(!refused.includes(KEY), "a secret that was typed is not shown again");
  assert.deepEqual(await readProviders(admin.db, id), []);

  const made = await operator.post(base, { ...form, "settings.body": BODY });
  const path = made.headers.get("location")?.split("?")[0] ?? "";
  const page = await operator.page(made);
  assert.match(page, /Not active yet/);
  assert.ok(!page.includes(KEY));
  const [stored] = await readProviders(admin.db, id);
  assert.deepEqual(
    [stored?.kind, stored?.name, stored?.active, stored?.settings.headers],
    ["http", "Zorglub", false, "••••"],
  );

  const test = async () =>
    await operator.page(
      await operator.post(`${path}/test`, { to: "+12025550123", activate: "on" }),
    );
  vendor.answer = { body: { fault: { code: "Z-9" }, result: [{ ref: "never" }] } };
  assert.match(await test(), /Not accepted[\s\S]*a success with an error inside/);
  vendor.answer = { body: { result: [{ ref: "zorg-1" }], fault: null } };
  assert.match(await test(), /It is in use now/);

  const sent = vendor.requests.at(-1);
  assert.deepEqual([sent?.method, sent?.path], ["PUT", "/send?v=2"]);
  assert.deepEqual(
    [sent?.headers["x-zorglub-key"], sent?.headers["x-team"], sent?.headers["content-type"]],
    [KEY, "red", "application/json"],
  );
  const { message, parts, reference } = JSON.parse(sent?.body ?? "");
  assert.equal(message.recipient, "+12025550123");
  assert.match(message.content, /^Zorglub: ./);
  assert.deepEqual([parts, typeof reference], [1, "string"]);

  const moved = { ...form, "settings.headers": "", "settings.url": "https://api.zorglub.example/" };
  const elsewhere = await operator.post(path, { ...moved, "settings.body": BODY });
  assert.match(
    await operator.page(elsewhere),
    /must be given again: the stored one was for another url/,
  );
  const kept = await operator.post(path, {
    ...form,
    "settings.headers": "",
    "settings.body": BODY,
  });
  assert.match(await operator.page(kept), /apply within 5 seconds/);
  await test();
  assert.equal(vendor.requests.at(-1)?.headers["x-zorglub-key"], KEY);
});
