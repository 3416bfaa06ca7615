import { COMPILED_AT_ONCE } from "@belfry/administration/act";
import { Conflict, TooLate } from "@belfry/administration/input-error";
import { newestBundleProgress } from "@belfry/administration/templates/bundle-applies";
import { isOpen } from "@belfry/administration/templates/bundle-plan";
import {
  listEnvironments,
  promoteEnvironment,
  promotionDiff,
  setEnvironment,
} from "@belfry/administration/templates/environments";
import { searchTenants, TENANTS_TO_CHOOSE } from "@belfry/administration/tenants/tenant-rows";
import { type Faults, orFaults, page, redirect } from "../page/answer.ts";
import { typedTexts } from "../page/form-fields.ts";
import { say } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";
import { differences } from "./template-texts.ts";

/** Registers the pages that show which environment of a product a tenant is, and that promote bundles into it. */
export function environmentPages({ route, db }: PageDeps): void {
  const show = async (
    { run, tenant, role }: InTenant,
    typed?: Record<string, string | boolean>,
    faults: Faults = {},
  ) => {
    const environments = await run(listEnvironments, {});
    const own = environments.find(({ tenantId }) => tenantId === tenant.id);
    const source = environments.find(({ tenantId }) => tenantId === own?.promotesFrom);
    const values = typed ?? own;
    const tenants =
      role === "operator" ? await searchTenants(db, { limit: TENANTS_TO_CHOOSE }) : [];
    const names = new Map(tenants.map(({ id, name }) => [id, `${name} (${id})`]));
    for (const { tenantId, name } of environments) names.set(tenantId, `${name} (${tenantId})`);
    names.delete(tenant.id);
    const chosen = String(values?.promotesFrom ?? "");
    if (chosen !== "" && !names.has(chosen)) names.set(chosen, chosen);
    return page("environment", say`Environment`, {
      environments,
      own,
      source,
      sources: [...names],
      values,
      faults,
    });
  };

  route("GET /tenants/:tenantId/environment", (context) => show(context));

  route("POST /tenants/:tenantId/environment", async (context) => {
    const { form, run, base } = context;
    const typed = {
      ...typedTexts(form, ["family", "environment", "promotesFrom"]),
      locked: form.has("locked"),
    };
    return await orFaults(
      () =>
        run(setEnvironment, {
          family: typed.family || null,
          environment: typed.environment || null,
          promotesFrom: typed.promotesFrom || null,
          locked: typed.locked,
        }).then(() => redirect(`${base}/environment`, "saved")),
      (faults) => show(context, typed, faults),
    );
  });

  const showPromotion = async (context: InTenant, hasChanged = false) => {
    const newest = await newestBundleProgress(db, context.tenant.id);
    const { plan, parts } = await promotionDiff({
      db,
      tenantId: context.tenant.id,
      actor: context.actor,
      may: context.may,
      compileAtOnce: COMPILED_AT_ONCE,
    });
    const changes = parts.map(({ path, before = "", after = "" }) => ({
      path,
      isNew: before === "",
      lines: differences(before, after),
    }));
    const background = {
      underWay: newest && isOpen(newest) ? newest : undefined,
      failed: newest?.state === "failed" ? newest : undefined,
    };
    const shown = { plan, changes, hasChanged, ...background };
    return page("promotion", say`Promote`, shown, hasChanged ? 409 : 200);
  };

  route("GET /tenants/:tenantId/environment/promotion", (context) => showPromotion(context));

  route("POST /tenants/:tenantId/environment/promotion", async (context) => {
    const { form, run, base } = context;
    try {
      const { id } = await run(promoteEnvironment, { plan: form.get("plan") ?? "" });
      if (id !== undefined) return redirect(`${base}/environment/promotion`);
    } catch (error) {
      if (error instanceof Conflict) return await showPromotion(context, true);
      // Another promotion is running, and the page shows its progress.
      if (error instanceof TooLate) return redirect(`${base}/environment/promotion`);
      throw error;
    }
    return redirect(`${base}/environment`, "published");
  });
}
