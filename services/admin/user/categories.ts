import { NotFound } from "@belfry/administration/input-error";
import { listTemplates } from "@belfry/administration/templates/templates";
import {
  assignCategory,
  type Category,
  deleteCategory,
  listCategories,
  putCategory,
} from "@belfry/administration/users/categories";
import { categoryNote } from "@belfry/administration/users/category-note";
import type { Database } from "@belfry/database/connection";
import { type Answer, type Faults, orFaults, page, redirect } from "../drawing/answer.ts";
import type { PageDeps } from "../page-deps.ts";
import type { InTenant } from "../router.ts";
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
  const list = async ({ tenant }: InTenant, values = NEW_CATEGORY, faults: Faults = {}) => {
    const categories = await listCategories(db, tenant.id);
    return page("categories", "Categories", { categories, values, faults });
  };

  const show = async (
    context: InTenant,
    given: { values?: CategoryValues; faults?: Faults; refused?: string; eventType?: string } = {},
  ): Promise<Answer> => {
    const { tenant, params } = context;
    const categories = await listCategories(db, tenant.id);
    const category = categories.find(({ key }) => key === params.categoryKey);
    if (category === undefined) throw new NotFound("path", "no such category");
    const templates = await listTemplates(db, tenant.id);
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
    const { tenant, form, audited, base } = context;
    const typed = typedCategory(form);
    const values = { ...typed, key: keyOf(typed) };
    return await orFaults(
      async () => {
        const made = await audited(
          (transaction) =>
            putCategory(transaction, { ...categoryInput(tenant.id, values), only: "new" }),
          (category) => categoryNote("create", tenant.id, category.key, { after: category }),
        );
        return redirect(`${base}/categories/${made.key}`, "added");
      },
      (faults) => list(context, typed, faults),
    );
  });

  route("GET /tenants/:tenantId/categories/:categoryKey", (context) => show(context));

  route("POST /tenants/:tenantId/categories/:categoryKey", async (context) => {
    const { tenant, params, form, audited, base } = context;
    const key = params.categoryKey ?? "";
    const values = { ...typedCategory(form), key };
    return await orFaults(
      async () => {
        await audited(
          async (transaction) => {
            const before = await categoryOf(transaction, tenant.id, key);
            const input = categoryInput(tenant.id, values, before);
            return { before, after: await putCategory(transaction, { ...input, only: "known" }) };
          },
          (change) => categoryNote("update", tenant.id, key, change),
        );
        return redirect(`${base}/categories/${key}`, "saved");
      },
      (faults) => show(context, { values, faults }),
    );
  });

  route("POST /tenants/:tenantId/categories/:categoryKey/delete", async (context) => {
    const { tenant, params, audited, base } = context;
    const key = params.categoryKey ?? "";
    return await orFaults(
      async () => {
        await audited(
          (transaction) => deleteCategory(transaction, { tenantId: tenant.id, key }),
          (before) => categoryNote("delete", tenant.id, key, { before }),
        );
        return redirect(`${base}/categories`, "deleted");
      },
      (faults) => show(context, { refused: `Not deleted: it ${faults.key}.` }),
    );
  });

  for (const verb of ["assign", "unassign"] as const) {
    route(`POST /tenants/:tenantId/categories/:categoryKey/${verb}`, async (context) => {
      const { tenant, params, form, audited, base } = context;
      const key = params.categoryKey ?? "";
      const eventType = (form.get("eventType") ?? "").trim();
      return await orFaults(
        async () => {
          await audited(
            async (transaction) => {
              await categoryOf(transaction, tenant.id, key);
              const category = verb === "assign" ? key : null;
              await assignCategory(transaction, { tenantId: tenant.id, eventType, category });
            },
            () => categoryNote(verb, tenant.id, key, { after: { eventType } }),
          );
          return redirect(`${base}/categories/${key}`, "saved");
        },
        (faults) => show(context, { faults, eventType }),
      );
    });
  }
}

/** Throws `NotFound`. */
async function categoryOf(db: Database, tenantId: string, key: string): Promise<Category> {
  const found = (await listCategories(db, tenantId)).find((one) => one.key === key);
  if (found === undefined) throw new NotFound("path", "no such category");
  return found;
}
