import assert from "node:assert/strict";
import { test } from "node:test";
import { actsIn } from "@belfry/administration/test/acts";
import { listImports, showImport } from "@belfry/administration/users/imports";
import { changeMembers, listTopics } from "@belfry/administration/users/topics";
import { workImports } from "@belfry/administration/users/work-imports";
import { type startAdmin, startForTenant } from "../../test/start-admin.ts";

async function world(t: Parameters<typeof startAdmin>[0]) {
  const { admin, id: tenantId } = await startForTenant(t);
  const member = (role: "editor" | "viewer") =>
    admin.person({ email: `${role}@example.com`, name: role, of: { tenantId, role } });
  const [editor, viewer] = [await member("editor"), await member("viewer")];
  const run = actsIn(admin.db, tenantId);
  const work = () =>
    workImports({ db: admin.db, rest: async () => undefined }, new AbortController().signal);
  return { admin, editor, viewer, tenantId, run, work, base: `/tenants/${tenantId}` };
}

test("a topic is made with its first users, searched, changed and deleted; a viewer only looks", async (t) => {
  const { editor, viewer, run, base } = await world(t);
  const made = await editor.post(`${base}/topics`, { key: "news", userIds: "ann/1\r\n b,2 \n\n" });
  const path = `${base}/topics/news`;
  assert.equal(made.headers.get("location"), `${path}?done=members-changed`);
  const html = await editor.text(path);
  assert.match(html, /2 users/);
  assert.match(html, /users\?user=ann%2F1">ann\/1<[\s\S]*users\?user=b%2C2">b,2</);
  assert.match(
    await viewer.text(`${base}/topics`),
    /topics\/news"><code>news<[\s\S]*<td class="right">2</,
  );

  const refused = await editor.post(`${base}/topics`, { key: "no key", userIds: "x" });
  assert.equal(refused.status, 422);
  assert.match(await refused.text(), /Key must be 1 to 64 of/);
  const long = await editor.post(`${path}/add`, { userIds: `ok\n${"x".repeat(256)}` });
  assert.equal(long.status, 422);
  assert.match(await long.text(), /User ids has a bad item, \[1\]: it must be at most 255/);
  await editor.post(`${path}/add`, { userIds: "cleo" });
  await editor.post(`${path}/remove`, { userId: "b,2" });
  const found = await editor.text(`${path}?search=cl`);
  assert.match(found, /user=cleo/);
  assert.doesNotMatch(found, /user=ann/);
  assert.match(await editor.text(`${path}?search=zz`), /No user id of the topic starts with this/);

  const seen = await viewer.text(path);
  for (const action of ["add", "remove", "delete"]) {
    assert.ok(!seen.includes(`news/${action}"`), action);
    assert.equal((await viewer.post(`${path}/${action}`)).status, 403);
  }
  assert.equal((await editor.post(`${path}/delete`)).status, 303);
  assert.deepEqual((await run(listTopics, {})).items, []);
  assert.equal((await editor.get(path)).status, 404);
  assert.equal((await editor.get(`${base}/topics/no%20key`)).status, 404);
});

test("a topic of more than a page is listed page by page", async (t) => {
  const { editor, run, base } = await world(t);
  const add = Array.from({ length: 250 }, (_, n) => `user-${String(n).padStart(3, "0")}`);
  await run(changeMembers, { key: "news", add });
  const seen: string[] = [];
  for (let next: string | undefined = ""; next !== undefined; ) {
    const html: string = await editor.text(`${base}/topics/news${next}`);
    seen.push(...[...html.matchAll(/users\?user=(user-\d+)"/g)].map(([, id = ""]) => id));
    next = /href="(\?[^"]*)">More</.exec(html)?.[1]?.replaceAll("&amp;", "&");
  }
  assert.deepEqual(seen, add);
});

test("lines are imported in the background: the page tells the state, the counts and each bad line", async (t) => {
  const { editor, viewer, work, base } = await world(t);
  const lines = "userId,email\r\nann,ann@example.com\r\nbob,nobody\r\n";
  const begun = await editor.post(`${base}/imports`, { kind: "users", topic: "ignored", lines });
  const path = begun.headers.get("location") ?? "";
  assert.match(path, /\/imports\/[\w-]{36}$/);
  const waiting = await editor.text(path);
  assert.match(waiting, /data-live="2"[\s\S]*>Waiting<[\s\S]*0 of 2 lines/);
  assert.match(waiting, /\/cancel"/);
  await work();
  const done = await viewer.text(path);
  assert.match(done, />Done<[\s\S]*2 of 2 lines[\s\S]*editor &lt;editor@example.com&gt;/);
  assert.match(done, /Line 3: <code>email<\/code>\s+must be an email address/);
  assert.doesNotMatch(done, /nobody|\/cancel"/);
  assert.match(await viewer.text(`${base}/imports`), /Users<\/a>/);
  const refused = await editor.post(`${base}/imports`, { kind: "users", lines: "ann,x\n" });
  assert.equal(refused.status, 422);
  assert.match(await refused.text(), /Lines must begin with a line that names the column userId/);
  const missing = await editor.post(`${base}/imports`, { kind: "members", lines: "ann\n" });
  assert.match(await missing.text(), /Topic is missing/);
  assert.equal((await viewer.post(`${base}/imports`)).status, 403);
});

test("a script sends a file part by part, and is told in words what is wrong with it", async (t) => {
  const { editor, run, work, base } = await world(t);
  const _token = await editor.token("/account");
  const send = (path: string, fields: Record<string, string>) =>
    editor.raw(`${base}/imports${path}`, {
      method: "POST",
      body: new URLSearchParams({ _token, ...fields }),
      headers: { accept: "application/json" },
    });
  const kind = { kind: "members", topic: "news" };
  const first = await send("", { ...kind, part: "userId\r\nan", more: "on" });
  const { id } = (await first.json()) as { id: string };
  const second = await send(`/${id}/parts`, { number: "2", part: "n\r\nbob", more: "on" });
  assert.deepEqual(await second.json(), { id });
  const wrong = await send(`/${id}/parts`, { number: "4", part: "x" });
  assert.deepEqual(
    [wrong.status, await wrong.json()],
    [422, { refused: "part must be 3, the next one" }],
  );
  assert.equal((await run(showImport, { importId: id })).state, "receiving");
  await send(`/${id}/parts`, { number: "3", part: "" });
  await work();
  assert.equal((await run(listTopics, {})).items[0]?.members, 2);
  const bad = await send("", { kind: "users", part: "no heading" });
  assert.equal(bad.status, 422);
  assert.match(((await bad.json()) as { refused: string }).refused, /^file must begin with a line/);
  assert.equal((await run(listImports, {})).items.length, 1);
});
