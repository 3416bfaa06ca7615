import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createHome } from "../test/home.ts";

async function createBelfry(t: TestContext) {
  const { json, fails, home, file, entries } = await createHome(t);
  const { id: tenant } = await json("tenant create --name Acme");
  const audited = async () => {
    const ofTenant = (await entries()).filter(({ tenant_id }) => tenant_id === tenant);
    const [created, ...told] = ofTenant.map((entry) => entry.told as string);
    assert.equal(created, "tenant.create Acme");
    return told;
  };
  return { json, fails, home, file, tenant: tenant as string, audited };
}

test("a mail in Markdown, its translation and its drafts by the command line, each in the audit log", async (t) => {
  const { json, fails, tenant, audited } = await createBelfry(t);
  const key = ["--tenant", tenant, "--event-type", "order", "--channel", "EMAIL"];
  const put = ["template", "put", ...key, "--content-file", "-", "--subject", "Order {{id}}"];
  const names = ["--required-variables", "id, name"];
  const first = await json([...put, "--format", "markdown", ...names], "# Order {{id}}\n");
  assert.deepEqual([first.version, first.format], [1, "markdown"]);
  assert.deepEqual(first.requiredVariables, ["id", "name"]);
  // Settings that are left out stay, and an unchanged text makes no version.
  const again = await json([...put, "--sensitive"], "# Order {{id}}\n");
  assert.deepEqual(
    [again.version, again.format, again.requiredVariables.length, again.sensitive],
    [1, "markdown", 2, true],
  );
  const sender = ["--from-name", "{{agent}} of Acme", "--reply-to", "help@example.com"];
  const copies = ["--cc", "a@example.com, b@example.com", "--bcc", "c@example.com"];
  const said = await json([...put, "--sensitive", ...sender, ...copies], "# Order {{id}}\n");
  const of = ({ version, fromName, replyTo, cc, bcc }: typeof said) => [
    ...[version, fromName, replyTo, cc, bcc],
  ];
  assert.deepEqual(of(said), [
    ...[1, "{{agent}} of Acme", "help@example.com"],
    ...[["a@example.com", "b@example.com"], ["c@example.com"]],
  ]);
  await fails(
    [...put, "--cc", "nobody"],
    /--cc must have only email addresses/,
    "# Order {{id}}\n",
  );
  const none = ["--from-name", "", "--reply-to", "", "--cc", "", "--bcc", ""];
  const cleared = await json([...put, "--sensitive", ...none], "# Order {{id}}\n");
  assert.deepEqual(of(cleared), [1, null, null, null, null]);
  const german = await json([...put, "--locale", "DE-at"], "# Bestellung {{id}}\n");
  assert.deepEqual([german.version, german.sensitive], [2, true]);
  assert.deepEqual(german.locales[0], {
    ...{ locale: "de-AT", version: 2, outdated: false, draft: false },
  });

  const draft = await json([...put, "--draft", "--required-variables", ""], "# Your {{id}}\n");
  assert.deepEqual([draft.content, draft.basedOnVersion], ["# Your {{id}}\n", 1]);
  assert.equal((await json(["template", "show", ...key])).hasDraft, true);
  assert.equal((await json(["template", "draft", "show", ...key])).revision, draft.revision);
  const published = await json(["template", "publish", ...key]);
  assert.deepEqual([published.version, published.content], [3, "# Your {{id}}\n"]);
  assert.deepEqual(published.requiredVariables, []);
  await fails(["template", "publish", ...key], /--locale: the template has no draft/);
  await fails([...put, "--draft", "--inactive"], /--inactive does not go with --draft/, "# Off\n");
  await json([...put, "--draft", "--locale", "de-AT"], "# Deine {{id}}\n");
  const discard = ["template", "draft", "discard", ...key, "--locale", "de-AT"];
  assert.equal((await json(discard)).content, "# Deine {{id}}\n");

  assert.deepEqual(
    (await json(["template", "versions", first.id])).map((one: { version: number }) => one.version),
    [3, 2, 1],
  );
  const restored = await json(["template", "restore", first.id, "--version", "1"]);
  assert.deepEqual([restored.version, restored.content], [4, "# Order {{id}}\n"]);
  const shown = await json(["template", "show", first.id, "--locale", "de-AT"]);
  assert.equal(shown.content, "# Bestellung {{id}}\n");
  assert.equal(shown.locales[0].outdated, true);
  const seen = await json(["template", "preview", ...key, "--locale", "de-at"]);
  assert.match(seen.html, /Bestellung/);
  const typed = ["template", "preview", "--tenant", tenant, "--channel", "EMAIL", "--subject", "s"];
  const unsaved = await json([...typed, "--format", "markdown", "--content-file", "-"], "**x**");
  assert.match(unsaved.html, /Acme[\s\S]*<strong>x<\/strong>/);
  await json(["template", "delete", ...key, "--locale", "de-AT"]);
  assert.deepEqual((await json(["template", "show", ...key])).locales, []);
  assert.deepEqual(await audited(), [
    ...Array(4).fill("template.save order EMAIL"),
    "template.save order EMAIL de-AT",
    "template.draft order EMAIL",
    "template.publish order EMAIL",
    "template.draft order EMAIL de-AT",
    "template.discard-draft order EMAIL de-AT",
    "template.restore order EMAIL",
    "template.remove-language order EMAIL de-AT",
  ]);
});

