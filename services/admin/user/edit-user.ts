import { knownUser, putUser } from "@belfry/administration/users/users";
import { textFault } from "@belfry/contracts/identifiers";
import { type Answer, type Faults, orFaults, page, redirect } from "../page/answer.ts";
import type { PageDeps } from "../page/page-deps.ts";
import { typedUser, type UserValues, userInput, valuesOfUser } from "./user-form.ts";

/** What a tenant says of its users, said by a person: a new one by id, or one that there is. */
export function editUserPages({ route, db }: PageDeps): void {
  const show = (values: UserValues, isNew: boolean, faults: Faults = {}): Answer => {
    const title = isNew ? "New user" : `Edit ${values.userId}`;
    return page("user-edit", title, { values, isNew, faults });
  };

  route("GET /tenants/:tenantId/users/edit", async ({ tenant, query }) => {
    const userId = query.get("user") ?? "";
    const fault = userId === "" ? undefined : textFault(userId);
    if (userId === "") return show(valuesOfUser("", undefined), true);
    if (fault !== undefined) return show(valuesOfUser(userId, undefined), true, { userId: fault });
    return show(valuesOfUser(userId, await knownUser(db, tenant.id, userId)), false);
  });

  route("POST /tenants/:tenantId/users/edit", async ({ form, run, base }) => {
    const values = typedUser(form);
    return await orFaults(
      async () => {
        const seen = values.seen === "" ? null : values.seen;
        await run(putUser, { ...userInput(values), seen });
        return redirect(`${base}/users?user=${encodeURIComponent(values.userId)}`, "user-saved");
      },
      (faults) => show(values, form.get("isNew") === "yes", faults),
    );
  });
}
