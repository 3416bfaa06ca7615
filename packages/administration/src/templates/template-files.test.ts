import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { assertHas } from "@belfry/testing/assert-has";
import { readConfigurationVersion } from "@belfry/testing/configuration-version";
import { temporaryFolder } from "@belfry/testing/temporary-folder";
import { refusal, tenantDatabase } from "../../test/database.ts";
import {
  deleteTemplate,
  exportTemplates,
  importTemplates,
  putTemplate,
  saveDraft,
} from "../../test/templates.ts";
import { NotFound } from "../input-error.ts";
import { createTenant } from "../tenants/tenants.ts";
import { readTemplateFile, writeTemplateFile } from "./template-file.ts";
import { prepareImport, saveImport } from "./template-files.ts";
import { readTemplateFolder } from "./template-folder.ts";
import { eventTypeOf, folderNames } from "./template-paths.ts";
import { readTemplate, readTemplates } from "./templates.ts";

async function setUp(t: TestContext) {
  const { db, tenantId } = await tenantDatabase(t);
  const dir = await temporaryFolder(t, "templates");
  const put = (path: string, text: string | Buffer) =>
    mkdir(join(dir, path, ".."), { recursive: true }).then(() => writeFile(join(dir, path), text));
  return { db, tenantId, dir, put };
}

const faultsOf = async (work: Promise<unknown>) =>
  (await refusal(work)).faults.map(({ message }) => message);

const ODD_TYPES = [
  "../../etc/passwd",
  "..",
  ".hidden",
  "a/b\\c",
  "CON",
  "nul.txt",
  "Order",
  "order",
  "Größe 🙂 %41 ~x",
  "名".repeat(255),
  '"quoted"',
  " blank ",
];

test("what is exported is imported again without a single version, whatever its names and texts", async (t) => {
  const { db, tenantId, dir } = await setUp(t);
  for (const eventType of ODD_TYPES) {
    await putTemplate(db, {
      tenantId,
      eventType,
      channel: "SMS",
      content: `of ${eventType.slice(0, 9)}`,
    });
  }
  const key = { tenantId, eventType: "order" } as const;
  await putTemplate(db, {
    ...{ ...key, channel: "EMAIL", subject: '"Yours": {{ id }}', content: "---\nkey: x\n---\n" },
    ...{ requiredVariables: ["id", "name"], sampleVariables: '{\n  "id": 1,\n\n  "a": "---"\n}' },
    ...{ sensitive: true, atMostOnce: true, expiresAfterSeconds: 60, active: false },
  });
  const german = { ...key, channel: "EMAIL", locale: "de-AT", content: "# Hallo" } as const;
  await putTemplate(db, { ...german, subject: " Deine", format: "markdown" });
  await putTemplate(db, {
    ...{ ...key, channel: "PUSH", title: "{{ a }}", content: "No line end", url: "/a=b" },
    actions: [
      { label: "Go = on", url: "/b" },
      { label: '{"x', url: "https://example.com/?a=b" },
    ],
    targetChannel: "orders",
  });
  await saveDraft(db, { ...key, channel: "SMS", content: "not published" });
  const before = await showAll(db, tenantId);

  const { files, leftover } = await exportTemplates(db, tenantId, dir);
  assert.equal(files.length, ODD_TYPES.length + 3);
  assert.deepEqual(leftover, []);
  assert.deepEqual(await importTemplates(db, tenantId, dir), {
    published: [],
    unchanged: [...files].sort(),
  });
  assert.deepEqual(await showAll(db, tenantId), before);

  // The same in another tenant, where nothing is yet.
  const other = await createTenant(db, { name: "Other" });
  assert.equal((await importTemplates(db, other.id, dir)).published.length, files.length);
  const copied = await showAll(db, other.id);
  const ofText = (all: typeof before) =>
    all.map(({ eventType, channel, content, subject, title, url, actions, sampleVariables }) => ({
      ...{ eventType, channel, content, subject, title, url, actions, sampleVariables },
    }));
  assert.deepEqual(ofText(copied), ofText(before));
  assert.deepEqual((await importTemplates(db, other.id, dir)).published, []);
});

