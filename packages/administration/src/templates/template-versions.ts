import type { Database } from "@belfry/database/connection";
import { emailFormat } from "@belfry/templates/email-format";
import { NotFound } from "../input-error.ts";
import { type PreparedTemplate, prepareTemplate } from "./put-template.ts";
import { textInput } from "./template-text.ts";
import { requireTemplate, type TemplateAddress } from "./templates.ts";
import { templateVersion, versionsOfTemplate } from "./variant-rows.ts";

/** Of all languages, newest first, without their content. Throws `NotFound`. */
export async function listTemplateVersions(db: Database, address: TemplateAddress) {
  return await versionsOfTemplate(db, (await requireTemplate(db, address)).id);
}

/** Throws `NotFound`. */
export async function showTemplateVersion(db: Database, address: TemplateAddress, version: number) {
  const { id } = await requireTemplate(db, address);
  const found = Number.isInteger(version) ? await templateVersion(db, id, version) : undefined;
  if (found === undefined) throw new NotFound("version", `the template has no version ${version}`);
  return found;
}

/**
 * The text of an older version, to be published again in its language; what is set for all languages
 * stays, and so does active or not. Throws `NotFound`, `InvalidInput`.
 */
export async function prepareTemplateVersion(
  db: Database,
  address: TemplateAddress,
  version: number,
  createdBy?: string,
): Promise<PreparedTemplate> {
  const old = await showTemplateVersion(db, address, version);
  const template = await requireTemplate(db, address, old.locale);
  const { tenantId, eventType, channel } = template;
  const prepared = await prepareTemplate(db, {
    ...{ tenantId, eventType, channel, createdBy },
    ...textInput(old),
    locale: old.locale,
    // Where the variant has a format by now, that of the old text is said, as it was found out then.
    format: old.format ?? (template.format === null ? undefined : emailFormat(old.content)),
  });
  return { ...prepared, keeps: "settings" };
}
