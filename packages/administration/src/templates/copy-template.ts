import { type Database, inTransaction } from "@belfry/database/connection";
import { findDraft } from "./draft-rows.ts";
import { saveDraft } from "./drafts.ts";
import { settingsInput } from "./template-rows.ts";
import { textInput } from "./template-text.ts";
import { requireTemplate, showTemplate, type Template, type TemplateAddress } from "./templates.ts";
import { findVariant, localesOfTemplates } from "./variant-rows.ts";

/**
 * Copies a template to another event type, or another tenant, in all its languages and with what is set
 * for them: what is being written where there is a draft, else what is published. The copy is made of
 * drafts; where the other template has drafts already nothing is changed. Throws `NotFound`,
 * `InvalidInput`, `Conflict`.
 */
export async function copyTemplate(
  db: Database,
  address: TemplateAddress,
  to: { tenantId: string; eventType: string; createdBy?: string | undefined },
): Promise<Template> {
  return await inTransaction(db, async (transaction) => {
    const row = await requireTemplate(transaction, address);
    let copyId = "";
    for (const { locale } of await localesOfTemplates(transaction, {
      tenantId: row.tenantId,
      templateId: row.id,
    })) {
      const draft = await findDraft(transaction, row.id, locale);
      const text = draft ?? (await findVariant(transaction, row.id, locale));
      if (text === undefined) continue;
      const saved = await saveDraft(transaction, {
        ...{ ...to, channel: row.channel, locale, revision: 0 },
        ...textInput(text),
        ...(locale === "" ? settingsInput(row) : {}),
        // Of a template that was never published the draft alone knows that it is sensitive.
        ...draft?.settings,
      });
      copyId = saved.templateId;
    }
    return await showTemplate(transaction, { id: copyId });
  });
}
