import { flag, integer, oneOf, orNull, text, textByLanguage } from "@belfry/contracts/fields";
import { canonicalLocale } from "@belfry/contracts/locale";
import { categoryKey, MAX_CATEGORIES } from "@belfry/contracts/preferences";
import { faultsOf } from "@belfry/contracts/problems";
import { noteUse } from "@belfry/database/configuration-version";
import type { Database } from "@belfry/database/connection";
import { categoriesOfTenant } from "@belfry/database/preferences";
import { type Static, Type } from "@sinclair/typebox";
import { sql } from "kysely";
import { defineAct, defineRead, EDIT, LOOK, note, optional } from "../act.ts";
import { type InputFault, invalid, NotFound, refuseFaults } from "../input-error.ts";
import { holdTenant, requireTenant } from "../tenants/tenant-rows.ts";

const MAX_LABEL_CHARACTERS = 64;
const MAX_DESCRIPTION_CHARACTERS = 255;
const MAX_LANGUAGES = 50;
const MAX_POSITION = 1_000_000;

/** A kind of message that users of a tenant can turn on or off, such as offers or security. */
export type Category = Awaited<ReturnType<typeof readCategories>>[number];
const Category = Type.Object(
  {
    key: Type.String(),
    label: Type.Record(Type.String(), Type.String(), {
      description: 'Texts by language; the key "" is the default',
    }),
    description: Type.Record(Type.String(), Type.String()),
    required: Type.Boolean({ description: "Messages are sent even to users who turned it off" }),
    defaultOn: Type.Boolean({ description: "false: sent only to users who have turned it on" }),
    position: Type.Integer(),
    eventTypes: Type.Array(Type.String(), { description: "Event types in the category" }),
  },
  { title: "Category" },
);
const OFFERS = {
  key: "offers",
  label: { "": "Offers", de: "Angebote" },
  description: {},
  required: false,
  defaultOn: true,
  position: 0,
  eventTypes: ["sale.began"],
};

const LABEL = textByLanguage(MAX_LABEL_CHARACTERS);
const DESCRIPTION = textByLanguage(MAX_DESCRIPTION_CHARACTERS);
const POSITION = integer({ minimum: 0, maximum: MAX_POSITION });

export const putCategory = defineAct({
  name: "category put",
  http: "PUT /categories/:key",
  access: EDIT,
  configures: true,
  inBundle: true,
  summary: "Create a category, or change the given settings of one; applies within 5 s",
  description: "Fields that are left out keep their values. An empty text removes its language.",
  input: Type.Object({
    key: categoryKey(),
    label: optional(LABEL, "how users read it; a new category needs it"),
    description: optional(DESCRIPTION, "a description in one sentence"),
    required: optional(flag(), "sent even if users have turned it off, and at any hour"),
    defaultOn: optional(flag(), "off: sent only to users who have turned it on"),
    position: optional(POSITION, "order among the others: the lowest comes first"),
    only: optional(
      oneOf(["new", "known"]),
      "new: refused where the key is taken; known: where it is not",
    ),
  }),
  output: Category,
  example: { input: { key: "offers", label: { "": "Offers", de: "Angebote" } }, output: OFFERS },
  flags: { defaultOn: "--default <on|off>", only: null },
  async run({ db, tenantId }, { key, only, ...input }) {
    // Changes of a tenant's categories run one after another.
    await holdTenant(db, tenantId);
    const all = await readCategories(db, tenantId);
    const before = all.find((one) => one.key === key);
    if (before === undefined && only === "known") throw categoryNotFound(key, "key");
    if (before !== undefined && only === "new") throw invalid("key", "is that of another category");
    if (before === undefined && all.length >= MAX_CATEGORIES) {
      throw invalid("key", `is one more than the ${MAX_CATEGORIES} that a tenant may have`);
    }
    const label = merged(before?.label, input.label);
    const description = merged(before?.description, input.description);
    refuseFaults(textFaults({ label, description }));
    const settings = {
      required: input.required ?? before?.required ?? false,
      defaultOn: input.defaultOn ?? before?.defaultOn ?? true,
      position: input.position ?? before?.position ?? 0,
    };
    await storeCategory(db, tenantId, { key, label, description, ...settings });
    await noteUse(db, tenantId, "uses_preferences");
    const after = { key, label, description, ...settings, eventTypes: before?.eventTypes ?? [] };
    return { output: after, before, after };
  },
  audit: ({ key }, { before = null, after }) =>
    note(before === null ? "category.create" : "category.update", key, { before, after }),
});

