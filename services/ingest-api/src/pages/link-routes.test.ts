import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test from "node:test";
import { parseLinkKeys } from "@belfry/database/link-token";
import { setPreferences } from "@belfry/database/preferences";
import { ODD_TEXTS, SCRIPT } from "@belfry/testing/hostile";
import { ANN, NOW, OLD_KEYS, startPages } from "../../test/start-pages.ts";

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const ONE_CLICK = "List-Unsubscribe=One-Click";

/** The parts of an answer that a client sees, except those that differ each time. */
async function seen(response: Response) {
  const headers = Object.fromEntries(response.headers);
  for (const name of ["x-trace-id", "date"]) delete headers[name];
  return { status: response.status, headers, body: await response.text() };
}

const pair = (name: string, value: string): [string, string] => [name, value];

function post(url: string, body: string | FormData, headers: Record<string, string> = FORM) {
  return fetch(url, { method: "POST", body, headers, redirect: "manual" });
}

test("a thousand visits of an unsubscribe page, as by scanners, change nothing", async (t) => {
  const { linkTo, cells, db, announced } = await startPages(t);
  const url = linkTo("unsubscribe");
  for (let round = 0; round < 100; round += 1) {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        fetch(`${url}?round=${round}`, { method: index % 5 === 4 ? "HEAD" : "GET" }),
      ),
    );
    for (const answer of answers) {
      assert.equal(answer.status, 200);
      await answer.arrayBuffer();
    }
  }
  assert.deepEqual(await cells(), []);
  assert.deepEqual(await db.selectFrom("preferences").selectAll().execute(), []);
  assert.deepEqual(announced, []);
});

test("a mailbox provider's POST turns its own cell off: 200, no cookie, no redirect, urlencoded or multipart", async (t) => {
  const { linkTo, cells, announced } = await startPages(t);
  const parts = new FormData();
  parts.append("List-Unsubscribe", "One-Click");
  const boundary = "--=_part";
  const raw = `--${boundary}\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--${boundary}--\r\n`;
  const ways: readonly (readonly [string, string | FormData, Record<string, string>])[] = [
    ["urlencoded", ONE_CLICK, FORM],
    [
      "with a charset",
      ONE_CLICK,
      { "content-type": "application/x-www-form-urlencoded; charset=UTF-8" },
    ],
    ["with a line end", `${ONE_CLICK}\r\n`, FORM],
    ["in parts", parts, {}],
    ["in parts by hand", raw, { "content-type": `multipart/form-data; boundary="${boundary}"` }],
  ];
  for (const [way, body, headers] of ways) {
    const userId = `user ${way}`;
    const response = await post(linkTo("unsubscribe", { userId }), body, headers);
    assert.equal(response.status, 200, way);
    assert.equal(response.headers.get("set-cookie"), null);
    assert.equal(response.headers.get("location"), null);
    await response.text();
    const owner = { ...ANN, userId };
    assert.deepEqual(await cells(owner), ["offers/EMAIL off (unsubscribe link)"], way);
    assert.deepEqual(announced.splice(0), [`acme/${userId}`], "the user's open pages are told");
    await (await post(linkTo("unsubscribe", { userId }), ONE_CLICK)).text();
    assert.deepEqual(announced, [], "nothing has changed");
  }
  assert.deepEqual(await cells(), []);
  assert.deepEqual(await cells({ ...ANN, tenantId: "other" }), []);
});

test("a POST with any other body changes nothing", async (t) => {
  const { linkTo, cells } = await startPages(t);
  const url = linkTo("unsubscribe");
  for (const [body, headers, status] of [
    ["", FORM, 400],
    ["a=b", FORM, 400],
    ["List-Unsubscribe=one-click", FORM, 400],
    ["action=unsubscribe", FORM, 400],
    ["List-Unsubscribe=One-Click", { "content-type": "text/plain" }, 415],
    ["{}", { "content-type": "application/json" }, 415],
    ["no parts", { "content-type": "multipart/form-data; boundary=x" }, 400],
    ["no parts", { "content-type": "multipart/form-data" }, 400],
    ["a".repeat(100_000), FORM, 413],
    [`List-Unsubscribe=One-Click${"&a".repeat(2_000)}`, FORM, 413],
    ["\r\n".repeat(20_000), { "content-type": "multipart/form-data; boundary=x" }, 413],
  ] as const) {
    const response = await post(url, body, headers);
    await response.arrayBuffer();
    assert.equal(response.status, status, `${body.slice(0, 40)} ${headers["content-type"]}`);
  }
  assert.deepEqual(await cells(), []);
});

