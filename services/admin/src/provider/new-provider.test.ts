import assert from "node:assert/strict";
import { test } from "node:test";
import { readProviders } from "@belfry/administration/providers/providers";
import { putActiveProvider } from "@belfry/administration/test/acts";
import { startRecordingServer } from "@belfry/testing/recording-server";
import { startForTenant } from "../../test/start-admin.ts";

test("a provider made here stands last and unused, says what is missing, and goes into use by an accepted test, first by a click", async (t) => {
  const { admin, operator, id } = await startForTenant(t);
  const live = { tenantId: id, channel: "EMAIL", kind: "sandbox", settings: {} } as const;
  await putActiveProvider(admin.db, live, { keys: admin.keys });
  const vendor = await startRecordingServer(t);
  const base = `/tenants/${id}/providers`;
  const order = async () =>
    (await readProviders(admin.db, id)).map(({ kind, active }) => (active ? kind : `(${kind})`));

  const made = await operator.post(base, {
    ...{ channel: "EMAIL", kind: "sendgrid", "settings.apiKey": "SG.0123456789abcdef" },
    ...{ "settings.from": "orders@example.com", "settings.baseUrl": vendor.url },
  });
  const path = made.headers.get("location")?.split("?")[0] ?? "";
  assert.match(await operator.page(made), /Not active yet\.[\s\S]*has to be accepted/);
  assert.match(await operator.text(base), /not active: to be tested/);
  assert.deepEqual(await order(), ["sandbox", "(sendgrid)"]);

  vendor.answer = { status: 401 };
  const to = "ada@example.com";
  const failed = await operator.post(`${path}/test`, { to, activate: "on" });
  assert.match(await operator.page(failed), /Not accepted[\s\S]*It stays as it is: not in use/);
  for (const verb of ["activate", "make-first"]) {
    const refused = await operator.post(`${path}/${verb}`);
    assert.match(
      await operator.page(refused),
      /Not activated: a test message must be accepted first/,
    );
  }
  assert.deepEqual(await order(), ["sandbox", "(sendgrid)"]);

  vendor.answer = { status: 202 };
  await operator.post(`${path}/test`, { to });
  assert.deepEqual(await order(), ["sandbox", "(sendgrid)"], "a test alone activates nothing");
  const tested = await operator.post(`${path}/test`, { to, activate: "on" });
  assert.match(await operator.page(tested), /It is in use now, after the others/);
  assert.deepEqual(await order(), ["sandbox", "sendgrid"]);
  await operator.post(`${path}/make-first`);
  assert.deepEqual(await order(), ["sendgrid", "sandbox"]);
  const edited = await operator.post(path, {
    ...{ "settings.from": "other@example.com", "settings.baseUrl": vendor.url },
  });
  assert.match(await operator.page(edited), /The new settings apply within 5 seconds/);
});

test("a form says where a vendor shows each value, offers what there is to choose, and keeps what was typed", async (t) => {
  const { admin, operator, id } = await startForTenant(t);
  const base = `/tenants/${id}/providers`;
  const form = await operator.text(`${base}/new?channel=EMAIL&kind=mailgun`);
  const link = "https://app.mailgun.com/settings/api_security";
  const named = 'Where to find it<span class="visually-hidden">: API key</span>';
  assert.match(form, new RegExp(`<a [^>]*href="${link}"[^>]*>${named}</a>`));
  assert.match(
    form,
    /<option value="us" selected>United States<\/option>\s*<option value="eu"\s*>Europe</,
  );

  const typed = {
    ...{ channel: "EMAIL", kind: "mailgun", "settings.apiKey": "0123456789abcdef" },
    ...{ "settings.domain": "no domain", "settings.region": "eu", "settings.testMode": "on" },
    ...{ "settings.from": "shop@example.com" },
  };
  const refused = await (await operator.post(base, typed)).text();
  assert.match(refused, /Domain must be a domain name/);
  assert.match(refused, /<option value="eu" selected>/);
  assert.match(refused, /id="settings.testMode" name="settings.testMode" checked\s/);

  const made = await operator.post(base, { ...typed, "settings.domain": "mg.example.com" });
  const page = await operator.page(made);
  assert.match(page, /id="settings.testMode" name="settings.testMode" checked\s/);
  assert.match(page, new RegExp(`/webhooks/mailgun/${id}</pre>`));
  assert.match(page, /Add the address for Accepted, Delivered/);
  assert.match(
    page,
    /href="https:\/\/app.mailgun.com\/mg\/sending\/webhooks"[^>]*>Open the vendor's page/,
  );
  const [saved] = await readProviders(admin.db, id);
  assert.deepEqual(saved?.settings, {
    ...{ apiKey: "•••• cdef", domain: "mg.example.com", region: "eu", testMode: true },
    from: "shop@example.com",
  });
});