async function showAll(db: Parameters<typeof readTemplate>[0], tenantId: string) {
  const all = [];
  for (const { id, locales } of await readTemplates(db, tenantId)) {
    for (const locale of ["", ...locales.map((one) => one.locale)]) {
      const { updatedAt: _, hasDraft: __, ...shown } = await readTemplate(db, { id }, locale);
      all.push(shown);
    }
  }
  return all;
}

test("a file changed in the repository is published, with its translations outdated until they change, too", async (t) => {
  const { db, tenantId, dir, put } = await setUp(t);
  const key = { tenantId, eventType: "order", channel: "SMS" } as const;
  const { id } = await putTemplate(db, { ...key, content: "one" });
  await putTemplate(db, { ...key, content: "eins", locale: "de" });
  await exportTemplates(db, tenantId, dir);
  assert.equal(await readFile(join(dir, "order/SMS.de.txt"), "utf8"), "---\n---\neins");
  await put("README.md", "of no template");
  await put("order/.DS_Store", "");
  await put("order/SMS.txt", "---\r\nsensitive: yes\r\n---\r\ntwo\r\nlines");
  const before = await readConfigurationVersion(db);
  assert.deepEqual(await importTemplates(db, tenantId, dir, "ci"), {
    published: ["order/SMS.txt"],
    unchanged: ["order/SMS.de.txt"],
  });
  assert.notEqual(await readConfigurationVersion(db), before);
  const shown = await readTemplate(db, { id });
  assertHas(shown, { version: 3, content: "two\nlines", sensitive: true, savedBy: "ci" });
  assert.equal(shown.locales[0]?.outdated, true);
  await put("order/SMS.de.txt", "---\n---\nzwei");
  await importTemplates(db, tenantId, dir);
  assert.equal((await readTemplate(db, { id })).locales[0]?.outdated, false);
});

test("a file with other settings alone is told as published, though it makes no version", async (t) => {
  const { db, tenantId, dir, put } = await setUp(t);
  const sms = { tenantId, eventType: "a", channel: "SMS", content: "x", sensitive: true } as const;
  const { id } = await putTemplate(db, {
    ...sms,
    requiredVariables: ["code"],
    sampleVariables: '{"code":1}',
  });
  await put("a/SMS.txt", "---\n---\nx");
  const done = { published: ["a/SMS.txt"], unchanged: [] };
  assert.deepEqual(await importTemplates(db, tenantId, dir), done);
  // A setting that the file does not have is removed; sample variables stay.
  const settings = { sensitive: false, requiredVariables: [], sampleVariables: '{"code":1}' };
  assertHas(await readTemplate(db, { id }), { version: 1, ...settings });
  const again = { published: [], unchanged: ["a/SMS.txt"] };
  assert.deepEqual(await importTemplates(db, tenantId, dir), again);
});

test("a mail whose format changed leaves one file; what is no longer published is named", async (t) => {
  const { db, tenantId, dir, put } = await setUp(t);
  const mail = { tenantId, eventType: "a", channel: "EMAIL", subject: "s", content: "hi" } as const;
  await putTemplate(db, mail);
  await exportTemplates(db, tenantId, dir);
  assert.deepEqual(await readdir(join(dir, "a")), ["EMAIL.txt"]);
  await putTemplate(db, { ...mail, format: "markdown" });
  await put("a/EMAIL.fr.md", "gone");
  await put("a/notes.txt", "somebody's");
  assert.deepEqual((await exportTemplates(db, tenantId, dir)).leftover, ["a/EMAIL.fr.md"]);
  assert.deepEqual(await readdir(join(dir, "a")), ["EMAIL.fr.md", "EMAIL.md", "notes.txt"]);
});

