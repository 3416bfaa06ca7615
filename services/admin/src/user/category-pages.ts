import { type InputFault, NotFound } from "@belfry/administration/input-error";
import { readTemplates } from "@belfry/administration/templates/templates";
import {
  assignCategory,
  type Category,
  deleteCategory,
  listCategories,
  moveCategory,
  putCategory,
} from "@belfry/administration/users/categories";
import { importUnsubscribes } from "@belfry/administration/users/import-unsubscribes";
import { PREFERENCE_CHANNELS } from "@belfry/contracts/preferences";
import { type Answer, type Faults, orFaults, page, redirect } from "../page/answer.ts";
import { inWords } from "../page/fault-words.ts";
import { importShare, isByScript } from "../page/import-share.ts";
import { type Phrase, say } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";

/** Registers the pages of categories and of the event types in each. */
export function categoryPages({ route, db }: PageDeps): void {
  const list = async ({ run }: InTenant, values = NEW_CATEGORY, faults: Faults = {}) => {
    const categories = await run(listCategories, {});
    return page("categories", say`Categories`, { categories, values, faults });
  };

  const showCategory = async (
    context: InTenant,
    given: { values?: CategoryValues; faults?: Faults; refused?: Phrase; eventType?: string } = {},
  ): Promise<Answer> => {
    const category = await categoryOf(context);
    const templates = await readTemplates(db, context.tenant.id);
    const eventTypes = [...new Set(templates.map(({ eventType }) => eventType))];
    return page("category", category.label[""] ?? category.key, {
      category,
      values: valuesOfCategory(category),
      faults: {},
      ...given,
      unassigned: eventTypes.filter((one) => !category.eventTypes.includes(one)),
    });
  };

  route("GET /tenants/:tenantId/categories", (context) => list(context));

  route("POST /tenants/:tenantId/categories", async (context) => {
    const { form, run, base } = context;
    const typed = typedCategory(form);
    const values = { ...typed, key: keyOf(typed) };
    const last = (await run(listCategories, {})).at(-1)?.position ?? -1;
    return await orFaults(
      () =>
        run(putCategory, { ...categoryInput(values), position: last + 1, only: "new" }).then(
          ({ key }) => redirect(`${base}/categories/${key}`, "added"),
        ),
      (faults) => list(context, typed, faults),
    );
  });

  route("GET /tenants/:tenantId/categories/:categoryKey", (context) => showCategory(context));

  route("POST /tenants/:tenantId/categories/:categoryKey", async (context) => {
    const { form, run, base } = context;
    const before = await categoryOf(context);
    const values = { ...typedCategory(form), key: before.key };
    return await orFaults(
      () =>
        run(putCategory, { ...categoryInput(values, before), only: "known" }).then(() =>
          redirect(`${base}/categories/${before.key}`, "saved"),
        ),
      (faults) => showCategory(context, { values, faults }),
    );
  });

  route("POST /tenants/:tenantId/categories/:categoryKey/delete", async (context) => {
    const { run, base } = context;
    const { key } = await categoryOf(context);
    return await orFaults(
      () => run(deleteCategory, { key }).then(() => redirect(`${base}/categories`, "deleted")),
      (faults) => showCategory(context, { refused: say`Not deleted: it ${faults.key}.` }),
    );
  });

  route("POST /tenants/:tenantId/categories/:categoryKey/move", async (context) => {
    const { form, run, base } = context;
    const { key } = await categoryOf(context);
    await run(moveCategory, { key, place: Number(form.get("place")) });
    return redirect(`${base}/categories`, "moved", `category-${key}`);
  });

  for (const verb of ["assign", "unassign"] as const) {
    route(`POST /tenants/:tenantId/categories/:categoryKey/${verb}`, async (context) => {
      const { form, run, base } = context;
      const { key } = await categoryOf(context);
      const eventType = (form.get("eventType") ?? "").trim();
      return await orFaults(
        () =>
          run(assignCategory, { eventType, category: verb === "assign" ? key : null }).then(() =>
            redirect(`${base}/categories/${key}`, "saved"),
          ),
        (faults) => showCategory(context, { faults, eventType }),
      );
    });
  }
}

