import assert from "node:assert/strict";
import { test } from "node:test";
import { putDraft } from "@belfry/administration/templates/drafts";
import { setEnvironment } from "@belfry/administration/templates/environments";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { actsIn } from "@belfry/administration/test/acts";
import { putTemplate } from "@belfry/administration/test/templates";
import { putCategory } from "@belfry/administration/users/categories";
import { SMS, startTenant } from "../../test/start-tenant.ts";
import { ACCESS, isOfBundle, type RouteKey } from "../page/access.ts";

const LOCKED = /id="locked" role="status">\s*<p>This environment is locked/;

/** A tenant with an email, an SMS, a draft, two versions and a category, locked and promoted from another. */
async function startLocked(t: Parameters<typeof startTenant>[0]) {
  const { admin, operator, tenantId, base } = await startTenant(t);
  const run = actsIn(admin.db, tenantId);
  const { id: templateId } = await putTemplate(admin.db, { ...SMS, channel: "SMS", tenantId });
  await putTemplate(admin.db, { ...SMS, channel: "SMS", tenantId, content: "New {{ id }}" });
  const mail = {
    channel: "EMAIL",
    subject: "Order",
    content: "# Order",
    format: "markdown",
  } as const;
  await putTemplate(admin.db, { ...mail, tenantId, eventType: SMS.eventType });
  await run(putDraft, { eventType: SMS.eventType, channel: "SMS", content: "Draft" });
  await run(putCategory, { key: "offers", label: { "": "Offers" }, description: {} });
  await run(putCategory, { key: "news", label: { "": "News" }, description: {} });
  const { id: source } = await createTenant(admin.db, { name: "Staging" });
  const family = "shop";
  await actsIn(admin.db, source)(setEnvironment, { family, environment: "staging" });
  const lock = { family, environment: "production", promotesFrom: source, locked: true };
  await run(setEnvironment, lock);
  const of = { tenantId, role: "editor" } as const;
  const editor = await admin.person({ email: "eve@example.com", name: "Eve", of });
  return { admin, operator, editor, tenantId, base, source, templateId };
}

test("every page of a locked environment's templates, design and categories is read-only from the start, and says where to edit", async (t) => {
  const { operator, editor, base, source } = await startLocked(t);
  const sections = ["templates", "design", "categories"].map((one) => `${base}/${one}`);
  const seen = new Set(sections);
  // A set also yields what is added meanwhile.
  for (const path of seen) {
    const html = await operator.text(path);
    assert.match(html, LOCKED, path);
    const section = sections.find((one) => path.startsWith(one)) ?? "";
    assert.ok(
      html.includes(`<a href="/tenants/${source}${section.slice(base.length)}">Staging</a>`),
    );
    const posts = [...html.matchAll(/<form\b[^>]*method="post"[^>]*action="([^"]*)"/g)];
    assert.deepEqual([...new Set(posts.map(([, action]) => action))], ["/sign-out"], path);
    assert.ok(!html.includes('data-may-edit="true"'), path);
    for (const [area] of html.matchAll(/<textarea\b[^>]*>/g)) assert.match(area, /readonly/, path);
    for (const [, link = ""] of html.matchAll(/href="([^"#]+)"/g)) {
      const found = new URL(link.replaceAll("&amp;", "&"), `http://here${path}`);
      const to = found.pathname + found.search;
      if (sections.some((one) => found.pathname.startsWith(one))) seen.add(to);
    }
  }
  assert.ok([...seen].some((path) => path.includes("/versions")));
  assert.ok(seen.has(`${base}/categories/offers`));
  assert.match(await editor.text(`${base}/design`), /Edit them in Staging, and promote them/);
  const html = await operator.text(`${base}/templates/${templateOf(seen)}`);
  assert.match(html, /id="send-test"/, "a test changes nothing");
});

test("a locked environment refuses each route that changes what a bundle holds, and says why", async (t) => {
  const { editor, tenantId, templateId, base } = await startLocked(t);
  const keys = (Object.keys(ACCESS) as RouteKey[]).filter(
    (key) => isOfBundle(key) && ACCESS[key] === "editor",
  );
  assert.ok(keys.length > 25, String(keys.length));
  for (const key of keys) {
    const [method = "", pattern = ""] = key.split(" ");
    const path = pattern
      .replace(":tenantId", tenantId)
      .replace(":templateId", templateId)
      .replace(":categoryKey", "offers")
      .replace(":imageId", "9f86d081884c7d659a2feaa0c55ad015");
    const answer = method === "GET" ? await editor.get(path) : await editor.post(path, {});
    assert.equal(answer.status, 403, key);
    const html = await answer.text();
    assert.match(html, LOCKED, key);
    assert.match(html, /Nothing can be changed here while the environment is locked\./, key);
  }
  const preview = await editor.post(`${base}/templates/preview`, SMS);
  assert.equal(preview.status, 200);
});

test("an operator chooses the source of a promotion among the tenants; a chosen one that is gone stays a choice", async (t) => {
  const { admin, operator, editor, tenantId, base, source } = await startLocked(t);
  const { id: other } = await createTenant(admin.db, { name: "Other <1>" });
  const choicesIn = (html: string) => {
    const [, select = ""] = /<select id="promotesFrom"[^>]*>(.*?)<\/select>/s.exec(html) ?? [];
    const options = select.matchAll(/<option value="([^"]*)" (selected)?>([^<]*)</g);
    return [...options].map(([, id, selected, text]) => [id, text, selected === "selected"]);
  };
  const all = [
    ["", "No tenant", false],
    [other, `Other &lt;1&gt; (${other})`, false],
    [source, `Staging (${source})`, true],
  ];
  assert.deepEqual(choicesIn(await operator.text(`${base}/environment`)), all);
  assert.doesNotMatch(await editor.text(`${base}/environment`), /Other/);
  const typed = { family: "shop", environment: "production" };
  const refused = await operator.post(`${base}/environment`, { ...typed, promotesFrom: "gone" });
  assert.equal(refused.status, 422);
  assert.deepEqual(choicesIn(await refused.text()).at(-1), ["gone", "gone", true]);
  const saved = await operator.post(`${base}/environment`, { ...typed, promotesFrom: "" });
  assert.equal(saved.status, 303);
  const { rows } = await admin.pool.query("select promotes_from from tenants where id = $1", [
    tenantId,
  ]);
  assert.deepEqual(rows, [{ promotes_from: null }]);
});

function templateOf(paths: ReadonlySet<string>): string {
  return [...paths].map((path) => /\/templates\/([^/?]+)$/.exec(path)?.[1]).find(Boolean) ?? "";
}
