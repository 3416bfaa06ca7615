import { ErasuresFull, requestErasure, showErasure } from "@belfry/administration/erasure/erasures";
import { NotFound } from "@belfry/administration/input-error";
import { MAX_OPEN_ERASURES } from "@belfry/contracts/erasure";
import { textFault } from "@belfry/contracts/identifiers";
import { type Answer, page, redirect } from "../page/answer.ts";
import type { PageDeps } from "../page/page-deps.ts";

/** Erasing a user: what goes and what stays is said first, and the id is typed once more. */
export function eraseUserPages({ route }: PageDeps): void {
  const show = (userId: string, typed = "", fault?: string): Answer =>
    page(
      "user-erase",
      `Erase ${userId}`,
      { userId, typed, fault },
      fault === undefined ? 200 : 422,
    );

  route("GET /tenants/:tenantId/users/erase", async ({ query }) => {
    const userId = query.get("user") ?? "";
    if (textFault(userId) !== undefined) throw new NotFound("user", "no such user");
    return show(userId);
  });

  route("POST /tenants/:tenantId/users/erase", async ({ form, run, base }) => {
    const userId = form.get("user") ?? "";
    const typed = form.get("typed") ?? "";
    if (typed !== userId) return show(userId, typed, "must be exactly the user id");
    try {
      const { id } = await run(requestErasure, { userId });
      return redirect(`${base}/users/erasures/${id}`);
    } catch (error) {
      if (!(error instanceof ErasuresFull)) throw error;
      const fault = `cannot be erased now: ${MAX_OPEN_ERASURES} users of this tenant are already queued`;
      return show(userId, typed, fault);
    }
  });

  route("GET /tenants/:tenantId/users/erasures/:erasureId", async ({ run, params }) => {
    const erasure = await run(showErasure, { erasureId: params.erasureId ?? "" });
    return page("erasure", "Erasure", { erasure });
  });
}
