import assert from "node:assert/strict";
import { test } from "node:test";
import type { Database } from "@belfry/database/connection";
import type { KyselyPlugin } from "kysely";
import { actsIn } from "../../test/acts.ts";
import { refusal, tenantDatabase } from "../../test/database.ts";
import { Conflict, Locked } from "../input-error.ts";
import { listCategories, putCategory } from "../users/categories.ts";
import { applyBundle, pullBundle } from "./bundle.ts";
import { promoteEnvironment, setEnvironment } from "./environments.ts";
import { putTemplate } from "./put-template.ts";
import { importTemplates } from "./template-files.ts";

const LAYOUT =
  "<mjml><mj-body><mj-section><mj-column>{{ $content }}<mj-text>Footer</mj-text></mj-column></mj-section></mj-body></mjml>";
const OFFERS = {
  key: "offers",
  label: { "": "Offers" },
  description: {},
  required: false,
  defaultOn: true,
  position: 0,
  eventTypes: ["sale.began"],
};
const FILES = {
  "sale.began/EMAIL.md":
    "---\nsubject: Sale in {{ city }}\nrequired-variables: city\n---\n# Sale\n",
  "sale.began/EMAIL.de.md": "---\nsubject: Ausverkauf\n---\n# Ausverkauf\n",
  "sale.began/SMS.txt": "---\n---\nSale in {{ city }}",
  "layout.mjml": LAYOUT,
  "layout.json": JSON.stringify({ primaryColor: "#112233", footerText: "Bye" }),
  "categories.json": JSON.stringify([OFFERS]),
};

async function world(t: Parameters<typeof tenantDatabase>[0]) {
  const { db, tenantId } = await tenantDatabase(t);
  const run = actsIn(db, tenantId);
  const versions = async () => {
    const { rows } = await db.executeQuery<{ n: number }>({
      sql: "select (select count(*) from template_versions)::integer + (select count(*) from layouts)::integer as n",
      parameters: [],
      query: { kind: "RawNode" } as never,
      queryId: { queryId: "versions" },
    });
    return rows[0]?.n;
  };
  const log = async () =>
    (await db.selectFrom("audit_log").select(["action", "target"]).orderBy("id").execute()).map(
      ({ action, target }) => `${action} ${target}`,
    );
  return { db, tenantId, run, versions, log };
}

test("a bundle is pulled, edited, planned and applied; the same again changes nothing", async (t) => {
  const { run, versions, log } = await world(t);
  const made = await run(applyBundle, { files: FILES });
  assert.deepEqual(made.added, [
    "categories.json: offers",
    "layout.json",
    "layout.mjml",
    "sale.began/EMAIL.de.md",
    "sale.began/EMAIL.md",
    "sale.began/SMS.txt",
  ]);
  assert.deepEqual([made.changed, made.same, made.applied], [[], [], true]);
  assert.deepEqual((await run(listCategories, {}))[0], OFFERS);
  const { files } = await run(pullBundle, {});
  assert.deepEqual(Object.keys(files).sort(), Object.keys(FILES).sort());
  const before = await versions();
  const again = await run(applyBundle, { files });
  assert.deepEqual([again.added, again.changed, again.same.length], [[], [], 6]);
  assert.equal(await versions(), before);
  assert.deepEqual(await log(), ["bundle.apply 6 published"]);

  const edited = { ...files, "sale.began/SMS.txt": "---\n---\nSale!" };
  const plan = await run(applyBundle, { files: edited, dryRun: true });
  assert.deepEqual([plan.changed, plan.applied], [["sale.began/SMS.txt"], false]);
  assert.equal(await versions(), before);
  await run(applyBundle, { files: edited, plan: plan.plan });
  assert.equal(await versions(), (before ?? 0) + 1);
  assert.match((await run(pullBundle, {})).files["sale.began/SMS.txt"] ?? "", /Sale!$/);
});

