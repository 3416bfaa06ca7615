import { textFault } from "@belfry/contracts/identifiers";
import { canonicalLocale, NO_LOCALE } from "@belfry/contracts/locale";
import { CATEGORY_KEY, MAX_CATEGORIES, NO_CATEGORY_KEY } from "@belfry/contracts/preferences";
import type { Database } from "@belfry/database/connection";
import { noteUse } from "@belfry/database/note-use";
import { categoriesOfTenant, type Category as StoredCategory } from "@belfry/database/preferences";
import { changeConfiguration } from "../change-configuration.ts";
import {
  faultAt,
  type InputFault,
  integerFault,
  invalid,
  NotFound,
  refuseFaults,
} from "../input-error.ts";
import { holdTenant, requireTenant } from "../tenants/require-tenant.ts";
import {
  assignmentsOfTenant,
  deleteAssignment,
  deleteCategoryRow,
  storeAssignment,
  storeCategory,
} from "./category-rows.ts";

/** What users of a tenant choose among: a kind of message, such as offers or security. */
export interface Category extends StoredCategory {
  /** Those that belong to it. */
  eventTypes: string[];
}

/** What is absent stays as it is; a new category has the defaults. */
export interface CategoryInput {
  tenantId: string;
  /** 1–64 of a-z, 0-9, `_`, `.`, `-`. */
  key: string;
  /** By language, "" for the default, 1–64 characters; an empty text takes a language away. A new one needs "". */
  label?: Readonly<Record<string, string>> | undefined;
  /** The same, up to 255 characters. */
  description?: Readonly<Record<string, string>> | undefined;
  /** Sent whatever users have turned off. Default: false. */
  required?: boolean | undefined;
  /** false: sent only to users who have turned it on. Default: true. */
  defaultOn?: boolean | undefined;
  /** Among the others, from the least, 0–1,000,000. Default: 0. */
  position?: number | undefined;
  /** `new`: refused where there is one with this key; `known`: where there is none. Default: either. */
  only?: "new" | "known" | undefined;
}

const MAX_LABEL_CHARACTERS = 64;
const MAX_DESCRIPTION_CHARACTERS = 255;
const MAX_LANGUAGES = 50;
const MAX_POSITION = 1_000_000;

/** In force for every event that is dispatched from now on. Throws `InvalidInput`, `NotFound`. */
export async function putCategory(db: Database, input: CategoryInput): Promise<Category> {
  const { tenantId, key } = input;
  refuseFaults([
    CATEGORY_KEY.test(key) ? undefined : { field: "key", message: NO_CATEGORY_KEY },
    ...textsFaults("label", input.label, MAX_LABEL_CHARACTERS),
    ...textsFaults("description", input.description, MAX_DESCRIPTION_CHARACTERS),
    integerFault("position", input.position, 0, MAX_POSITION),
  ]);
  await change(db, tenantId, async (transaction) => {
    const all = await categoriesOfTenant(transaction, tenantId);
    const before = all.find((one) => one.key === key);
    if (before === undefined && input.only === "known") throw categoryNotFound(key, "key");
    if (before !== undefined && input.only === "new") {
      throw invalid("key", "is that of another category");
    }
    if (before === undefined && all.length >= MAX_CATEGORIES) {
      throw invalid("key", `is one more than the ${MAX_CATEGORIES} that a tenant may have`);
    }
    const category = {
      key,
      label: merged(before?.label, input.label),
      description: merged(before?.description, input.description),
      required: input.required ?? before?.required ?? false,
      defaultOn: input.defaultOn ?? before?.defaultOn ?? true,
      position: input.position ?? before?.position ?? 0,
    };
    refuseFaults([
      category.label[""] === undefined
        ? { field: "label", message: "must name the category: the default text is missing" }
        : undefined,
      ...Object.entries({ label: category.label, description: category.description }).map(
        ([field, texts]) =>
          Object.keys(texts).length > MAX_LANGUAGES
            ? { field, message: `must be in at most ${MAX_LANGUAGES} languages` }
            : undefined,
      ),
    ]);
    await storeCategory(transaction, tenantId, category);
    await noteUse(transaction, tenantId, "uses_preferences");
  });
  return (await listCategories(db, tenantId)).find((one) => one.key === key)!;
}

/** In the tenant's order. Throws `NotFound` for an unknown tenant. */
export async function listCategories(db: Database, tenantId: string): Promise<Category[]> {
  await requireTenant(db, tenantId);
  const eventTypes = Map.groupBy(
    await assignmentsOfTenant(db, tenantId),
    ({ category }) => category,
  );
  return (await categoriesOfTenant(db, tenantId)).map((row) => ({
    ...row,
    eventTypes: (eventTypes.get(row.key) ?? []).map(({ eventType }) => eventType),
  }));
}

/**
 * Events of the type belong to the category from now on; null: to none. Throws `InvalidInput`, `NotFound`.
 */
export async function assignCategory(
  db: Database,
  input: { tenantId: string; eventType: string; category: string | null },
): Promise<{ eventType: string; category: string | null }> {
  const { tenantId, eventType, category } = input;
  refuseFaults([faultAt("eventType", textFault(eventType))]);
  await change(db, tenantId, async (transaction) => {
    if (category === null) return await deleteAssignment(transaction, tenantId, eventType);
    const known = await categoriesOfTenant(transaction, tenantId);
    if (!known.some(({ key }) => key === category)) throw categoryNotFound(category, "category");
    await storeAssignment(transaction, tenantId, { eventType, category });
  });
  return { eventType, category };
}

/**
 * What users have said of the category stays, and counts again if one with this key comes back. Refused while
 * event types belong to it: their messages would reach users who had turned them off. Throws `InvalidInput`,
 * `NotFound`.
 */
export async function deleteCategory(
  db: Database,
  { tenantId, key }: { tenantId: string; key: string },
): Promise<Category> {
  return await change(db, tenantId, async (transaction) => {
    const category = (await listCategories(transaction, tenantId)).find((one) => one.key === key);
    if (category === undefined) throw categoryNotFound(key, "key");
    if (category.eventTypes.length > 0) {
      const message = `is the category of ${category.eventTypes.join(", ")}: assign them to another one, or to none, first`;
      throw invalid("key", message);
    }
    await deleteCategoryRow(transaction, tenantId, key);
    return category;
  });
}

function categoryNotFound(key: string, field: string): NotFound {
  return new NotFound(field, `the tenant has no category ${JSON.stringify(key)}`);
}

/** Changes of one tenant's categories come one after the other. */
async function change<T>(
  db: Database,
  tenantId: string,
  work: (transaction: Database) => Promise<T>,
): Promise<T> {
  return await changeConfiguration(db, async (transaction) => {
    await holdTenant(transaction, tenantId);
    return await work(transaction);
  });
}

function textsFaults(
  field: string,
  texts: Readonly<Record<string, string>> | undefined,
  max: number,
): (InputFault | undefined)[] {
  return Object.entries(texts ?? {}).map(([language, text]) => {
    const of = language === "" ? field : `${field} (${language})`;
    if (language !== "" && canonicalLocale(language) === undefined) {
      return { field, message: `(${language.slice(0, 40)}) ${NO_LOCALE}` };
    }
    if (text === "") return undefined;
    const fault = textFault(text) ?? (text.trim() === "" ? "should not be empty" : undefined);
    if (fault !== undefined) return { field, message: `${of.slice(field.length)} ${fault}`.trim() };
    if ([...text].length <= max) return undefined;
    return { field, message: `${of.slice(field.length)} must be at most ${max} characters`.trim() };
  });
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
