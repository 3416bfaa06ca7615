import type { Channel } from "@belfry/contracts/channels";
import type { Database } from "@belfry/database/connection";
import { TEXT_COLUMNS, type TemplateText } from "./template-text.ts";

/** What is in force of a tenant in Markdown: what its layout stands around. */
export interface MarkdownVariant extends TemplateText {
  templateId: string;
  eventType: string;
  channel: Channel;
  locale: string;
  versionId: string;
  version: number;
  sourceVersion: number | null;
  compiled: unknown;
}

/** By template, its default variant last. `hold` keeps others from publishing until the transaction ends. */
export async function markdownVariants(
  db: Database,
  tenantId: string,
  { hold = false } = {},
): Promise<MarkdownVariant[]> {
  if (hold) {
    await db
      .selectFrom("templates")
      .select("id")
      .where("tenant_id", "=", tenantId)
      .orderBy("id")
      .forNoKeyUpdate()
      .execute();
  }
  return await db
    .selectFrom("templates as t")
    .innerJoin("template_variants as l", "l.template_id", "t.id")
    .innerJoin("template_versions as v", "v.id", "l.current_version_id")
    .select([
      ...(["t.id as templateId", "t.event_type as eventType", "t.channel"] as const),
      ...(["l.locale", "l.source_version as sourceVersion"] as const),
      ...(["v.id as versionId", "v.version", "v.compiled", ...TEXT_COLUMNS] as const),
    ])
    .where("t.tenant_id", "=", tenantId)
    .where("v.format", "=", "markdown")
    .orderBy("t.id")
    .orderBy("l.locale", "desc")
    .execute();
}