test("an export names the folder of a template that is no longer there, and stops at no odd name", async (t) => {
  const { db, tenantId, dir, put } = await setUp(t);
  const sms = { tenantId, eventType: "a", channel: "SMS", content: "hi" } as const;
  await putTemplate(db, { ...sms, eventType: "b" });
  const { id } = await putTemplate(db, sms);
  assert.deepEqual((await exportTemplates(db, tenantId, dir)).leftover, []);
  await deleteTemplate(db, { id });
  await put("b/SMS.md/other", "somebody's");
  await put(".git/SMS.txt", "somebody's");
  assert.deepEqual((await exportTemplates(db, tenantId, dir)).leftover, ["a/SMS.txt"]);
  const mail = { ...sms, eventType: "b", channel: "EMAIL", subject: "s" } as const;
  await putTemplate(db, mail);
  await put("b/EMAIL.html/other", "somebody's");
  const { leftover } = await exportTemplates(db, tenantId, dir);
  assert.deepEqual(leftover, ["a/SMS.txt", "b/EMAIL.html"]);
});

test("everything is checked before anything is published, each fault with its file", async (t) => {
  const { db, tenantId, dir, put } = await setUp(t);
  await put("good/SMS.txt", "---\n---\nfine");
  await put("a/EMAIL.md", "---\nsubject: s\n---\nHello\n{{ open");
  await put("b/SMS.de.txt", "---\n---\nno default");
  await put("c/SMS.txt", "no head");
  await put("d/SMS.txt", "---\nsensitiv: yes\nsensitive: maybe\nactive: no\nactive: no\n---\nx");
  await put("e/EMIAL.md", "---\n---\nx");
  await put("f/SMS.html", "---\n---\nx");
  await put("g/SMS.DE.txt", "---\n---\nx");
  await put("h/EMAIL.txt", "---\nsubject: s\n---\nx");
  await put("h/EMAIL.md", "---\nsubject: s\n---\nx");
  await put("h/EMAIL.de.md", "---\nsubject: s\nsensitive: no\n---\nx");
  await put("i%/SMS.txt", "---\n---\nx");
  await put("j~1234/SMS.txt", "---\n---\nx");
  await put("k/SMS.txt", "---\nevent-type: other\n---\nx");
  await put("global.info/SMS.txt", "---\n---\nx");
  const messages = await faultsOf(importTemplates(db, tenantId, dir));
  const told = (start: string) =>
    assert.ok(
      messages.some((one) => one.startsWith(start)),
      start,
    );
  told("a/EMAIL.md: content line 2, column 1: ");
  told("b/SMS.de.txt: locale has no default variant");
  told("c/SMS.txt: file must begin with what is set");
  told("d/SMS.txt: sensitiv (line 2) is not known here");
  told("d/SMS.txt: sensitive (line 3) must be yes or no");
  told("d/SMS.txt: active (line 5) is there twice");
  told("e/EMIAL.md is no template");
  told("f/SMS.html is no template");
  told("g/SMS.DE.txt is no template");
  told("h/EMAIL.txt is for the same as h/EMAIL.md");
  told("h/EMAIL.de.md: sensitive is set in the file without a language");
  told("i% is no name of an event type");
  told("j~1234/SMS.txt must say its event-type");
  told("k/SMS.txt: event-type is not that of its folder");
  told("global.info/SMS.txt: eventType may begin with global.");
  assert.equal(messages.length, 15, messages.join("\n"));
  assert.deepEqual(await readTemplates(db, tenantId), []);
  await assert.rejects(importTemplates(db, "nobody", dir), NotFound);
});

