import { isDeepStrictEqual } from "node:util";
import { field } from "@belfry/contracts/fields";
import type { Database } from "@belfry/database/connection";
import { Type } from "@sinclair/typebox";
import { type ActContext, defineAct, defineRead, EDIT, LOOK } from "../act.ts";
import { changeConfiguration } from "../change-configuration.ts";
import { Conflict, InvalidInput, invalid, refuseFaults, StaleCompilation } from "../input-error.ts";
import { type Category, storeCategories } from "../users/categories.ts";
import { storeBundle } from "./bundle-applies.ts";
import {
  type Bundle,
  type BundlePart,
  bundleOf,
  categoryPath,
  filesOf,
  partsOf,
  readBundle,
} from "./bundle-files.ts";
import { IN_BACKGROUND, noteOf, options, PATH, PLANNED, Plan, planOf } from "./bundle-plan.ts";
import { brandName, insertLayout, type LayoutSettings, newestLayout } from "./layout-rows.ts";
import {
  checkedLayout,
  compileVariants,
  markdownVariants,
  type PreparedLayout,
  publishCompiled,
} from "./publish-layout.ts";
import { savePrepared } from "./put-template.ts";
import { authorOf } from "./sensitive-copies.ts";
import { Files, type PreparedImport, prepareImport, variantKey } from "./template-files.ts";
import { filesFault, MAX_BUNDLE_BYTES, type TextFiles } from "./template-paths.ts";
import { holdOwner } from "./template-rows.ts";

const FILE = "---\nsubject: Your order\n---\n# Thank you\n";
export const pullBundle = defineRead({
  name: "bundle pull",
  http: "GET /bundle",
  access: LOOK,
  summary: "Export what a tenant has published as files: templates, layout and categories",
  description:
    "A folder for each event type holds a file for each channel and language. layout.mjml, layout.json and categories.json are beside the folders.",
  input: Type.Object({}),
  output: Type.Object({ files: Files }),
  example: { input: {}, output: { files: { [PATH]: FILE } } },
  run: async ({ db, tenantId }) => ({ files: filesOf(await bundleOf(db, tenantId)) }),
});

export const applyBundle = defineAct({
  name: "bundle apply",
  http: "POST /bundle",
  access: EDIT,
  maxBodyBytes: MAX_BUNDLE_BYTES,
  summary: "Publish such files, all or none; parts without a file stay unchanged",
  description:
    "Contents are compared: the same bundle again changes nothing and makes no version. A large change is compiled in the background: the answer is then 202 with an `id`, and `bundle progress` tells its end.",
  input: Type.Object({
    files: field<TextFiles>({ ...Files, description: "texts by path" }, filesFault),
    ...options,
  }),
  output: Plan,
  example: { input: { files: { [PATH]: FILE } }, output: PLANNED },
  underWay: IN_BACKGROUND,
  prepare: (context, input) => prepareBundle(context, readBundle(input.files), input),
  run: saveBundle,
  audit: (_, { output }) => noteOf("bundle.apply", output),
});

/**
 * Most templates in one change. It bounds the memory, because compiled templates stay there until all of them are
 * saved.
 */
const MAX_CHANGED = 2_000;

export type Place = Pick<ActContext, "db" | "tenantId" | "actor" | "may" | "compileAtOnce">;

interface PreparedBundle {
  plan: Plan;
  /** Number of templates to compile. */
  total: number;
  /** Set if the change is too large to compile while the caller waits. */
  isDeferred?: true;
  parts: readonly BundlePart[];
  given: Bundle;
  /** undefined for a dry run and for a deferred change. */
  change?: Pick<PreparedLayout, "compiled" | "createdBy"> & {
    templates: PreparedImport["templates"];
    /** undefined if the layout stays. */
    layout: LayoutSettings | undefined;
    categories: readonly Category[];
    /** The tenant's name with which Markdown was compiled. */
    brand: string | undefined;
  };
}

/**
 * Checks a bundle and compiles what differs from the tenant's. `onCompiled` receives the number of templates compiled
 * so far. Throws `InvalidInput`, and `Conflict` if the plan is no longer `plan`.
 */
export async function prepareBundle(
  context: Place,
  given: Bundle,
  { dryRun = false, plan: wanted }: { dryRun?: boolean; plan?: string },
  onCompiled?: (count: number) => void,
): Promise<PreparedBundle> {
  const current = await bundleOf(context.db, context.tenantId);
  const parts = partsOf(current, given);
  const plan = planOf(parts);
  if (wanted !== undefined && wanted !== plan.plan) throw changedSince();
  const work = changesOf({ current, given, parts });
  const { total } = work;
  if (isDeferred(context, work)) return { plan, parts, given, total, isDeferred: true };
  try {
    const change = await prepareChange(context, given, work, onCompiled);
    return { plan, parts, given, total, ...(!dryRun && { change }) };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    const faults = error.faults.map(({ message }) => ({ field: "files", message }));
    if (!dryRun) throw new InvalidInput(faults);
    return { plan: { ...plan, faults: faults.map(({ message }) => message) }, parts, given, total };
  }
}

