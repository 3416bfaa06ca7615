import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { connectedDatabase } from "@belfry/testing/database";
import { createRenderers } from "./make-message.ts";

/** Versions 1, 2, … of an SMS template with these texts, and the queries to the database. */
async function setUp(t: TestContext, ...texts: string[]) {
  const { pool } = await connectedDatabase(t);
  await pool.query("insert into tenants (id, name, per_minute) values ('a', 'A', 600)");
  const rows = await pool.sql<{ id: string }>`with owner as (
      insert into templates (id, tenant_id, event_type, channel)
      values (gen_random_uuid(), 'a', 'x', 'SMS') returning id
    )
    insert into template_versions (template_id, version, content, compiled)
    select owner.id, number, '', jsonb_build_object('kind', 'text', 'text', t, 'variables', '[]'::jsonb)
    from owner, unnest(${texts}::text[]) with ordinality u (t, number) order by number returning id`;
  const query = t.mock.method(pool, "query");
  const readIds = () =>
    query.mock.calls.map(
      (call) => (call.arguments[0] as unknown as { values: [string[]] }).values[0],
    );
  return { pool, query, readIds, ids: rows.map(({ id }) => id) };
}

test("templates are read together and once each, also during a read; a deleted template is read again", async (t) => {
  const { pool, readIds, ids } = await setUp(t, "one", "two");
  const [one = "", two = ""] = ids;
  const renderers = createRenderers(pool);
  const asked = await Promise.all([one, two, one, "999999"].map((id) => renderers.of(id)));
  assert.deepEqual(
    asked.map((render) => {
      const rendered = render?.({});
      return rendered?.ok && rendered.kind === "text" ? rendered.text : undefined;
    }),
    ["one", "two", "one", undefined],
  );
  assert.equal(await renderers.of(one), asked[0]);
  await renderers.of("999999");
  assert.deepEqual(readIds(), [[one, two, "999999"], ["999999"]]);
});

test("a changed plain-characters setting applies once the senders drop their cache", async (t) => {
  const { pool, ids } = await setUp(t, "It’s {{ when }}…");
  const [id = ""] = ids;
  const renderers = createRenderers(pool);
  const text = async () => {
    const rendered = (await renderers.of(id))?.({ when: "5–6 o’clock" });
    return rendered?.ok && rendered.kind === "text"
      ? [rendered.text, rendered.encoding]
      : undefined;
  };
  assert.deepEqual(await text(), ["It’s 5–6 o’clock…", "UCS-2"]);
  await pool.query("update templates set plain_characters = true");
  assert.deepEqual(await text(), ["It’s 5–6 o’clock…", "UCS-2"], "remembered");
  renderers.forget();
  assert.deepEqual(await text(), ["It's 5-6 o'clock...", "GSM-7"]);
});

test("a failed read is not cached", async (t) => {
  const { pool, query, ids } = await setUp(t, "one");
  const [one = ""] = ids;
  const renderers = createRenderers(pool);
  query.mock.mockImplementationOnce(() => Promise.reject(new Error("away")));
  await assert.rejects(renderers.of(one), /away/);
  assert.notEqual(await renderers.of(one), undefined);
});

test("the cache is bounded by the weight of templates, mainly their tags: the least recently used one is dropped", async (t) => {
  const { pool, readIds, ids } = await setUp(
    t,
    "1".repeat(1000),
    "2".repeat(1000),
    "{{a}}".repeat(20),
  );
  const [one = "", two = "", large = ""] = ids;
  // Room for both small ones, or for the large one and one of them.
  const renderers = createRenderers(pool, 12_000);
  for (const id of [one, two, one, large, one, large]) {
    assert.notEqual(await renderers.of(id), undefined);
  }
  assert.deepEqual(readIds(), [[one], [two], [large]]);
  await renderers.of(two);
  assert.deepEqual(readIds().at(-1), [two]);
  const tiny = createRenderers(pool, 1_000);
  const all = await Promise.all(ids.map((id) => tiny.of(id)));
  assert.ok(all.every((render) => render !== undefined));
});

test("a template that is dropped during its read still reaches the waiting callers", async (t) => {
  const { pool, query, ids } = await setUp(t, "one", "{{a}}".repeat(20), "{{b}}".repeat(20));
  const [one = "", ...large] = ids;
  const renderers = createRenderers(pool, 11_000);
  const begun = Promise.withResolvers<void>();
  const away = Promise.withResolvers<void>();
  const read = pool.query.bind(pool);
  const late = async (config: string) => {
    begun.resolve();
    await away.promise;
    return await read(config);
  };
  query.mock.mockImplementationOnce(late as never);
  const slow = renderers.of(one);
  await begun.promise;
  for (const id of large) await renderers.of(id);
  away.resolve();
  assert.notEqual(await slow, undefined);
});
