import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { EXAMPLE_CHANNEL } from "@belfry/contracts/channels";
import { field, flag, text } from "@belfry/contracts/fields";
import type { Database } from "@belfry/database/connection";
import { type Static, Type } from "@sinclair/typebox";
import { type ActContext, defineAct, defineRead, EDIT, LOOK, type Note, optional } from "../act.ts";
import { changeConfiguration } from "../change-configuration.ts";
import { Conflict, InvalidInput, invalid, PreparedTooEarly, refuseFaults } from "../input-error.ts";
import { type Category, storeCategories } from "../users/categories.ts";
import {
  type Bundle,
  type BundlePart,
  bundleOf,
  categoryPath,
  filesOf,
  partsOf,
  readBundle,
} from "./bundle-files.ts";
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
import { Files, type PreparedImport, prepareImport } from "./template-files.ts";
import { filesFault, MAX_BUNDLE_BYTES, type TextFiles } from "./template-paths.ts";
import { holdOwner } from "./template-rows.ts";

export type Plan = Static<typeof Plan>;
export const Plan = Type.Object(
  {
    plan: Type.String({ description: "Names this change: give it back to apply just this" }),
    added: Type.Array(Type.String(), { description: "Paths of what the tenant lacks" }),
    changed: Type.Array(Type.String()),
    same: Type.Array(Type.String()),
    outdated: Type.Array(Type.String(), {
      description: "Parts that the tenant has and the bundle lacks; they stay unchanged",
    }),
    faults: Type.Array(Type.String(), { description: "In a dry run: the reasons why it cannot be applied" }),
    applied: Type.Boolean(),
  },
  { title: "Plan" },
);
const PATH = `order.confirmed/${EXAMPLE_CHANNEL}.md`;
export const PLANNED: Plan = {
  plan: "3f1c9a5be0d24c7788f1a2b3c4d5e6f7",
  added: [],
  changed: [PATH],
  same: ["layout.mjml"],
  outdated: [],
  faults: [],
  applied: true,
};
const FILE = "---\nsubject: Your order\n---\n# Thank you\n";
export const options = {
  dryRun: optional(flag(), "say what would change, and change nothing"),
  plan: optional(text(), "of a dry run: refused where the tenant or the files changed since"),
};

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
  description: "Contents are compared: the same bundle again changes nothing and makes no version.",
  input: Type.Object({
    files: field<TextFiles>({ ...Files, description: "texts by path" }, filesFault),
    ...options,
  }),
  output: Plan,
  example: { input: { files: { [PATH]: FILE } }, output: PLANNED },
  prepare: (context, input) => prepareBundle(context, readBundle(input.files), input),
  run: saveBundle,
  audit: (_, { output }) => noteOf("bundle.apply", output),
});

export function noteOf(action: string, { added, changed, applied }: Plan): Note | undefined {
  if (!applied || added.length + changed.length === 0) return undefined;
  const target = `${added.length + changed.length} published`;
  return { action, target, after: { added, changed } };
}

/** Each is compiled, some 10 ms of Markdown: a caller waits no longer than a minute. */
const MAX_CHANGED = 2_000;

export type Place = Pick<ActContext, "db" | "tenantId" | "actor" | "may">;

interface PreparedBundle {
  plan: Plan;
  parts: readonly BundlePart[];
  given: Bundle;
  /** undefined: nothing is to be applied. */
  change?: Pick<PreparedLayout, "compiled" | "createdBy"> & {
    templates: PreparedImport["templates"];
    /** undefined: it stays. */
    layout: LayoutSettings | undefined;
    categories: readonly Category[];
    /** With which Markdown was compiled. */
    brand: string | undefined;
  };
}

/** Checks and compiles what is not there already. Throws `InvalidInput`, and `Conflict` for another plan. */
export async function prepareBundle(
  context: Place,
  given: Bundle,
  { dryRun = false, plan: wanted }: { dryRun?: boolean; plan?: string },
): Promise<PreparedBundle> {
  const current = await bundleOf(context.db, context.tenantId);
  const parts = partsOf(current, given);
  const plan = planOf(parts);
  if (wanted !== undefined && wanted !== plan.plan) throw changedSince();
  try {
    const change = await prepareChange(context, { current, given, parts });
    return { plan, parts, given, ...(!dryRun && { change }) };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    const faults = error.faults.map(({ message }) => ({ field: "files", message }));
    if (!dryRun) throw new InvalidInput(faults);
    return { plan: { ...plan, faults: faults.map(({ message }) => message) }, parts, given };
  }
}

