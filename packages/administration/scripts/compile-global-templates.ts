import { writeFile } from "node:fs/promises";
import { PLATFORM } from "@belfry/contracts/identifiers";
import { compileTemplate } from "@belfry/templates/compile";
import { GLOBAL_TEMPLATE_SOURCES } from "./global-template-sources.ts";

/**
 * Made the data of migration 0004, once: a migration must do the same on every day, so it holds what
 * was compiled and calls no compiler. Later changes of the platform's templates are a migration of
 * their own.
 */
const FILE = new URL("../../database/migrations/0004-global-templates.json", import.meta.url);

const rows = [];
for (const { eventType, targetChannel, source } of GLOBAL_TEMPLATE_SOURCES) {
  const result = await compileTemplate(source, PLATFORM);
  if (!result.ok)
    throw new Error(`${eventType} ${source.channel}: ${JSON.stringify(result.faults)}`);
  rows.push({
    eventType,
    channel: source.channel,
    content: source.content,
    subject: source.channel === "EMAIL" ? source.subject : null,
    title: source.channel === "PUSH" ? source.title : null,
    targetChannel,
    compiled: result.compiled,
  });
}
await writeFile(FILE, `${JSON.stringify(rows, null, 2)}\n`);