/** Returns the category of the path. Throws `NotFound`. */
async function categoryOf({ run, params }: InTenant) {
  const found = (await run(listCategories, {})).find(({ key }) => key === params.categoryKey);
  if (found === undefined) throw new NotFound("path", "no such category");
  return found;
}

/** A category's form. */
interface CategoryValues {
  key: string;
  /** The default text, then one for each language. The page of a category adds an empty row. */
  texts: { language: string; label: string; description: string }[];
  required: boolean;
  defaultOn: boolean;
}

const NO_TEXT = { language: "", label: "", description: "" };
const MAX_KEY_CHARACTERS = 64;

const NEW_CATEGORY: CategoryValues = {
  key: "",
  texts: [NO_TEXT],
  required: false,
  defaultOn: true,
};

function valuesOfCategory(category: Category): CategoryValues {
  const { key, label, description, required, defaultOn } = category;
  const named = new Set([...Object.keys(label), ...Object.keys(description)]);
  named.delete("");
  return {
    key,
    required,
    defaultOn,
    texts: ["", ...[...named].sort()].map((language) => ({
      language,
      label: label[language] ?? "",
      description: description[language] ?? "",
    })),
  };
}

function typedCategory(form: URLSearchParams): CategoryValues {
  const labels = form.getAll("label");
  const [languages, descriptions] = [form.getAll("language"), form.getAll("description")];
  return {
    key: (form.get("key") ?? "").trim(),
    texts: (labels.length === 0 ? [""] : labels).map((label, at) => ({
      // The first text is always the default, whatever language the form sends.
      language: at === 0 ? "" : (languages[at] ?? "").trim(),
      label: label.trim(),
      description: (descriptions[at] ?? "").trim(),
    })),
    required: form.has("required"),
    defaultOn: form.get("defaultOn") !== "off",
  };
}

/** Returns the typed key, or one made from the name: `Offers & news` becomes `offers-news`. */
function keyOf({ key, texts }: CategoryValues): string {
  if (key !== "") return key;
  const words =
    (texts[0]?.label ?? "")
      .normalize("NFKD")
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  return words.join("-").slice(0, MAX_KEY_CHARACTERS);
}

/** Returns the input of the act. The form has all languages, so a missing one is removed from the category. */
function categoryInput(values: CategoryValues, before?: Category) {
  const { key, texts, required, defaultOn } = values;
  // Drops the empty row, which would replace the default text because its language is empty.
  const filled = texts.filter(({ language }, at) => at === 0 || language !== "");
  const by = (name: "label" | "description") => ({
    ...Object.fromEntries(Object.keys(before?.[name] ?? {}).map((language) => [language, ""])),
    ...Object.fromEntries(filled.map((text) => [text.language, text[name]])),
  });
  return { key, required, defaultOn, label: by("label"), description: by("description") };
}

/** Registers the page that imports a list of unsubscribes: all of it, or nothing. */
export function importPages({ route, once }: PageDeps): void {
  const showImport = async ({ run }: InTenant, extra: object = {}) =>
    page("import", say`Import unsubscribes`, {
      faults: [],
      categories: await run(listCategories, {}),
      channels: PREFERENCE_CHANNELS,
      ...extra,
    });

  route("GET /tenants/:tenantId/users/import", async (context) =>
    showImport(context, await once.take(context)),
  );

  route("POST /tenants/:tenantId/users/import", async (context) => {
    const { form, run, person, base } = context;
    const lines = form.get("lines") ?? "";
    if (isByScript(context)) {
      return await importShare(form, (share) => run(importUnsubscribes, { file: lines, ...share }));
    }
    return await orFaults(
      () =>
        run(importUnsubscribes, { file: lines }).then((done) =>
          once.show(person, `${base}/users/import`, { done }),
        ),
      (_, faults: readonly InputFault[]) =>
        showImport(context, { values: { lines }, faults: inWords(faults) }),
    );
  });
}
