import assert from "node:assert/strict";
import { test } from "node:test";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { startForTenant } from "../../test/start-admin.ts";
import { storeDeadLetters } from "../../test/store-dead-letters.ts";

const CHOICE = "class=transient&channel=EMAIL&provider=sendgrid";

test("without scripts a large replay goes batch by batch: each page says how many are done and how many remain", async (t) => {
  const { admin, operator, id } = await startForTenant(t);
  const other = await createTenant(admin.db, { name: "Other" });
  await storeDeadLetters(admin, id, 1100);
  await storeDeadLetters(admin, other.id, 1);
  const base = `/tenants/${id}/dead-letters`;
  assert.match(await operator.text(base), /Replay 1,100 · Email · /);

  let path = `${base}/replay?${CHOICE}`;
  const said: string[] = [];
  for (let posts = 0; path.includes("/replay?"); posts += 1) {
    const html = await operator.text(path);
    said.push(textOf(html));
    assert.ok(posts < 5);
    const answer = await operator.post(`${base}/replay`, hiddenFields(html), { from: path });
    assert.equal(answer.status, 303, await answer.text());
    path = answer.headers.get("location") ?? "";
  }
  assert.deepEqual(said, [
    "1,100 will be replayed.",
    "500 of 1,100 are replayed. Continue when you like.",
    "1,000 of 1,100 are replayed. Continue when you like.",
  ]);
  assert.match(path, /dead-letters\?replayed=1100&before=/);
  const after = await operator.text(path);
  assert.match(after, /Replay of 1,100 messages/);
  assert.match(after, /<dt>Being tried again<\/dt><dd>1,100<\/dd>/);
  assert.match(after, /No other message has failed/);
  const { rows } = await admin.pool.query(
    "select status, count(*)::integer as count from deliveries group by status order by 1",
  );
  assert.deepEqual(rows, [
    { status: "failed", count: 1 },
    { status: "queued", count: 1100 },
  ]);
  const audit = await operator.text(`/tenants/${id}/audit`);
  assert.equal(audit.match(/dead-letter: replay/g)?.length, 3, "each batch is in the log");
});

test("of more dead letters than a page looks at it says so, and shows the newest", async (t) => {
  const { admin, operator, id } = await startForTenant(t);
  await storeDeadLetters(admin, id, 3100);
  const html = await operator.text(`/tenants/${id}/dead-letters`);
  assert.match(html, /There are more: these are the newest 3,000\./);
  assert.match(html, /<strong>3,000<\/strong> Email by sendgrid/);
  const replay = await operator.text(`/tenants/${id}/dead-letters/replay?${CHOICE}`);
  assert.equal(textOf(replay), "3,100 will be replayed.");
  assert.match(await operator.text("/system"), /There are more: these are 3,000 of them\./);
});

test("one dead letter is replayed by itself; a second time, and in another's tenant, it says why not", async (t) => {
  const { admin, operator, id } = await startForTenant(t);
  const other = await createTenant(admin.db, { name: "Other" });
  await storeDeadLetters(admin, id, 1);
  const letter = await admin.db.selectFrom("deliveries").select("id").executeTakeFirstOrThrow();
  const replay = (tenant: string) =>
    operator.post(`/tenants/${tenant}/dead-letters/replay`, { id: letter.id });
  const refused = async (tenant: string) => {
    const answer = await replay(tenant);
    assert.equal(answer.status, 422);
    return /It was not replayed: [^<]+/.exec(await answer.text())?.[0];
  };
  assert.equal(await refused(other.id), "It was not replayed: no dead letter has this id.");
  assert.equal((await replay(id)).status, 303);
  assert.equal(await refused(id), "It was not replayed: it is queued.");
});

test("a place in a replay that no page of ours named is refused", async (t) => {
  const { operator, id } = await startForTenant(t);
  for (const before of ["now()", "2026-02-31T00:00:00.000000Z", "'"]) {
    const place = `/tenants/${id}/dead-letters/replay?before=${encodeURIComponent(before)}`;
    assert.equal((await operator.get(place)).status, 422, before);
  }
});

function textOf(html: string): string {
  const [, state = ""] = /id="batch-state"[^>]*>(.*?)<\/p>/s.exec(html) ?? [];
  return state.replaceAll(/<[^>]+>/g, "").trim();
}

function hiddenFields(html: string): Record<string, string> {
  const [form = ""] = /<form[^>]*data-batches.*?<\/form>/s.exec(html) ?? [];
  const fields = form.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g);
  return Object.fromEntries(
    [...fields]
      .map(([, name = "", value = ""]) => [name, value])
      .filter(([name]) => name !== "_token"),
  );
}
