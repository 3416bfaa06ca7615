import { InvalidInput } from "@belfry/administration/input-error";
import { disconnectUsers } from "@belfry/administration/tenants/realtime";
import { type Answer, page, redirect } from "../page/answer.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";

/** Closing the connections of open pages, of a user or of all. */
export function disconnectUserPages({ route, log }: PageDeps): void {
  const disconnect = async (
    { tenant, run }: InTenant,
    whom: { userId: string } | { all: true },
    done: Answer,
  ): Promise<Answer> => {
    try {
      await run(disconnectUsers, whom);
      return done;
    } catch (err) {
      if (err instanceof InvalidInput) throw err;
      log.warn({ err, tenantId: tenant.id }, "nobody was disconnected");
      const text =
        "Nobody was disconnected: the message broker cannot be reached. Try again in a moment.";
      return page("message", "Not possible", { text }, 503);
    }
  };

  route("POST /tenants/:tenantId/users/disconnect", (context) => {
    const userId = context.form.get("user") ?? "";
    const path = `${context.base}/users?user=${encodeURIComponent(userId)}`;
    return disconnect(context, { userId }, redirect(path, "user-disconnected"));
  });

  route("POST /tenants/:tenantId/users/disconnect-all", (context) =>
    disconnect(context, { all: true }, redirect(`${context.base}/users`, "all-disconnected")),
  );
}