async function prepareChange(
  { db, tenantId, actor, may }: Place,
  { current, given, parts }: { current: Bundle; given: Bundle; parts: readonly BundlePart[] },
): Promise<NonNullable<PreparedBundle["change"]>> {
  const isSame = new Set(
    parts.filter(({ before, after }) => before === after).map(({ path }) => path),
  );
  const changed = given.templates.filter(({ path }) => !isSame.has(path));
  if (changed.length > MAX_CHANGED) {
    const message = `change ${changed.length} templates: at most ${MAX_CHANGED} at a time`;
    throw invalid("files", message);
  }
  const isOther = given.layout !== undefined && !isDeepStrictEqual(given.layout, current.layout);
  const layout = isOther ? given.layout : undefined;
  const inForce = layout && {
    version: await nextLayoutVersion(db, tenantId),
    layout: await checkedLayout(db, tenantId, layout),
  };
  const files = Object.fromEntries(changed.map(({ path, text }) => [path, text]));
  const author = { ...authorOf({ actor, may }), createdBy: actor.person };
  const { templates } = await prepareImport(db, tenantId, files, { ...author, layout: inForce });
  // The plan is what it is based on.
  for (const { prepared } of templates) delete prepared.input.basedOnVersion;
  const replaced = new Set(templates.map(({ prepared: { input } }) => variantKey(input)));
  const others = inForce === undefined ? [] : await markdownVariants(db, tenantId);
  const left = others.filter((variant) => !replaced.has(variantKey(variant)));
  const { compiled, faults } =
    inForce === undefined
      ? { compiled: [], faults: [] }
      : await compileVariants(db, tenantId, inForce, left);
  refuseFaults(faults);
  const [brand, isNew] = [await brandName(db, tenantId), (path: string) => !isSame.has(path)];
  const categories = given.categories?.filter(({ key }) => isNew(categoryPath(key))) ?? [];
  return { templates, layout, compiled, categories, createdBy: actor.person, brand };
}

function variantKey({
  eventType,
  channel,
  locale = "",
}: {
  eventType: string;
  channel: string;
  locale?: string;
}) {
  return JSON.stringify([eventType, channel, locale]);
}

/** All of it, in the transaction. Throws `PreparedTooEarly` where the tenant has changed meanwhile. */
export async function saveBundle(
  { db, tenantId }: ActContext,
  input: { plan?: string },
  { plan, given, change }: PreparedBundle,
): Promise<{ output: Plan }> {
  if (change === undefined) return { output: plan };
  const output = { ...plan, applied: true };
  if (plan.added.length + plan.changed.length === 0) return { output };
  await changeConfiguration(db, async (transaction) => {
    await holdOwner(transaction, tenantId);
    const now = planOf(partsOf(await bundleOf(transaction, tenantId), given));
    if (now.plan !== plan.plan && input.plan !== undefined) throw changedSince();
    if (now.plan !== plan.plan || (await brandName(transaction, tenantId)) !== change.brand) {
      throw new PreparedTooEarly(0, CHANGED);
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

function planOf(parts: readonly BundlePart[]): Plan {
  const pathsOf = (isOf: (part: BundlePart) => boolean) =>
    parts.filter(isOf).map(({ path }) => path);
  return {
    plan: hash("sha256", JSON.stringify(parts)).slice(0, 32),
    added: pathsOf(({ before, after }) => before === undefined && after !== undefined),
    changed: pathsOf(
      ({ before, after }) => before !== undefined && after !== undefined && before !== after,
    ),
    same: pathsOf(({ before, after }) => before !== undefined && before === after),
    outdated: pathsOf(({ after }) => after === undefined),
    faults: [],
    applied: false,
  };
}

const CHANGED = "the tenant or the files have changed since the plan was made: ask for a new plan";

function changedSince(): Conflict {
  return new Conflict(0, CHANGED);
}