test("a bundle from Windows, with byte order marks and CRLF, says the same as one from elsewhere; so does a text that was saved with CRLF", async (t) => {
  const { run, versions } = await world(t);
  const fromWindows = ([path, text]: [string, string]): [string, string] => [
    path,
    `\ufeff${text.replaceAll("\n", "\r\n").replaceAll("><", ">\r\n<")}`,
  ];
  const files = Object.fromEntries(Object.entries(FILES).map(fromWindows));
  const unix = Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path, text.slice(1).replaceAll("\r\n", "\n")]),
  );
  const made = await run(applyBundle, { files });
  assert.equal(made.added.length, 6);
  const before = await versions();
  assert.equal((await run(applyBundle, { files: unix })).same.length, 6);
  assert.equal((await run(applyBundle, { files })).same.length, 6);
  assert.equal(await versions(), before);
  assert.equal((await run(pullBundle, {})).files["layout.mjml"], unix["layout.mjml"]);

  const sms = { eventType: "sale.began", channel: "SMS", content: "two\r\nlines" } as const;
  await run(putTemplate, sms);
  const { files: pulled } = await run(pullBundle, {});
  assert.deepEqual((await run(applyBundle, { files: pulled })).changed, []);
});

test("a change in between refuses the plan, and of two that apply one plan one is refused", async (t) => {
  const { run } = await world(t);
  await run(applyBundle, { files: FILES });
  const files = { ...FILES, "sale.began/SMS.txt": "---\n---\nSale!" };
  const { plan } = await run(applyBundle, { files, dryRun: true });
  await run(putCategory, { key: "offers", position: 3 });
  await assert.rejects(run(applyBundle, { files, plan }), Conflict);
  const next = await run(applyBundle, { files, dryRun: true });
  assert.deepEqual(next.changed, ["categories.json: offers", "sale.began/SMS.txt"]);
  const both = await Promise.allSettled(
    [1, 2].map(() => run(applyBundle, { files, plan: next.plan })),
  );
  const refused = both.filter(({ status }) => status === "rejected");
  assert.equal(refused.length, 1);
  assert.ok((refused[0] as PromiseRejectedResult).reason instanceof Conflict);
});

test("another layout is published with every template in Markdown, those of the bundle in it at once", async (t) => {
  const { run, db, tenantId } = await world(t);
  await run(applyBundle, { files: FILES });
  const layout = LAYOUT.replace("Footer", "New footer");
  const files = { "layout.mjml": layout, "sale.began/EMAIL.md": FILES["sale.began/EMAIL.md"] };
  const { outdated, changed } = await run(applyBundle, {
    files: {
      ...files,
      "sale.began/EMAIL.md": files["sale.began/EMAIL.md"].replace("# Sale", "# S"),
    },
  });
  assert.deepEqual(changed, ["layout.json", "layout.mjml", "sale.began/EMAIL.md"]);
  assert.ok(outdated.includes("sale.began/EMAIL.de.md"));
  const inForce = await db
    .selectFrom("template_variants as l")
    .innerJoin("templates as t", "t.id", "l.template_id")
    .innerJoin("template_versions as v", "v.id", "l.current_version_id")
    .select(["l.locale", "v.compiled", "l.source_version as sourceVersion", "v.version"])
    .where("t.tenant_id", "=", tenantId)
    .where("t.channel", "=", "EMAIL")
    .orderBy("l.locale")
    .execute();
  for (const { compiled } of inForce) assert.match(JSON.stringify(compiled), /New footer/);
});

test("a bundle with a fault changes nothing and names each file", async (t) => {
  const { run, versions } = await world(t);
  const before = await versions();
  const files = {
    ...FILES,
    "sale.began/SMS.txt": "---\n---\nSale in {{ city",
    "sale.began/FAX.txt": "x",
    "categories.json": JSON.stringify([{ ...OFFERS, position: -1 }]),
  };
  const { faults } = await refusal(run(applyBundle, { files }));
  assert.deepEqual([...new Set(faults.map(({ field }) => field))], ["files"]);
  assert.match(faults.map(({ message }) => message).join("\n"), /FAX\.txt is no template/);
  assert.match(faults.map(({ message }) => message).join("\n"), /categories\.json: .*position/);
  const { faults: compiling } = await run(applyBundle, {
    files: { "sale.began/SMS.txt": "---\n---\nSale in {{ city" },
    dryRun: true,
  });
  assert.match(compiling.join("\n"), /^sale\.began\/SMS\.txt: content line 1/);
  for (const path of ["a/b/EMAIL.md", "EMAIL.md", "../EMAIL.md", "/etc/passwd"]) {
    await refusal(run(applyBundle, { files: { [path]: "x" } }));
  }
  assert.equal(await versions(), before);
});