test("the page unsubscribes by a button, shows the state, and subscribes again", async (t) => {
  const { linkTo, cells } = await startPages(t);
  const url = linkTo("unsubscribe");
  const asked = await (await fetch(url)).text();
  assert.match(asked, /<h1>Unsubscribe<\/h1>/);
  assert.match(asked, /<bdi>Acme &amp; Söhne<\/bdi> sends you “<bdi>Offers<\/bdi>” by email\./);
  assert.match(asked, /<button class="main" name="List-Unsubscribe" value="One-Click">/);
  const done = await (await post(url, ONE_CLICK)).text();
  assert.match(done, /<h1>You are unsubscribed<\/h1>/);
  assert.match(done, /<button name="action" value="subscribe">Subscribe again/);
  assert.match(await (await fetch(url)).text(), /<h1>You are unsubscribed<\/h1>/);
  const again = await (await post(url, "action=subscribe")).text();
  assert.match(again, /<h1>You are subscribed again<\/h1>/);
  assert.deepEqual(await cells(), ["offers/EMAIL on (unsubscribe link)"]);
  assert.match(await (await fetch(url)).text(), /<h1>Unsubscribe<\/h1>/);
});

test("the page words a required category, a deleted one and an unsubscribe from everything correctly", async (t) => {
  const { linkTo } = await startPages(t);
  const page = async (category: string, channel = "SMS") =>
    await (await fetch(linkTo("unsubscribe", { category, channel }))).text();
  const required = await page("security");
  assert.match(required, /cannot be turned off/);
  assert.doesNotMatch(required, /<form/);
  assert.match(await page("gone"), /sends you messages of this kind by SMS\./);
  assert.match(await page("*"), /sends you messages by SMS\./);
  assert.match(await page("*", "*"), /sends you messages\./);
});

test("forged, cut, foreign and expired links, and those of a deleted tenant, are 404 with the same page", async (t) => {
  const { linkTo, db, address, cells } = await startPages(t);
  await db.insertInto("tenants").values({ id: "gone", name: "Gone", per_minute: 1 }).execute();
  const good = linkTo("unsubscribe");
  const ofGone = linkTo("unsubscribe", { tenantId: "gone" });
  await db.deleteFrom("tenants").where("id", "=", "gone").execute();
  const foreign = parseLinkKeys(`new:${Buffer.alloc(32, 1).toString("base64")}`);
  const flip = (url: string, at: number) =>
    `${url.slice(0, at)}${url.at(at) === "A" ? "B" : "A"}${url.slice(at + 1)}`;
  const dead = [
    good.slice(0, -1),
    good.slice(0, -20),
    good.slice(0, good.lastIndexOf("/") + 1),
    `${good}A`,
    `${good}/`,
    `${good}/${"a".repeat(9000)}`,
    flip(good, good.length - 9),
    flip(good, good.indexOf("new.") + 6),
    good.replace("/new.", "/old."),
    good.replace("/new.", "/none."),
    linkTo("unsubscribe", {}, foreign),
    linkTo("preferences").replace("/preferences/", "/unsubscribe/"),
    good.replace("/unsubscribe/", "/preferences/"),
    linkTo("preferences", { expiresAt: NOW }),
    linkTo("unsubscribe", { tenantId: "nobody" }),
    ofGone,
    `${address}/unsubscribe/ann@example.com`,
    `${address}/preferences/%00%2f`,
    `${address}/preferences/constructor.${"a".repeat(60)}`,
  ];
  const [first, ...others] = await Promise.all(
    dead.map(async (url) => await seen(await fetch(url))),
  );
  assert.equal(first?.status, 404);
  assert.match(first.body, /<h1>This link does not work<\/h1>/);
  for (const [index, other] of others.entries()) assert.deepEqual(other, first, dead[index + 1]);
  for (const url of dead) assert.deepEqual(await seen(await post(url, ONE_CLICK)), first, url);
  assert.deepEqual(await cells(), []);
});

