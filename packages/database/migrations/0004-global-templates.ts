import { readFile } from "node:fs/promises";
import { type Kysely, sql } from "kysely";
import { uuidv7 } from "uuidv7";

/** A row of the data file; `compiled` is what rendering takes. */
interface GlobalTemplate {
  eventType: string;
  channel: string;
  content: string;
  subject: string | null;
  title: string | null;
  targetChannel: string | null;
  compiled: object;
}

const DATA = new URL("./0004-global-templates.json", import.meta.url);

/**
 * The platform's templates of all five `global.*` types on all three channels, compiled already.
 * A template that an operator has made before stays as it is.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const templates = JSON.parse(await readFile(DATA, "utf8")) as GlobalTemplate[];
  for (const template of templates) {
    const { eventType, channel, content, subject, title, targetChannel, compiled } = template;
    await sql`
      with made as (
        insert into templates (id, tenant_id, event_type, channel)
        values (${uuidv7()}, 'platform', ${eventType}, ${channel})
        on conflict (tenant_id, event_type, channel) do nothing
        returning id
      )
      insert into template_versions (template_id, version, content, subject, title, target_channel, compiled)
      select made.id, 1, ${content}, ${subject}, ${title}, ${targetChannel}, ${JSON.stringify(compiled)}::jsonb
      from made`.execute(db);
  }
  // A statement of its own: a row cannot be inserted and updated in one.
  await sql`
    update templates t set current_version_id = v.id
    from template_versions v
    where v.template_id = t.id and t.tenant_id = 'platform' and t.current_version_id is null`.execute(
    db,
  );
}