type Changes = ReturnType<typeof changesOf>;

function changesOf({
  current,
  given,
  parts,
}: {
  current: Bundle;
  given: Bundle;
  parts: readonly BundlePart[];
}) {
  const isSame = new Set(
    parts.filter(({ before, after }) => before === after).map(({ path }) => path),
  );
  const changed = given.templates.filter(({ path }) => !isSame.has(path));
  const isOther = given.layout !== undefined && !isDeepStrictEqual(given.layout, current.layout);
  const layout = isOther ? given.layout : undefined;
  // If the layout changes, every template in Markdown must be compiled again.
  const again = isOther ? current.templates : [];
  const total = new Set([...changed, ...again].map(({ path }) => path)).size;
  const bytes = [...changed, ...again].reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  return { isSame, changed, layout, total, bytes };
}

/** A bundle with too many changes is not deferred, because it must be refused at once. */
function isDeferred({ compileAtOnce }: Place, { changed, total, bytes }: Changes): boolean {
  if (compileAtOnce === undefined || changed.length > MAX_CHANGED) return false;
  return total > compileAtOnce.templates || bytes > compileAtOnce.bytes;
}

async function prepareChange(
  { db, tenantId, actor, may }: Place,
  given: Bundle,
  { isSame, changed, layout }: Changes,
  onCompiled: ((count: number) => void) | undefined,
): Promise<NonNullable<PreparedBundle["change"]>> {
  if (changed.length > MAX_CHANGED) {
    const message = `change ${changed.length} templates: at most ${MAX_CHANGED} at a time`;
    throw invalid("files", message);
  }
  const inForce = layout && {
    version: await nextLayoutVersion(db, tenantId),
    layout: await checkedLayout(db, tenantId, layout),
  };
  const files = Object.fromEntries(changed.map(({ path, text }) => [path, text]));
  const author = { ...authorOf({ actor, may }), createdBy: actor.person };
  const { templates } = await prepareImport(db, tenantId, files, {
    ...author,
    layout: inForce,
    onCompiled,
  });
  // The plan already detects changes made meanwhile, so the version of each template need not be checked.
  for (const { prepared } of templates) delete prepared.input.basedOnVersion;
  const replaced = new Set(templates.map(({ prepared: { input } }) => variantKey(input)));
  const others = inForce === undefined ? [] : await markdownVariants(db, tenantId);
  const left = others.filter((variant) => !replaced.has(variantKey(variant)));
  const { compiled, faults } =
    inForce === undefined
      ? { compiled: [], faults: [] }
      : await compileVariants(db, tenantId, inForce, left, (count) =>
          onCompiled?.(templates.length + count),
        );
  refuseFaults(faults);
  const [brand, isNew] = [await brandName(db, tenantId), (path: string) => !isSame.has(path)];
  const categories = given.categories?.filter(({ key }) => isNew(categoryPath(key))) ?? [];
  return { templates, layout, compiled, categories, createdBy: actor.person, brand };
}

/**
 * Saves the whole change in the transaction, or stores it for the background. Throws `StaleCompilation` if the tenant
 * has changed meanwhile.
 */
export async function saveBundle(
  context: Place,
  input: { dryRun?: boolean; plan?: string; files?: TextFiles },
  prepared: PreparedBundle,
): Promise<{ output: Plan }> {
  if (prepared.isDeferred) return await storeBundle(context, input, prepared);
  const { db, tenantId } = context;
  const { plan, given, change } = prepared;
  if (change === undefined) return { output: plan };
  const output = { ...plan, applied: true };
  if (plan.added.length + plan.changed.length === 0) return { output };
  await changeConfiguration(db, async (transaction) => {
    await holdOwner(transaction, tenantId);
    const now = planOf(partsOf(await bundleOf(transaction, tenantId), given));
    if (now.plan !== plan.plan && input.plan !== undefined) throw changedSince();
    if (now.plan !== plan.plan || (await brandName(transaction, tenantId)) !== change.brand) {
      throw new StaleCompilation(0, CHANGED);
    }
    const { layout, createdBy, categories } = change;
    if (categories.length > 0) await storeCategories(transaction, tenantId, categories);
    if (layout !== undefined) await insertLayout(transaction, tenantId, layout, createdBy);
    for (const { prepared } of change.templates) await savePrepared(transaction, prepared);
    await publishCompiled(transaction, change);
  });
  return { output };
}

async function nextLayoutVersion(db: Database, tenantId: string): Promise<number> {
  return ((await newestLayout(db, tenantId))?.version ?? 0) + 1;
}

const CHANGED = "the tenant or the files have changed since the plan was made: ask for a new plan";

function changedSince(): Conflict {
  return new Conflict(0, CHANGED);
}
