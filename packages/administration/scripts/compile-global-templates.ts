import { writeFile } from "node:fs/promises";
import { PLATFORM } from "@belfry/contracts/identifiers";
import { compileTemplate } from "@belfry/templates/compile";
import { GLOBAL_TEMPLATE_SOURCES } from "./global-template-sources.ts";

/**
 * Made the migration of the platform's templates, once: a migration must do the same on every day, so
 * it holds what was compiled and calls no compiler. Later changes are a migration of their own.
 */
const FILE = new URL("../../database/schema/0002-platform-templates.sql", import.meta.url);
const HEAD = `-- The platform's templates of all five global.* types on every channel, compiled already. A template
-- that an operator has made before stays as it is.
with given as (
  select * from jsonb_to_recordset($json$[
`;
const TAIL = `
  ]$json$) as given (event_type text, channel text, content text, subject text, title text,
    target_channel text, compiled jsonb)
),
made as (
  insert into templates (id, tenant_id, event_type, channel, target_channel)
  select gen_random_uuid(), 'platform', given.event_type, given.channel, given.target_channel from given
  on conflict (tenant_id, event_type, channel) do nothing
  returning id, event_type, channel
),
versions as (
  insert into template_versions (template_id, version, content, subject, title, compiled)
  select made.id, 1, given.content, given.subject, given.title, given.compiled
  from made join given using (event_type, channel)
  returning id, template_id
)
insert into template_variants (template_id, current_version_id) select template_id, id from versions;
`;

const rows: string[] = [];
for (const { eventType, channel, targetChannel, source } of GLOBAL_TEMPLATE_SOURCES) {
  const result = await compileTemplate(source, { owner: PLATFORM });
  if (!result.ok) throw new Error(`${eventType} ${channel}: ${JSON.stringify(result.faults)}`);
  const row = {
    event_type: eventType,
    channel,
    content: source.content,
    subject: source.kind === "email" ? source.subject : null,
    title: source.kind === "notification" ? source.title : null,
    target_channel: targetChannel,
    compiled: result.compiled,
  };
  rows.push(`    ${JSON.stringify(row)}`);
}
await writeFile(FILE, HEAD + rows.join(",\n") + TAIL);
