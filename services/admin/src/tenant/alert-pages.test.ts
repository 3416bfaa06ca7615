import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseMailTenant } from "@belfry/administration/alerts/alert-choices";
import { createKey } from "@belfry/administration/tenants/tenant-credentials";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { actsIn, putActiveProvider } from "@belfry/administration/test/acts";
import { startForTenant } from "../../test/start-admin.ts";

test("as long as no alert can be sent the page says what to do and leads there; an owner is told whom to ask", async (t) => {
  const { admin, operator, id } = await startForTenant(t);
  const of = { tenantId: id, role: "owner" } as const;
  const owner = await admin.person({ email: "own@example.com", name: "Otto", of });
  const note = async (page: string, browser = operator) => {
    const html = await browser.text(page);
    const [, text] = /id="no-mail">(.*?)<\/p>/s.exec(html) ?? [];
    return text?.replaceAll(/\s+/g, " ").trim();
  };
  assert.equal(
    await note("/alerts"),
    'No emails are sent yet: <a href="#sender">choose the tenant that sends them</a>.',
  );
  assert.match(await operator.text("/alerts"), /<form[^>]* id="sender"/);
  const ofOwner = await note(`/tenants/${id}/alerts`, owner);
  assert.match(ofOwner ?? "", /Ask an operator of Belfry to choose the tenant that sends it/);
  assert.doesNotMatch(ofOwner ?? "", /href/, "it may not go there");
  await owner.post("/account/name", { name: "Otto", language: "de" }, { from: "/account" });
  assert.match((await note(`/tenants/${id}/alerts`, owner)) ?? "", /Bitten Sie einen Operator/);
  assert.match(await owner.text(`/tenants/${id}/alerts`), /Die Tagesgrenze ist erreicht/);

  const { id: sender } = await createTenant(admin.db, { name: "Our <platform>" });
  const run = actsIn(admin.db, sender);
  await run(chooseMailTenant, { tenant: sender });
  assert.match(
    (await note("/alerts")) ?? "",
    new RegExp(
      `Our &lt;platform&gt; has no active .* href="/tenants/${sender}/providers">Set one up</a>`,
    ),
  );
  await putActiveProvider(
    admin.db,
    { channel: "EMAIL", kind: "sandbox", settings: {}, tenantId: sender },
    { keys: admin.keys },
  );
  assert.equal(await note("/alerts"), undefined);
  assert.equal(await note(`/tenants/${id}/alerts`, owner), undefined);
  await run(createKey, { name: "ci", role: "manage" });
  assert.match(
    (await note("/alerts")) ?? "",
    new RegExp(
      `href="/tenants/${sender}/members">members</a>.* href="/tenants/${sender}/keys">API keys</a>`,
    ),
  );
  await admin.db.updateTable("tenants").set({ active: false }).where("id", "=", sender).execute();
  assert.match(
    (await note("/alerts")) ?? "",
    new RegExp(`href="/tenants/${sender}/settings">Our &lt;platform&gt;</a> is not active`),
  );
});

test("a chat address is chosen beside the switches; one that cannot be reached is refused, and what was typed stays", async (t) => {
  const { admin, operator, id } = await startForTenant(t);
  const of = { tenantId: id, role: "owner" } as const;
  const owner = await admin.person({ email: "own@example.com", name: "Otto", of });
  await actsIn(admin.db, id)(chooseMailTenant, { tenant: id });
  await putActiveProvider(
    admin.db,
    {
      channel: "CHAT",
      kind: "teams",
      settings: { addresses: "ops=https://a.example/x" },
      tenantId: id,
    },
    { keys: admin.keys },
  );
  for (const [person, page] of [
    [owner, `/tenants/${id}/alerts`],
    [operator, "/alerts"],
  ] as const) {
    const refused = await person.page(await person.post(page, { chat: "slack:#ops" }));
    assert.match(refused, /no active provider of the kind slack/);
    assert.match(refused, /value="slack:#ops"/);
    assert.match(
      refused,
      /name="dead-letters"(?![^>]*checked)/,
      "the switches stay as they were left",
    );
    await person.post(page, { chat: " teams:ops ", "dead-letters": "on" });
    const saved = await person.text(page);
    assert.match(saved, /value="teams:ops"/);
    assert.match(saved, /name="dead-letters"[^>]*checked/);
    await person.post(page, { chat: "" });
    assert.doesNotMatch(await person.text(page), /teams:ops"/);
  }
});
