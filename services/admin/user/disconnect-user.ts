import { type AuditNote, auditedAfter } from "@belfry/administration/audited";
import { NotFound } from "@belfry/administration/input-error";
import { tenantDisconnected } from "@belfry/administration/tenants/tenant-notes";
import { userNote } from "@belfry/administration/users/user-notes";
import { textFault } from "@belfry/contracts/identifiers";
import { type Answer, page, redirect } from "../drawing/answer.ts";
import type { PageDeps } from "../page-deps.ts";
import type { InTenant } from "../router.ts";

/** Closing the connections of open pages, of a user or of all, as `belfry realtime disconnect` does. */
export function disconnectUserPages(deps: PageDeps): void {
  const { route, db, disconnectUser, disconnectTenant, log } = deps;
  const orNotPossible = async (
    { tenant, actor }: InTenant,
    disconnect: () => Promise<void>,
    note: () => AuditNote,
    done: Answer,
  ): Promise<Answer> => {
    try {
      await auditedAfter(db, actor, disconnect, note);
      return done;
    } catch (err) {
      log.warn({ err, tenantId: tenant.id }, "nobody was disconnected");
      const text =
        "Nobody was disconnected: the message broker cannot be reached. Try again in a moment.";
      return page("message", "Not possible", { text }, 503);
    }
  };

  route("POST /tenants/:tenantId/users/disconnect", async (context) => {
    const { tenant, form, base } = context;
    const owner = { tenantId: tenant.id, userId: form.get("user") ?? "" };
    if (textFault(owner.userId) !== undefined) throw new NotFound("user", "no such user");
    return await orNotPossible(
      context,
      () => disconnectUser(owner),
      () => userNote("user.disconnect", owner),
      redirect(`${base}/users?user=${encodeURIComponent(owner.userId)}`, "user-disconnected"),
    );
  });

  route("POST /tenants/:tenantId/users/disconnect-all", (context) =>
    orNotPossible(
      context,
      () => disconnectTenant(context.tenant.id),
      () => tenantDisconnected(context.tenant),
      redirect(`${context.base}/users`, "all-disconnected"),
    ),
  );
}