test("timing is set option by option; what is left out stays, and --no-… takes it away", async (t) => {
  const { json, fails, tenant } = await createBelfry(t);
  const key = ["--tenant", tenant, "--event-type", "comment", "--channel", "SMS"];
  const put = ["template", "put", ...key, "--content-file", "-"];
  const saved = async (...flags: string[]) => {
    const { digest, throttle, afterUnreadSeconds } = await json([...put, ...flags], "Hi");
    return [digest, throttle, afterUnreadSeconds];
  };
  const unread = ["--after-unread-seconds", "600"];
  assert.deepEqual(
    await saved("--digest-window-seconds", "3600", "--digest-key", "post", "--throttle", "5/60"),
    [{ windowSeconds: 3600, key: "post" }, { count: 5, seconds: 60 }, null],
  );
  assert.deepEqual(await saved("--digest-sliding", "--digest-max-seconds", "7200", ...unread), [
    { windowSeconds: 3600, sliding: true, maxSeconds: 7200, key: "post" },
    { count: 5, seconds: 60 },
    600,
  ]);
  assert.deepEqual(
    await saved("--digest-at", "09:00", "--digest-days", "mon,thu", "--no-throttle"),
    [{ at: "09:00", days: [1, 4], key: "post" }, null, 600],
  );
  assert.deepEqual(await saved("--digest-window-seconds", "60", "--no-after-unread"), [
    { windowSeconds: 60, key: "post" },
    null,
    null,
  ]);
  assert.deepEqual(await saved("--no-digest"), [null, null, null]);
  await fails([...put, "--digest-key", "a"], /--digest must have either a window/, "Hi");
  await fails(
    [...put, "--throttle", "5"],
    /--throttle must be a number by seconds, as 5\/3600/,
    "Hi",
  );
  await fails(
    [...put, "--digest-at", "09:00", "--digest-days", "x"],
    /--digest-days must be/,
    "Hi",
  );
  await fails([...put, "--no-digest", "--digest-at", "09:00"], /--no-digest does not go/, "Hi");
});

test("a push says where it leads, with two buttons at most", async (t) => {
  const { json, fails, tenant } = await createBelfry(t);
  const key = ["--tenant", tenant, "--event-type", "order", "--channel", "PUSH"];
  const put = ["template", "put", ...key, "--content-file", "-", "--title", "T"];
  const links = ["--url", "/orders/{{id}}", "--action", "Track=https://example.com/?a=b"];
  const saved = await json([...put, ...links, "--action", "Help=/help"], "C");
  assert.equal(saved.url, "/orders/{{id}}");
  assert.deepEqual(saved.actions, [
    { label: "Track", url: "https://example.com/?a=b" },
    { label: "Help", url: "/help" },
  ]);
  const three = ["--action", "a=/a", "--action", "b=/b", "--action", "c=/c"];
  await fails([...put, ...three], /--action must be at most 2/, "C");
  await fails([...put, "--action", "nothing"], /Label=URL/, "C");
  await fails([...put, "--url", "http://example.com"], /--url /, "C");
  await fails([...put, "--format", "markdown"], /--format is only for EMAIL/, "C");
  await fails([...put, "--format", "rtf"], /--format.*markdown, mjml, html, text/, "C");
  await fails([...put, "--locale", "german"], /--locale.*BCP 47/, "C");
  const other = ["template", "put", "--tenant", tenant, "--event-type", "x", "--channel", "SMS"];
  await fails([...other, "--content-file", "-", "--locale", "de"], /--locale has no default/, "C");
});