export const moveCategory = defineAct({
  name: "category move",
  http: "POST /categories/:key/move",
  access: EDIT,
  configures: true,
  inBundle: true,
  summary: "Move a category to a place among the others; prints all in their order",
  description: "The positions of all categories become 0, 1, 2 and so on.",
  input: Type.Object({
    key: categoryKey(),
    place: integer(
      { minimum: 1, maximum: MAX_CATEGORIES },
      { description: "1: the first. Beyond the last: the last" },
    ),
  }),
  output: Type.Array(Category),
  example: { input: { key: "offers", place: 1 }, output: [OFFERS] },
  async run({ db, tenantId }, { key, place }) {
    await holdTenant(db, tenantId);
    const all = await readCategories(db, tenantId);
    const at = all.findIndex((one) => one.key === key);
    if (at < 0) throw categoryNotFound(key, "key");
    const order = all.toSpliced(at, 1).toSpliced(place - 1, 0, all[at]!);
    const output = order.map((one, position) => ({ ...one, position }));
    for (const [position, one] of order.entries()) {
      if (one.position !== position) await storeCategory(db, tenantId, output[position]!);
    }
    return { output, before: at + 1, after: order.indexOf(all[at]!) + 1 };
  },
  audit: ({ key }, { before, after }) =>
    before === after
      ? undefined
      : note("category.move", key, { before: { place: before }, after: { place: after } }),
});

export const listCategories = defineRead({
  name: "category list",
  http: "GET /categories",
  access: LOOK,
  tool: true,
  summary: "A tenant's categories, each with the event types that belong to it",
  input: Type.Object({}),
  output: Type.Array(Category),
  example: { input: {}, output: [OFFERS] },
  async run({ db, tenantId }) {
    await requireTenant(db, tenantId);
    return await readCategories(db, tenantId);
  },
});

export const assignCategory = defineAct({
  name: "category assign",
  http: "PUT /event-types/:eventType/category",
  access: EDIT,
  configures: true,
  inBundle: true,
  summary: "Set the category of an event type",
  description: "It applies to every event that is dispatched from then on.",
  input: Type.Object({
    eventType: text({ description: "as the tenant's events name it" }),
    category: orNull(text({ description: "the category's key" })),
  }),
  output: Type.Object({
    eventType: Type.String(),
    category: Type.Union([Type.String(), Type.Null()], { description: "null: it belongs to none" }),
  }),
  example: {
    input: { eventType: "sale.began", category: "offers" },
    output: { eventType: "sale.began", category: "offers" },
  },
  async run({ db, tenantId }, { eventType, category }) {
    await holdTenant(db, tenantId);
    const all = await readCategories(db, tenantId);
    const before = all.find(({ eventTypes }) => eventTypes.includes(eventType))?.key;
    if (category !== null && !all.some(({ key }) => key === category)) {
      throw categoryNotFound(category, "category");
    }
    await storeAssignment(db, tenantId, eventType, category);
    return { output: { eventType, category }, before };
  },
  audit({ eventType, category }, { before }) {
    const target = category ?? before;
    if (target === undefined) return undefined;
    const action = category === null ? "category.unassign" : "category.assign";
    return note(action, target, { after: { eventType } });
  },
});

export const deleteCategory = defineAct({
  name: "category delete",
  http: "DELETE /categories/:key",
  access: EDIT,
  configures: true,
  inBundle: true,
  summary: "Delete a category that has no event types; users' choices for it are kept",
  description:
    "It is refused while event types belong to it: their messages would reach users who turned them off.",
  input: Type.Object({ key: categoryKey() }),
  output: Category,
  example: { input: { key: "offers" }, output: { ...OFFERS, eventTypes: [] } },
  async run({ db, tenantId }, { key }) {
    await holdTenant(db, tenantId);
    const all = await readCategories(db, tenantId);
    const before = all.find((one) => one.key === key);
    if (before === undefined) throw categoryNotFound(key, "key");
    if (before.eventTypes.length > 0) {
      const types = before.eventTypes.join(", ");
      throw invalid(
        "key",
        `is the category of ${types}: assign them to another one, or to none, first`,
      );
    }
    await db
      .deleteFrom("categories")
      .where("tenant_id", "=", tenantId)
      .where("key", "=", key)
      .execute();
    return { output: before, before };
  },
  audit: ({ key }, { before }) => note("category.delete", key, { before }),
});