test("an unknown user gets the same page as one with preferences in other cells", async (t) => {
  const { linkTo, db } = await startPages(t);
  await setPreferences(db, ANN, "api", [{ category: "news", channel: "EMAIL", enabled: false }]);
  await db
    .insertInto("recipients")
    .values({ tenant_id: "acme", user_id: ANN.userId })
    .onConflict((one) => one.columns(["tenant_id", "user_id"]).doUpdateSet({ named: true }))
    .execute();
  const known = await seen(await fetch(linkTo("unsubscribe")));
  assert.deepEqual(await seen(await fetch(linkTo("unsubscribe", { userId: "nobody" }))), known);
});

test("a link works with the punctuation that a plain-text reader includes, and with nothing else", async (t) => {
  const { linkTo, cells } = await startPages(t);
  const good = await seen(await fetch(linkTo("unsubscribe")));
  for (const end of ["]", ".", ")", ",", ").", "%5D", "%3E", '"', "…"]) {
    assert.deepEqual(await seen(await fetch(linkTo("unsubscribe") + end)), good, end);
  }
  for (const end of ["-", "_", ".a", "/.", "%20", "%00"]) {
    assert.equal((await fetch(linkTo("unsubscribe") + end)).status, 404, end);
  }
  await (await post(`${linkTo("unsubscribe")}).`, ONE_CLICK)).text();
  assert.deepEqual(await cells(), ["offers/EMAIL off (unsubscribe link)"]);
});

test("a link signed with an old key still works", async (t) => {
  const { linkTo, cells } = await startPages(t);
  const url = linkTo("unsubscribe", {}, parseLinkKeys(OLD_KEYS));
  assert.match(url, /\/unsubscribe\/old\./);
  await (await post(url, ONE_CLICK)).text();
  assert.deepEqual(await cells(), ["offers/EMAIL off (unsubscribe link)"]);
});

