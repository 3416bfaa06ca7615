import type { Database } from "@belfry/database/connection";
import { putInForce } from "./variant-rows.ts";

/** By template, its default variant last. `hold` keeps others from publishing until the transaction ends. */
export async function markdownVariants(db: Database, tenantId: string, { hold = false } = {}) {
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
      ...([
        "t.tenant_id as tenantId",
        "t.id as templateId",
        "t.event_type as eventType",
        "t.channel",
      ] as const),
      ...(["l.locale", "l.source_version as sourceVersion"] as const),
      ...(["v.id as versionId", "v.version"] as const),
    ])
    .where("t.tenant_id", "=", tenantId)
    .where("v.format", "=", "markdown")
    .orderBy("t.id")
    .orderBy("l.locale", "desc")
    .execute();
}

/** What is in force of a tenant in Markdown: what its layout stands around. */
export type MarkdownVariant = Awaited<ReturnType<typeof markdownVariants>>[number];

/** Its text, read one by one: together they may be large. */
export async function readMarkdown(db: Database, { versionId }: MarkdownVariant) {
  return await db
    .selectFrom("template_versions")
    .select(["content", "subject", "compiled"])
    .where("id", "=", versionId)
    .executeTakeFirst();
}

/** Publishes the same text, compiled anew. Returns the version. Call with the templates held. */
export async function publishAnew(
  db: Database,
  variant: MarkdownVariant,
  compiled: string,
  createdBy: string | null,
): Promise<number> {
  const { tenantId, templateId, locale, sourceVersion, versionId } = variant;
  const made = await db
    .insertInto("template_versions")
    .columns([
      ...(["template_id", "version", "locale", "content", "subject", "format"] as const),
      ...(["compiled", "created_by"] as const),
    ])
    .expression((from) =>
      from
        .selectFrom("template_versions as v")
        .select((select) => [
          ...(["v.template_id"] as const),
          select
            .selectFrom("template_versions as n")
            .select((n) => n(n.fn.max("n.version"), "+", 1).as("version"))
            .whereRef("n.template_id", "=", "v.template_id")
            .as("version"),
          ...(["v.locale", "v.content", "v.subject", "v.format"] as const),
          select.cast<string>(select.val(compiled), "jsonb").as("compiled"),
          select.val(createdBy).as("created_by"),
        ])
        .where("v.id", "=", versionId),
    )
    .returning(["id", "version"])
    .executeTakeFirstOrThrow();
  await putInForce(db, { tenantId, templateId, locale, sourceVersion }, made.id);
  return made.version;
}
