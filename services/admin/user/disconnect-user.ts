import { auditedAfter } from "@belfry/administration/audited";
import { NotFound } from "@belfry/administration/input-error";
import { userNote } from "@belfry/administration/users/user-notes";
import { textFault } from "@belfry/contracts/identifiers";
import { page, redirect } from "../drawing/answer.ts";
import type { PageDeps } from "../page-deps.ts";

/** Closing the connections of a user's open pages, as `belfry realtime disconnect` does. */
export function disconnectUserPages({ route, db, disconnectUser, log }: PageDeps): void {
  route("POST /tenants/:tenantId/users/disconnect", async ({ tenant, form, actor, base }) => {
    const owner = { tenantId: tenant.id, userId: form.get("user") ?? "" };
    if (textFault(owner.userId) !== undefined) throw new NotFound("user", "no such user");
    try {
      await auditedAfter(
        db,
        actor,
        () => disconnectUser(owner),
        () => userNote("user.disconnect", owner),
      );
    } catch (err) {
      log.warn({ err, tenantId: tenant.id }, "a user was not disconnected");
      const text =
        "Nobody was disconnected: the message broker cannot be reached. Try again in a moment.";
      return page("message", "Not possible", { text }, 503);
    }
    return redirect(`${base}/users?user=${encodeURIComponent(owner.userId)}`, "user-disconnected");
  });
}
