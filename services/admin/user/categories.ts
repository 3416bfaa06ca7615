import { NotFound } from "@belfry/administration/input-error";
import { readTemplates } from "@belfry/administration/templates/templates";
import {
  assignCategory,
  deleteCategory,
  listCategories,
  putCategory,
} from "@belfry/administration/users/categories";
import { type Answer, type Faults, orFaults, page, redirect } from "../page/answer.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";
import {
  type CategoryValues,
  categoryInput,
  keyOf,
  NEW_CATEGORY,
  typedCategory,
  valuesOfCategory,
} from "./category-form.ts";

/** What a tenant's users choose among, and which event types belong to each. */
export function categoryPages({ route, db }: PageDeps): void {
  const list = async ({ run }: InTenant, values = NEW_CATEGORY, faults: Faults = {}) => {
    const categories = await run(listCategories, {});
    return page("categories", "Categories", { categories, values, faults });
  };

  const show = async (
    context: InTenant,
    given: { values?: CategoryValues; faults?: Faults; refused?: string; eventType?: string } = {},
  ): Promise<Answer> => {
    const category = await categoryOf(context);
    const templates = await readTemplates(db, context.tenant.id);
    const eventTypes = [...new Set(templates.map(({ eventType }) => eventType))];
    return page("category", category.label[""] ?? category.key, {
      category,
      values: given.values ?? valuesOfCategory(category),
      faults: given.faults ?? {},
      refused: given.refused,
      eventType: given.eventType ?? "",
      unassigned: eventTypes.filter((one) => !category.eventTypes.includes(one)),
    });
  };

  route("GET /tenants/:tenantId/categories", (context) => list(context));

  route("POST /tenants/:tenantId/categories", async (context) => {
    const { form, run, base } = context;
    const typed = typedCategory(form);
    const values = { ...typed, key: keyOf(typed) };
    return await orFaults(
      async () => {
        const { key } = await run(putCategory, { ...categoryInput(values), only: "new" });
        return redirect(`${base}/categories/${key}`, "added");
      },
      (faults) => list(context, typed, faults),
    );
  });

  route("GET /tenants/:tenantId/categories/:categoryKey", (context) => show(context));

  route("POST /tenants/:tenantId/categories/:categoryKey", async (context) => {
    const { form, run, base } = context;
    const before = await categoryOf(context);
    const values = { ...typedCategory(form), key: before.key };
    return await orFaults(
      async () => {
        await run(putCategory, { ...categoryInput(values, before), only: "known" });
        return redirect(`${base}/categories/${before.key}`, "saved");
      },
      (faults) => show(context, { values, faults }),
    );
  });

  route("POST /tenants/:tenantId/categories/:categoryKey/delete", async (context) => {
    const { run, base } = context;
    const { key } = await categoryOf(context);
    return await orFaults(
      async () => {
        await run(deleteCategory, { key });
        return redirect(`${base}/categories`, "deleted");
      },
      (faults) => show(context, { refused: `Not deleted: it ${faults.key}.` }),
    );
  });

  for (const verb of ["assign", "unassign"] as const) {
    route(`POST /tenants/:tenantId/categories/:categoryKey/${verb}`, async (context) => {
      const { form, run, base } = context;
      const { key } = await categoryOf(context);
      const eventType = (form.get("eventType") ?? "").trim();
      return await orFaults(
        async () => {
          await run(assignCategory, { eventType, category: verb === "assign" ? key : null });
          return redirect(`${base}/categories/${key}`, "saved");
        },
        (faults) => show(context, { faults, eventType }),
      );
    });
  }
}

/** Throws `NotFound`. */
async function categoryOf({ run, params }: InTenant) {
  const found = (await run(listCategories, {})).find(({ key }) => key === params.categoryKey);
  if (found === undefined) throw new NotFound("path", "no such category");
  return found;
}
