import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "parse5";
import { compileTemplate } from "./compile.ts";
import { MAX_PUSH_BODY_CHARACTERS, MAX_PUSH_TITLE_CHARACTERS } from "./language/bounds.ts";
import { countCharacters } from "./language/characters.ts";
import { sampleEvents, withEventItems } from "./language/event-variables.ts";
import { createRenderer, type Rendered } from "./render.ts";
import type { TemplateSource } from "./source.ts";
import { STARTERS, type Starter } from "./starters.ts";

const SETTINGS = { locale: "en", timeZone: "Europe/Berlin" };

async function compiled(source: TemplateSource) {
  const result = await compileTemplate(source, { owner: "acme" });
  assert.ok(result.ok, JSON.stringify(result));
  assert.deepEqual(result.warnings, []);
  return result.compiled;
}

/** With all of its sample variables, and with none but those that it needs. */
function samplesOf({ sampleVariables, requiredVariables }: Starter): Record<string, unknown>[] {
  const least = [...requiredVariables, "$items"].map(
    (name) => [name, sampleVariables[name]] as const,
  );
  return [{ ...sampleVariables }, Object.fromEntries(least)];
}

async function rendered<Kind extends TemplateSource["kind"]>(
  source: TemplateSource & { kind: Kind },
  starter: Starter,
): Promise<Extract<Rendered, { ok: true; kind: Kind }>[]> {
  const render = createRenderer(await compiled(source));
  const required = starter.requiredVariables;
  return samplesOf(starter).map((samples) => {
    const { newest, events } = sampleEvents(samples, starter.digest !== undefined);
    const system = withEventItems(undefined, events.length, () =>
      events.map((variables) => ({ id: "", at: new Date(), variables })),
    );
    const message = render(newest, { ...SETTINGS, required, system });
    assert.ok(message.ok, JSON.stringify(message));
    assert.deepEqual(message.missing, []);
    const text = JSON.stringify(message);
    assert.doesNotMatch(text, /\{[{%]|NaN|undefined|null/);
    assert.equal(message.kind, source.kind);
    return message as Extract<Rendered, { ok: true; kind: Kind }>;
  });
}

const COLORFUL = {
  content: null,
  logoUrl: "https://acme.example/logo.png",
  brandName: "Acme & Sons",
  primaryColor: "#e0b000",
  backgroundColor: "#10203a",
  textColor: "#202020",
  footerText: "You have an account with **Acme**.\n[Settings]({{ settingsUrl }})",
  address: "Acme\n1 Road",
};

for (const starter of STARTERS) {
  test(`${starter.key}: the mail says all it has to say`, async () => {
    const { subject, content } = starter.email;
    const source = { kind: "email", subject, content, format: "markdown" } as const;
    for (const mail of await rendered(source, starter)) {
      assert.ok(mail.subject.trim() !== "");
      assert.doesNotMatch(mail.html, /href="(?:#|)"/);
      assert.doesNotMatch(mail.text, /\[\]|\(\)|,\s*[,.!]| [.,]|\bat\s*$/m, mail.text);
      assert.doesNotMatch(mail.text, /\n{3,}|^\n|\n$/);
    }
    await compiled({ ...source, layout: COLORFUL });
  });

  test(`${starter.key}: the mail loads nothing from anybody`, async () => {
    const { subject, content } = starter.email;
    const mail = await compiled({ kind: "email", subject, content, format: "markdown" });
    assert.ok(mail.kind === "email");
    assert.doesNotMatch(mail.html, /@import|@font-face|url\s*\(|<link|<script|<iframe|<v:|srcset/i);
    const addresses = /(?:src|background|href)\s*=\s*["']?([^"'\s>]*)/gi;
    for (const [, address = ""] of mail.html.matchAll(addresses)) {
      assert.match(address, /^\{\{\$?\w+\}\}$/);
    }
    assert.ok(parse(mail.html));
  });

  test(`${starter.key}: the short message has two segments at most`, async () => {
    for (const message of await rendered({ kind: "text", ...starter.text }, starter)) {
      assert.ok(message.segments <= 2, `${message.segments} segments: ${message.text}`);
      assert.equal(message.encoding, "GSM-7", message.text);
    }
  });

  test(`${starter.key}: the notification fits, and leads where it says`, async () => {
    const source = { kind: "notification", ...starter.notification } as const;
    for (const message of await rendered(source, starter)) {
      assert.ok(countCharacters(message.title) <= MAX_PUSH_TITLE_CHARACTERS);
      assert.ok(countCharacters(message.body) <= MAX_PUSH_BODY_CHARACTERS);
      assert.equal(message.url !== undefined, starter.notification.url !== undefined);
    }
  });
}

test("the comment digest has all events of its hour in its mail", async () => {
  const [starter] = STARTERS.filter(({ digest }) => digest !== undefined);
  assert.ok(starter);
  const [mail] = await rendered({ kind: "email", ...starter.email, format: "markdown" }, starter);
  assert.equal(mail?.subject, "3 new comments on Autumn roadmap");
  for (const author of ["Grace", "Alan", "Edsger"]) assert.ok(mail?.text.includes(author));
});

test("a starter with a code or a link that gives access is sensitive", () => {
  const sensitive = STARTERS.filter(({ sensitive }) => sensitive).map(({ key }) => key);
  assert.deepEqual(sensitive, ["verify-address", "one-time-code", "password-reset"]);
  assert.equal(new Set(STARTERS.map(({ key }) => key)).size, 8);
});