test("a layout is put around every mail in Markdown; what is left out of it stays", async (t) => {
  const { json, fails, file, tenant, audited } = await createBelfry(t);
  const of = ["--tenant", tenant];
  const put = ["template", "put", ...of, "--event-type", "a", "--channel", "EMAIL"];
  const { id } = await json(
    [...put, "--format", "markdown", "--subject", "s", "--content-file", "-"],
    "# Hi",
  );
  const mjml =
    "<mjml><mj-body><mj-section><mj-column><mj-text>Ours</mj-text>{{ $content }}</mj-column></mj-section></mj-body></mjml>";
  await file("layout.mjml", mjml);
  const saved = await json(["layout", "put", ...of, "--content-file", "layout.mjml"]);
  assert.deepEqual([saved.version, saved.content, saved.recompiled], [1, mjml, 1]);
  assert.match((await json(["template", "preview", id])).html, /Ours[\s\S]*Hi/);
  const looks = ["--logo-url", "https://example.com/a.png", "--primary-color", "#AA0000"];
  const colors = ["--background-color", "#ffffff", "--text-color", "#000000"];
  const words = ["--footer-text", "Bye", "--address", "Vienna"];
  const { content, ...rest } = await json(["layout", "put", ...of, ...looks, ...colors, ...words]);
  assert.equal(content, mjml);
  assert.deepEqual(
    [rest.logoUrl, rest.primaryColor, rest.backgroundColor, rest.textColor],
    ["https://example.com/a.png", "#aa0000", "#ffffff", "#000000"],
  );
  assert.deepEqual([rest.footerText, rest.address, rest.version], ["Bye", "Vienna", 2]);
  assert.equal((await json(["layout", "put", ...of, "--address", ""])).address, null);
  assert.equal((await json(["layout", "show", ...of, "--version", "2"])).address, "Vienna");
  await fails(["layout", "put", ...of, "--primary-color", "red"], /--primary-color must be a/);
  await fails(["layout", "put", ...of, "--content-file", "-"], /--content-file line 1/, "<mjml>");
  assert.equal((await json(["layout", "remove", ...of])).content, null);
  assert.equal((await json(["layout", "versions", ...of])).length, 4);
  assert.doesNotMatch((await json(["template", "preview", id])).html, /Ours/);
  assert.deepEqual(await audited(), [
    "template.save a EMAIL",
    ...["layout.publish layout", "layout.publish layout", "layout.publish layout"],
    "layout.remove layout",
  ]);
});

test("templates go into a directory, into another tenant, and to another event type", async (t) => {
  const { json, fails, home, file, tenant, audited } = await createBelfry(t);
  const put = ["template", "put", "--tenant", tenant, "--event-type", "a", "--channel", "SMS"];
  const { id } = await json([...put, "--content-file", "-", "--sensitive"], "Hi");
  const exported = await json(["template", "export", "out", "--tenant", tenant]);
  assert.deepEqual(exported, { files: ["a/SMS.txt"], leftover: [] });
  assert.equal(await readFile(join(home, "out/a/SMS.txt"), "utf8"), "---\nsensitive: yes\n---\nHi");
  await file("out/a/SMS.txt", "---\n---\nHello");
  const take = ["template", "import", "out", "--tenant", tenant];
  assert.deepEqual(await json([...take, "--dry-run"]), { checked: ["a/SMS.txt"] });
  assert.equal((await json(["template", "show", id])).version, 1);
  assert.deepEqual(await json(take), { published: ["a/SMS.txt"], unchanged: [] });
  assert.equal((await json(["template", "show", id])).version, 2);
  await file("out/a/SMS.txt", "---\n---\n{{ open");
  await fails(take, /error: DIR a\/SMS.txt: content line 1, column 1/);
  const { id: other } = await json(["tenant", "create", "--name", "Other"]);
  const copy = await json(["template", "copy", id, "--to-event-type", "b", "--to-tenant", other]);
  assert.deepEqual([copy.tenantId, copy.eventType, copy.hasDraft], [other, "b", true]);
  assert.deepEqual(await audited(), ["template.save a SMS", "template.import 1 published"]);
});

test("a tenant has a language and a time zone", async (t) => {
  const { json, fails, tenant } = await createBelfry(t);
  const update = ["tenant", "update", tenant];
  const set = await json([...update, "--default-locale", "de-at", "--timezone", "Europe/Vienna"]);
  assert.deepEqual([set.defaultLocale, set.timezone], ["de-AT", "Europe/Vienna"]);
  const kept = await json([...update, "--timezone", "none"]);
  assert.deepEqual([kept.defaultLocale, kept.timezone], ["de-AT", null]);
  await fails([...update, "--timezone", "Mars/Olympus"], /--timezone must be a time zone/);
  await fails([...update, "--default-locale", "german"], /--default-locale must be a language/);
});