test("links, folders in folders, what is too large and what is no text are refused, and nothing outside is touched", async (t) => {
  const { db, tenantId, dir, put } = await setUp(t);
  const refused = async (message: RegExp) => {
    const [first = ""] = await faultsOf(importTemplates(db, tenantId, dir));
    assert.match(first, message);
    for (const name of await readdir(dir)) await rm(join(dir, name), { recursive: true });
  };
  await put("a/SMS.txt", "---\n---\nx");
  await symlink(join(dir, "a"), join(dir, "b"));
  await refused(/^b is no folder/);
  await put("a/secret", "x");
  await symlink("/etc/hostname", join(dir, "a/SMS.txt"));
  await refused(/^a\/SMS.txt is no file/);
  await put("a/b/SMS.txt", "---\n---\nx");
  await refused(/^a\/b is no file/);
  await put("a/SMS.txt", "x".repeat(1024 * 1024 + 1));
  await refused(/^a\/SMS.txt is larger than 1 MiB/);
  await put("a/SMS.txt", Buffer.from([0xff, 0xff]));
  await refused(/^a\/SMS.txt is not UTF-8/);
  const many = `---\n${"  x\n".repeat(250_000)}---\nx`;
  await put("a/SMS.txt", many.replace("  x", "action: a=b"));
  await refused(/a\/SMS.txt/);
  await assert.rejects(
    importTemplates(db, tenantId, join(dir, "none")),
    /cannot read: there is no/,
  );

  const outside = await temporaryFolder(t, "outside");
  await writeFile(join(outside, "kept"), "kept");
  await putTemplate(db, { tenantId, eventType: "a", channel: "SMS", content: "x" });
  await symlink(outside, join(dir, "a"));
  assert.match((await faultsOf(exportTemplates(db, tenantId, dir)))[0] ?? "", /^cannot write a: /);
  await rm(join(dir, "a"));
  await mkdir(join(dir, "a"));
  await symlink(join(outside, "kept"), join(dir, "a/SMS.txt"));
  const [message] = await faultsOf(exportTemplates(db, tenantId, dir));
  assert.match(message ?? "", /^cannot write a\/SMS.txt: it is a link/);
  assert.deepEqual(await readdir(outside), ["kept"]);
  assert.equal(await readFile(join(outside, "kept"), "utf8"), "kept");
});

test("an import over what somebody published meanwhile is refused", async (t) => {
  const { db, tenantId, dir, put } = await setUp(t);
  await put("a/SMS.txt", "---\n---\nfrom the file");
  const prepared = await prepareImport(db, tenantId, await readTemplateFolder(dir));
  await putTemplate(db, { tenantId, eventType: "a", channel: "SMS", content: "hers" });
  await assert.rejects(saveImport(db, prepared), /version 1 was saved meanwhile/);
});

test("folders have names that every file system takes, and tell event types apart", () => {
  const names = folderNames(ODD_TYPES);
  for (const name of names.values()) {
    assert.match(name, /^(?!\.)[A-Za-z0-9_.%~-]{1,120}(?<!\.)$/);
    assert.doesNotMatch(name, /^(con|nul)(\.|$)/i);
  }
  assert.equal(new Set([...names.values()].map((name) => name.toLowerCase())).size, names.size);
  for (const [type, name] of names) assert.ok([type, null].includes(eventTypeOf(name) as string));
  assert.equal(folderNames(["order.confirmed"]).get("order.confirmed"), "order.confirmed");
});

test("a file says what is set as people write it", () => {
  const file = {
    content: "# Hi\n",
    subject: "Your order",
    actions: [{ label: "Track it", url: "https://example.com/{{ id }}" }],
    sensitive: true,
    plainCharacters: true,
    requiredVariables: ["id", "order total"],
    fromName: "{{ agent }} of Acme",
    replyTo: "help@example.com",
    cc: ["a@example.com", "b@example.com"],
    bcc: ["c@example.com"],
    sampleVariables: '{"id": 1}',
  };
  const text = writeTemplateFile(file);
  assert.equal(
    text,
    `---
subject: Your order
action: Track it=https://example.com/{{ id }}
sensitive: yes
plain-characters: yes
required-variables: id, order total
from-name: {{ agent }} of Acme
reply-to: help@example.com
cc: a@example.com, b@example.com
bcc: c@example.com
sample-variables:
  {"id": 1}
---
# Hi
`,
  );
  assert.deepEqual(readTemplateFile(text), { ok: true, file });
});