/** Parses the categories of a bundle, which are a JSON list. Throws `InvalidInput`. */
export function categoriesOfText(text: string): Category[] {
  const value = jsonOf(text);
  refuseFaults(faultsOf(BUNDLED, value, "the list"));
  const categories = value as Static<typeof BUNDLED>;
  const keys = new Set(categories.map(({ key }) => key));
  const types = categories.flatMap(({ eventTypes }) => eventTypes);
  refuseFaults([
    keys.size < categories.length ? { field: "key", message: "must differ" } : undefined,
    categories.length > MAX_CATEGORIES
      ? { field: "the list", message: `must have at most ${MAX_CATEGORIES} items` }
      : undefined,
    new Set(types).size < types.length
      ? { field: "eventTypes", message: "must name each event type once" }
      : undefined,
    ...categories.flatMap(textFaults),
  ]);
  return categories.map(({ label, description, ...one }) => ({
    ...one,
    label: merged({}, label),
    description: merged({}, description),
  }));
}

/** Stores categories and the event types of each. Other categories stay unchanged. */
export async function storeCategories(
  db: Database,
  tenantId: string,
  categories: readonly Category[],
): Promise<void> {
  const before = await readCategories(db, tenantId);
  const added = categories.filter(({ key }) => !before.some((one) => one.key === key));
  if (before.length + added.length > MAX_CATEGORIES) {
    throw invalid("files", `would make more than the ${MAX_CATEGORIES} categories allowed`);
  }
  for (const { eventTypes, ...category } of categories) {
    await storeCategory(db, tenantId, category);
    const known = before.find(({ key }) => key === category.key)?.eventTypes ?? [];
    for (const type of known.filter((one) => !eventTypes.includes(one))) {
      await storeAssignment(db, tenantId, type, null);
    }
  }
  for (const { key, eventTypes } of categories) {
    for (const type of eventTypes) await storeAssignment(db, tenantId, type, key);
  }
  if (categories.length > 0) await noteUse(db, tenantId, "uses_preferences");
}

const BUNDLED = Type.Array(
  Type.Object({
    key: categoryKey(),
    label: LABEL,
    description: DESCRIPTION,
    required: flag(),
    defaultOn: flag(),
    position: POSITION,
    eventTypes: Type.Array(text()),
  }),
);

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("the list", "must be JSON");
  }
}

function textFaults(texts: Pick<Category, "label" | "description">): (InputFault | undefined)[] {
  return [
    texts.label[""] === undefined
      ? { field: "label", message: "must name the category: the default text is missing" }
      : undefined,
    ...(["label", "description"] as const).map((field) =>
      Object.keys(texts[field]).length > MAX_LANGUAGES
        ? { field, message: `must be in at most ${MAX_LANGUAGES} languages` }
        : undefined,
    ),
  ];
}

/** Returns a tenant's categories in the tenant's order, each with its event types. */
export async function readCategories(db: Database, tenantId: string) {
  const assigned = await db
    .selectFrom("event_type_categories")
    .select(["event_type as eventType", "category"])
    .where("tenant_id", "=", tenantId)
    .orderBy("event_type")
    .execute();
  return (await categoriesOfTenant(db, tenantId)).map((row) => ({
    ...row,
    eventTypes: assigned.filter((one) => one.category === row.key).map((one) => one.eventType),
  }));
}

/** Stores a category without a check, for `putCategory` and for tests of pages with hostile texts. */
export async function storeCategory(
  db: Database,
  tenantId: string,
  category: Omit<Category, "eventTypes">,
) {
  const settings = {
    label: JSON.stringify(category.label),
    description: JSON.stringify(category.description),
    required: category.required,
    default_on: category.defaultOn,
    position: category.position,
  };
  await db
    .insertInto("categories")
    .values({ tenant_id: tenantId, key: category.key, ...settings })
    .onConflict((conflict) =>
      conflict
        .columns(["tenant_id", "key"])
        .doUpdateSet({ ...settings, updated_at: sql<Date>`now()` }),
    )
    .execute();
}

async function storeAssignment(
  db: Database,
  tenantId: string,
  eventType: string,
  category: string | null,
) {
  if (category === null) {
    await db
      .deleteFrom("event_type_categories")
      .where("tenant_id", "=", tenantId)
      .where("event_type", "=", eventType)
      .execute();
    return;
  }
  await db
    .insertInto("event_type_categories")
    .values({ tenant_id: tenantId, event_type: eventType, category })
    .onConflict((conflict) =>
      conflict.columns(["tenant_id", "event_type"]).doUpdateSet({ category }),
    )
    .execute();
}

function categoryNotFound(key: string, field: string): NotFound {
  return new NotFound(field, `the tenant has no category ${JSON.stringify(key)}`);
}

function merged(
  before: Readonly<Record<string, string>> = {},
  changes: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const texts: Record<string, string> = { ...before };
  for (const [language, text] of Object.entries(changes)) {
    const key = canonicalLocale(language) ?? "";
    if (text === "") delete texts[key];
    else texts[key] = text;
  }
  return texts;
}
