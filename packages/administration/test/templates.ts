import type { Database } from "@belfry/database/connection";
import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { type Act, type ActServices, type Given, runAct } from "../src/act.ts";
import * as copying from "../src/templates/copy-template.ts";
import * as drafts from "../src/templates/drafts.ts";
import * as layouts from "../src/templates/layouts.ts";
import type { LayoutInput } from "../src/templates/publish-layout.ts";
import * as putting from "../src/templates/put-template.ts";
import * as exporting from "../src/templates/template-files.ts";
import * as importing from "../src/templates/template-files.ts";
import { readTemplateFolder, writeTemplateFolder } from "../src/templates/template-folder.ts";
import type { TemplateInput } from "../src/templates/template-input.ts";
import * as templates from "../src/templates/templates.ts";

/** For tests: the acts on templates as somebody who may run them all, with the address within the input. */

export const putTemplate = (db: Database, input: TemplateInput) =>
  run(db, putting.putTemplate, input);

export const saveDraft = (db: Database, input: drafts.DraftInput) =>
  run(db, drafts.putDraft, input);

type Found = Parameters<typeof templates.requireTemplate>[1];
type Variant = Found & { locale?: string | undefined; revision?: number | undefined };

export const publishDraft = async (db: Database, variant: Variant, createdBy?: string) =>
  await run(db, drafts.publishDraft, { ...(await addressed(db, variant)), createdBy });

export const discardDraft = async (db: Database, variant: Variant, revision?: number) =>
  await run(db, drafts.discardDraft, { ...(await addressed(db, variant)), revision });

export const setTemplateActive = async (db: Database, address: Found, active: boolean) => {
  const act = active ? templates.activateTemplate : templates.deactivateTemplate;
  return await run(db, act, await addressed(db, address));
};

export const deleteTemplate = async (db: Database, address: Found) =>
  await run(db, templates.deleteTemplate, await addressed(db, address));

export const deleteTranslation = async (db: Database, address: Found, locale: string) =>
  await run(db, templates.deleteTemplate, { ...(await addressed(db, address)), locale });

export const copyTemplate = async (
  db: Database,
  address: Found,
  { tenantId, eventType, createdBy }: { tenantId: string; eventType: string; createdBy?: string },
) => {
  const to = { toEventType: eventType, toTenant: tenantId, createdBy };
  return await run(db, copying.copyTemplate, { ...(await addressed(db, address)), ...to });
};

export const putLayout = (db: Database, input: LayoutInput) => run(db, layouts.putLayout, input);

export const removeLayout = (db: Database, tenantId: string, createdBy?: string) =>
  run(db, layouts.removeLayout, { tenantId, createdBy });

export const exportTemplates = async (db: Database, tenantId: string, dir: string) => {
  const { files } = await run(db, exporting.exportTemplates, { tenantId });
  return { files: Object.keys(files), leftover: await writeTemplateFolder(dir, files) };
};

export const importTemplates = async (
  db: Database,
  tenantId: string,
  dir: string,
  createdBy?: string,
) => {
  const files = await readTemplateFolder(dir);
  const { published = [], unchanged = [] } = await run(db, importing.importTemplates, {
    tenantId,
    createdBy,
    files,
  });
  return { published, unchanged };
};

async function addressed<T extends Found>(db: Database, address: T) {
  const { tenantId, eventType, channel } = await templates.requireTemplate(db, address);
  const { id: _, ...rest } = { id: "", ...address };
  return { ...rest, tenantId, eventType, channel };
}

/** `createdBy`: whose address the actor has. */
function run<
  I extends TObject,
  O extends TSchema,
  T extends { tenantId: string; createdBy?: string | undefined },
>(db: Database, act: Act<I, O>, { tenantId, createdBy, ...input }: T): Promise<Static<O>> {
  const actor = { personId: null, person: `a test <${createdBy}>`, address: "127.0.0.1" };
  if (createdBy === undefined) actor.person = "a test";
  const caller = { db, tenantId, actor, services: {} as ActServices, may: () => true };
  const given = input as unknown as Given<Static<I>>;
  // Within a test's own transaction, to hold others up.
  if (db.isTransaction) return ownRun(act, caller, given as Static<I>);
  return runAct(act, caller, given);
}

async function ownRun<I extends TObject, O extends TSchema>(
  act: Act<I, O>,
  caller: Parameters<typeof act.run>[0],
  input: Static<I>,
): Promise<Static<O>> {
  return (await act.run(caller, input, await act.prepare?.(caller, input))).output;
}