test("whichever statement fails, all of a bundle is applied or nothing", async (t) => {
  const { db, tenantId, run, versions } = await world(t);
  await run(applyBundle, { files: FILES });
  const was = { files: await run(pullBundle, {}), versions: await versions() };
  const files = {
    ...FILES,
    "sale.began/SMS.txt": "---\n---\nSale!",
    "layout.json": "{}",
    "categories.json": JSON.stringify([{ ...OFFERS, eventTypes: ["sale.ended"] }]),
  };
  let failed = 0;
  for (let left = 1; ; left += 1) {
    const failing = actsIn(failingAfter(db, left), tenantId);
    const done = await failing(applyBundle, { files }).catch((error: Error) => error.message);
    if (done !== FAILED) break;
    failed += 1;
    assert.deepEqual({ files: await run(pullBundle, {}), versions: await versions() }, was);
  }
  assert.ok(failed > 20, `${failed} statements`);
  assert.deepEqual((await run(listCategories, {}))[0]?.eventTypes, ["sale.ended"]);
});

const FAILED = "the connection is gone";

/** Its statement of this number, and those after it, fail. */
function failingAfter(db: Database, statements: number): Database {
  let left = statements;
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      left -= 1;
      if (left < 0) throw new Error(FAILED);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return db.withPlugin(plugin);
}

test("a locked environment takes a promotion, and nothing else", async (t) => {
  const { db, run, log } = await world(t);
  await db.insertInto("tenants").values({ id: "s", name: "Staging", per_minute: 1 }).execute();
  const staging = actsIn(db, "s");
  await staging(setEnvironment, { family: "shop", environment: "staging" });
  const faults = await refusal(run(promoteEnvironment, {}));
  assert.match(faults.message, /promotesFrom is not set/);
  await run(setEnvironment, {
    family: "shop",
    environment: "production",
    promotesFrom: "s",
    locked: true,
  });
  await staging(applyBundle, { files: FILES });
  await assert.rejects(run(putCategory, { key: "news", label: { "": "News" } }), Locked);
  const plan = await run(promoteEnvironment, { dryRun: true });
  assert.equal(plan.added.length, 6);
  await run(promoteEnvironment, { plan: plan.plan });
  assert.deepEqual(await run(pullBundle, {}), await staging(pullBundle, {}));
  assert.equal((await log()).at(-1), "environment.promote 6 published");
});

test("of files with very many faults the first ones are told", async (t) => {
  const { run } = await world(t);
  const path = "sale.began/EMAIL.md";
  const file = { [path]: `---\n${"unknown: x\n".repeat(90_000)}---\nHello` };
  const list = { "categories.json": `[${"0,".repeat(50_000)}0]` };
  const unknown = `${path}: unknown (line 2) is not known here`;
  for (const [work, first] of [
    [() => run(applyBundle, { files: file }), unknown],
    [() => run(importTemplates, { files: file }), unknown],
    [() => run(applyBundle, { files: list }), "categories.json: the list[0] must be an object"],
  ] as const) {
    const { faults } = await refusal(work());
    assert.equal(faults.length, 50);
    assert.deepEqual(faults[0], { field: "files", message: first });
  }
});

test("one call changes at most 2,000 templates", async (t) => {
  const { run } = await world(t);
  const texts = Array.from({ length: 2_001 }, (_, at) => [
    `sale.t${at}/SMS.txt`,
    "---\n---\nSale!",
  ]);
  const { faults } = await refusal(run(applyBundle, { files: Object.fromEntries(texts) }));
  const message = "change 2001 templates: at most 2000 at a time";
  assert.deepEqual(faults, [{ field: "files", message }]);
});

test("an event type with the name of a bundle's file has a folder of another name", async (t) => {
  const { run } = await world(t);
  for (const eventType of ["layout.mjml", "Layout.json", "categories.json"]) {
    await run(applyBundle, { files: { ...FILES, [`${eventType}/SMS.txt`]: "---\n---\nHello" } });
  }
  const { files } = await run(pullBundle, {});
  const folders = Object.keys(files).map((path) => path.split("/", 1)[0]?.toLowerCase() ?? "");
  assert.equal(folders.filter((name) => Object.hasOwn(FILES, name)).length, 3, String(folders));
  assert.deepEqual((await run(applyBundle, { files })).changed, []);
});
