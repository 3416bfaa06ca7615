import type { Database } from "@belfry/database/connection";
import { NotFound } from "../input-error.ts";
import { type TemplateVersionRow, templateVersion, versionsOfTemplate } from "./template-rows.ts";
import {
  type PreparedTemplate,
  prepareTemplate,
  requireTemplate,
  type TemplateAddress,
} from "./templates.ts";

export type TemplateVersion = TemplateVersionRow;

/** Newest first, without their content. Throws `NotFound`. */
export async function listTemplateVersions(
  db: Database,
  address: TemplateAddress,
): Promise<Omit<TemplateVersion, "content">[]> {
  return await versionsOfTemplate(db, (await requireTemplate(db, address)).id);
}

/** Throws `NotFound`. */
export async function showTemplateVersion(
  db: Database,
  address: TemplateAddress,
  version: number,
): Promise<TemplateVersion> {
  const { id } = await requireTemplate(db, address);
  const found = Number.isInteger(version) ? await templateVersion(db, id, version) : undefined;
  if (found === undefined) throw new NotFound("version", `the template has no version ${version}`);
  return found;
}

/** An older version, to be saved again as the newest; active or not stays. Throws `NotFound`, `InvalidInput`. */
export async function prepareTemplateVersion(
  db: Database,
  address: TemplateAddress,
  version: number,
  createdBy?: string,
): Promise<PreparedTemplate> {
  const { tenantId, eventType, channel, active } = await requireTemplate(db, address);
  const old = await showTemplateVersion(db, address, version);
  return await prepareTemplate(db, {
    tenantId,
    eventType,
    channel,
    active,
    content: old.content,
    subject: old.subject ?? undefined,
    title: old.title ?? undefined,
    targetChannel: old.targetChannel ?? undefined,
    sensitive: old.sensitive,
    atMostOnce: old.atMostOnce,
    expiresAfterSeconds: old.expiresAfterSeconds ?? undefined,
    sampleVariables: old.sampleVariables ?? undefined,
    createdBy,
  });
}
