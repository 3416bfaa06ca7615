import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { PROVIDER_KINDS } from "@belfry/providers/kinds";
import { messagesOfScript, messagesOfView } from "../src/page/translate-source.ts";

const SOURCES = join(import.meta.dirname, "../src");

/** Every English text of the Admin UI that a catalogue translates, with the file that says it. */
export async function allMessages(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const file of glob("**/*.{eta,js,ts}", { cwd: SOURCES })) {
    if (/\.test\.ts$|under-test|^test-/.test(file)) continue;
    const source = await readFile(join(SOURCES, file), "utf8");
    for (const message of [...messagesOf(file, source), ...countedNouns(source)]) {
      if (!found.has(message)) found.set(message, file);
    }
  }
  for (const message of settingsTexts()) found.set(message, "the settings of providers");
  return found;
}

/** What the form of a provider is drawn from. */
function settingsTexts(): string[] {
  const kinds = Object.values(PROVIDER_KINDS).flat();
  return kinds.flatMap(({ settings, receipts }) => {
    const fields = Object.values(settings.properties).flatMap(({ title, description, anyOf }) => [
      ...[title, description],
      ...((anyOf as { title: string }[] | undefined) ?? []).map((choice) => choice.title),
    ]);
    return [...fields, receipts?.setUp?.text].filter((text) => typeof text === "string");
  });
}

function messagesOf(file: string, source: string): string[] {
  if (file.endsWith(".eta")) return messagesOfView(source);
  return file.endsWith(".js") ? messagesOfScript(source) : saidMessages(source);
}

/** Of say`…` and phrase("…"), as their functions make the keys. */
function saidMessages(source: string): string[] {
  const said = [...source.matchAll(/\bsay`((?:[^`\\$]|\\.|\$\{(?:[^{}`]|`[^`]*`)*\})*)`/g)].map(
    ([, text = ""]) => {
      let places = 0;
      return text.replaceAll(/\$\{(?:[^{}`]|`[^`]*`)*\}/g, () => `{${places++}}`);
    },
  );
  const phrases = [...source.matchAll(/\bphrase\(\s*"((?:[^"\\]|\\.)*)"/g)].map(
    ([, text = ""]) => text,
  );
  return [...said, ...phrases].filter((text) => /\p{L}/u.test(text.replaceAll(/\{\d+\}/g, "")));
}

/** Of counted(n, "event", "events"). */
function countedNouns(source: string): string[] {
  const calls = source.matchAll(/\bcounted\([^;]*?,\s*"([a-z -]+)"(?:,\s*"([a-z -]+)")?\s*\)/g);
  return [...calls].flatMap(([, one = "", many = `${one}s`]) => [`{0} ${one}`, `{0} ${many}`]);
}