test("a page runs no script, loads nothing, and can be neither framed nor cached", async (t) => {
  const { linkTo, db } = await startPages(t);
  await db
    .insertInto("layouts")
    .values({
      tenant_id: "acme",
      version: 1,
      primary_color: "#ff8800",
      background_color: "#eeffee",
    })
    .execute();
  for (const purpose of ["unsubscribe", "preferences"] as const) {
    const response = await fetch(linkTo(purpose));
    const policy = response.headers.get("content-security-policy")!;
    assert.match(
      policy,
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    assert.equal(response.headers.get("referrer-policy"), "no-referrer");
    assert.equal(response.headers.get("x-robots-tag"), "noindex, nofollow");
    assert.equal(response.headers.get("cache-control"), "no-store");
    assert.equal(response.headers.get("x-content-type-options"), "nosniff");
    const html = await response.text();
    assert.doesNotMatch(html, /<script|<link|<img|src=|href=|https?:|\son\w+=/i);
    assert.match(html, /--brand:#ff8800;--on-brand:#000000/);
    assert.match(html, /--paper:#eeffee/);
  }
});

test("tenants' texts are text on the pages, in every field", async (t) => {
  const { linkTo, db, category } = await startPages(t);
  for (const [index, text] of [
    ...ODD_TEXTS,
    "</style><script>x</script>",
    "{what}{name}",
  ].entries()) {
    const id = `t${index}`;
    await db.insertInto("tenants").values({ id, name: text, per_minute: 1 }).execute();
    await category(
      id,
      "offers",
      { "": text, de: text },
      { description: JSON.stringify({ "": text }) },
    );
    for (const purpose of ["unsubscribe", "preferences"] as const) {
      const response = await fetch(linkTo(purpose, { tenantId: id, userId: text }));
      assert.equal(response.status, 200);
      const html = await response.text();
      const inner = html.replace(/<style>[^<]*<\/style>/, "");
      const tags = new Set([...inner.matchAll(/<\/?([a-z!][a-z0-9]*)/gi)].map(([, name]) => name));
      const ours = ["!doctype", "html", "head", "meta", "title", "body", "main", "p", "bdi", "h1"];
      const ofForms = ["form", "button", "fieldset", "legend", "div", "label", "input"];
      for (const tag of tags) assert.ok([...ours, ...ofForms].includes(tag!), `${text}: ${tag}`);
      assert.ok(!html.includes(SCRIPT) && !/<script|<img/i.test(html), text);
    }
  }
});

test("pages are in the reader's language, and categories too if the tenant has it", async (t) => {
  const { linkTo } = await startPages(t);
  const page = async (language: string) => {
    const headers = { "accept-language": language };
    const response = await fetch(linkTo("unsubscribe"), { headers });
    const html = await response.text();
    assert.match(html, new RegExp(`<html lang="${response.headers.get("content-language")}">`));
    return /<h1>([^<]*)<\/h1>.*<bdi>([^<]*)<\/bdi>[^<]*<\/p>/
      .exec(html.replaceAll("\n", " "))!
      .slice(1)
      .join(" | ");
  };
  assert.equal(await page("de-AT,de;q=0.9,en;q=0.8"), "Abmelden | Angebote");
  assert.equal(await page("en;q=0.5, fr;q=0.7"), "Se désabonner | Offers");
  assert.equal(await page("es-419"), "Darse de baja | Offers");
  assert.equal(await page("ja, de;q=0.1"), "Abmelden | Angebote");
  assert.equal(await page("xx"), "Unsubscribe | Offers");
  assert.equal(
    await page("zh-TW,zh;q=0.9"),
    "Unsubscribe | 優惠",
    "by CLDR where no wider one is there",
  );
  assert.equal(await page("zh-CN"), "Unsubscribe | Offers");
  assert.equal(await page("de;q=0, *"), "Unsubscribe | Offers");
  assert.equal(await page(`${"a,".repeat(5000)}de`), "Unsubscribe | Offers");
});

test("a link's page is limited to so many visits a minute, and changes do not count as visits", async (t) => {
  const { linkTo, cells } = await startPages(t, { linksPerMinute: 3 });
  const statuses = async (url: string, count: number, how: (url: string) => Promise<Response>) => {
    const all: number[] = [];
    for (let n = 0; n < count; n += 1) {
      const response = await how(url);
      await response.arrayBuffer();
      all.push(response.status);
    }
    return all;
  };
  // Each email has its own token; the limit counts by the token's content.
  const looks = [
    ...(await statuses(linkTo("unsubscribe"), 2, fetch)),
    ...(await statuses(linkTo("unsubscribe"), 2, fetch)),
  ];
  assert.deepEqual(looks, [200, 200, 200, 429]);
  const change = (url: string) => post(url, ONE_CLICK);
  assert.deepEqual(await statuses(linkTo("unsubscribe"), 4, change), [200, 200, 200, 429]);
  assert.deepEqual(await statuses(linkTo("unsubscribe", { userId: "bob" }), 1, fetch), [200]);
  assert.deepEqual(await cells(), ["offers/EMAIL off (unsubscribe link)"]);
});

test("the preferences page shows a user's choices, changes what was changed, and leaves the rest", async (t) => {
  const { linkTo, cells, db, announced } = await startPages(t);
  await setPreferences(db, ANN, "api", [
    { category: "offers", channel: "SMS", enabled: false },
    { category: "*", channel: "PUSH", enabled: false },
  ]);
  const url = linkTo("preferences", { category: "*", channel: "*" });
  const boxes = (html: string) =>
    [...html.matchAll(/type="checkbox" role="switch" name="is" value="([^"]+)"( checked)?>/g)].map(
      ([, cell, checked]) => `${cell}${checked === undefined ? "" : " on"}`,
    );
  const html = await (await fetch(url)).text();
  assert.deepEqual(boxes(html), [
    ...["*/EMAIL on", "*/SMS on", "*/PUSH", "*/DEVICE on", "*/CHAT on"],
    ...["offers/EMAIL on", "offers/SMS", "offers/PUSH on", "offers/DEVICE on", "offers/CHAT on"],
    ...["news/EMAIL", "news/SMS", "news/PUSH", "news/DEVICE", "news/CHAT"],
  ]);
  assert.match(html.replaceAll("\n", ""), /Security<\/bdi><\/legend>.*Always sent/);
  // The page as a browser sends it, with offers/EMAIL unticked and news/SMS ticked.
  const was = [...html.matchAll(/name="was" value="([^"]+)"/g)].map(([, cell]) =>
    pair("was", cell!),
  );
  const is = [
    "*/EMAIL",
    "*/SMS",
    "*/DEVICE",
    "*/CHAT",
    "offers/PUSH",
    "offers/DEVICE",
    "offers/CHAT",
    "news/SMS",
    "security/EMAIL",
    "none/EMAIL",
    "x",
  ];
  const form = new URLSearchParams([...was, ...is.map((cell) => pair("is", cell))]);
  // Meanwhile another page has turned something else on.
  await setPreferences(db, ANN, "inbox", [{ category: "*", channel: "PUSH", enabled: true }]);
  const saved = await (await post(url, form.toString())).text();
  assert.match(saved, /role="status">Your choice is saved/);
  assert.deepEqual(await cells(), [
    "*/PUSH on (inbox)",
    "news/SMS on (preference page)",
    "offers/EMAIL off (preference page)",
    "offers/SMS off (api)",
  ]);
  await (await post(url, "action=all-off")).text();
  await (await post(url, "action=all-off")).text();
  const ann = `${ANN.tenantId}/${ANN.userId}`;
  assert.deepEqual(announced, [ann, ann], "once for the form, once for all off");
  assert.ok((await cells()).includes("*/* off (preference page)"));
  assert.deepEqual(boxes(await (await fetch(url)).text()).slice(0, 3), [
    "*/EMAIL",
    "*/SMS",
    "*/PUSH",
  ]);
});

test("the page lists the user's devices and removes the one that is chosen", async (t) => {
  const { linkTo, db } = await startPages(t);
  const of = { tenant_id: "acme", user_id: ANN.userId, kind: "fcm", token: "" } as const;
  await db
    .insertInto("devices")
    .values([
      { ...of, id: randomUUID(), device_id: "a", token_hash: "a", name: SCRIPT },
      { ...of, id: randomUUID(), device_id: "b", token_hash: "b" },
      { ...of, id: randomUUID(), device_id: "a", token_hash: "c", user_id: "bob" },
    ])
    .execute();
  const html = await (await fetch(linkTo("preferences"))).text();
  assert.match(html, /Your devices.*name="device" value="a">Remove <bdi>&quot;&gt;&lt;script/s);
  for (const unknown of ["a%00", "%00", ""]) {
    assert.equal((await post(linkTo("preferences"), `device=${unknown}`)).status, 200, unknown);
  }
  const after = await (await post(linkTo("preferences"), "device=a")).text();
  assert.doesNotMatch(after, /value="a"/);
  const left = await db.selectFrom("devices").select("user_id").orderBy("user_id").execute();
  assert.deepEqual(left, [{ user_id: ANN.userId }, { user_id: "bob" }]);
});

test("the page does not show channels for which the tenant has no template", async (t) => {
  const { linkTo, db } = await startPages(t);
  await db
    .insertInto("templates")
    .values({ id: randomUUID(), tenant_id: "acme", event_type: "order", channel: "EMAIL" })
    .execute();
  const html = await (await fetch(linkTo("preferences"))).text();
  assert.match(html, /value="offers\/EMAIL"/);
  assert.doesNotMatch(html, /value="offers\/SMS"/);
});
