import {
  requestTenantDeletion,
  showTenantDeletion,
} from "@belfry/administration/erasure/tenant-deletions";
import { whatTenantHas } from "@belfry/administration/erasure/what-tenant-has";
import { orFaults, page, redirect } from "../page/answer.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";

/** Deleting a tenant: what goes is said first, and its name is typed once more. */
export function deleteTenantPages({ route, db }: PageDeps): void {
  const show = async ({ tenant }: InTenant, typed = "", fault?: string) =>
    page("tenant-delete", `Delete ${tenant.name}`, {
      ...{ typed, fault, has: await whatTenantHas(db, tenant.id) },
    });

  route("GET /tenants/:tenantId/delete", (context) => show(context));

  route("POST /tenants/:tenantId/delete", async (context) => {
    const { tenant, form, run } = context;
    const typed = form.get("typed") ?? "";
    return await orFaults(
      async () => {
        await run(requestTenantDeletion, { id: tenant.id, typed });
        return redirect(`/deletions/${tenant.id}`);
      },
      ({ typed: fault }) => show(context, typed, fault),
    );
  });

  route("GET /deletions/:deletedId", async ({ params, run }) => {
    const deletion = await run(showTenantDeletion, { id: params.deletedId ?? "" });
    return page("tenant-deletion", `Deletion of ${deletion.name}`, { deletion });
  });
}
