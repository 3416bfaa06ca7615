import type { InputFault } from "@belfry/administration/input-error";
import { listCategories } from "@belfry/administration/users/categories";
import { importUnsubscribes } from "@belfry/administration/users/import-unsubscribes";
import { PREFERENCE_CHANNELS } from "@belfry/contracts/preferences";
import { orFaults, page } from "../page/answer.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";

/** Unsubscribes that a tenant brings from elsewhere: all of a list, or nothing of it. */
export function importPages({ route, once }: PageDeps): void {
  const show = async ({ run }: InTenant, extra: object = {}) =>
    page("import", "Import unsubscribes", {
      ...{ lines: "", faults: [], done: undefined },
      categories: await run(listCategories, {}),
      channels: PREFERENCE_CHANNELS,
      ...extra,
    });

  route("GET /tenants/:tenantId/users/import", async (context) =>
    show(context, await once.take(context)),
  );

  route("POST /tenants/:tenantId/users/import", async (context) => {
    const { form, run, person, base } = context;
    const lines = form.get("lines") ?? "";
    return await orFaults(
      async () => {
        const done = await run(importUnsubscribes, { file: lines });
        return await once.show(person, `${base}/users/import`, { done });
      },
      (_, faults: readonly InputFault[]) => show(context, { lines, faults }),
    );
  });
}
