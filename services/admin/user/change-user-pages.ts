import { ErasuresFull, requestErasure, showErasure } from "@belfry/administration/erasure/erasures";
import { InvalidInput, NotFound } from "@belfry/administration/input-error";
import { disconnectUsers } from "@belfry/administration/tenants/realtime";
import { setPreference } from "@belfry/administration/users/preferences";
import { knownUser, putUser, type User, type UserInput } from "@belfry/administration/users/users";
import { MAX_OPEN_ERASURES } from "@belfry/contracts/erasure";
import { textFault } from "@belfry/contracts/identifiers";
import type { PreferenceChannel } from "@belfry/contracts/preferences";
import { type Answer, type Faults, orFaults, page, redirect } from "../page/answer.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";

/** What a tenant says of its users, said by a person: a new one by id, or one that there is. */
export function editUserPages({ route, db }: PageDeps): void {
  const showForm = (values: UserValues, isNew: boolean, faults: Faults = {}): Answer => {
    const title = isNew ? "New user" : `Edit ${values.userId}`;
    return page("user-edit", title, { values, isNew, faults });
  };

  route("GET /tenants/:tenantId/users/edit", async ({ tenant, query }) => {
    const userId = query.get("user") ?? "";
    const fault = userId === "" ? undefined : textFault(userId);
    if (userId === "") return showForm(valuesOfUser("", undefined), true);
    if (fault !== undefined)
      return showForm(valuesOfUser(userId, undefined), true, { userId: fault });
    return showForm(valuesOfUser(userId, await knownUser(db, tenant.id, userId)), false);
  });

  route("POST /tenants/:tenantId/users/edit", async ({ form, run, base }) => {
    const values = typedUser(form);
    return await orFaults(
      async () => {
        const seen = values.seen === "" ? null : values.seen;
        await run(putUser, { ...userInput(values), seen });
        return redirect(`${base}/users?user=${encodeURIComponent(values.userId)}`, "user-saved");
      },
      (faults) => showForm(values, form.get("isNew") === "yes", faults),
    );
  });
}

/** A user as its form has it. */
interface UserValues {
  userId: string;
  email: string;
  phone: string;
  locale: string;
  timezone: string;
  /** Both empty: the tenant's. */
  quietFrom: string;
  quietTo: string;
  /** When what the form began with was saved; empty: the user was not known. */
  seen: string;
}

function valuesOfUser(userId: string, user: User | undefined): UserValues {
  return {
    userId,
    email: user?.email ?? "",
    phone: user?.phone ?? "",
    locale: user?.locale ?? "",
    timezone: user?.timezone ?? "",
    quietFrom: user?.quietHours?.from ?? "",
    quietTo: user?.quietHours?.to ?? "",
    seen: user?.updatedAt ?? "",
  };
}

function typedUser(form: URLSearchParams): UserValues {
  const text = (name: string) => (form.get(name) ?? "").trim();
  return {
    // Not trimmed: it is the tenant's own id, to the letter.
    userId: form.get("user") ?? "",
    ...{ email: text("email"), phone: text("phone"), locale: text("locale") },
    timezone: text("timezone"),
    ...{ quietFrom: text("quietFrom"), quietTo: text("quietTo"), seen: text("seen") },
  };
}

function userInput(values: UserValues): UserInput {
  const { userId, email, phone, locale, timezone, quietFrom: from, quietTo: to } = values;
  const quietHours = from === "" && to === "" ? null : { from, to };
  const [language, zone] = [locale || null, timezone || null];
  return { userId, email, phone, locale: language, timezone: zone, quietHours };
}

const ENABLED: Readonly<Record<string, boolean>> = { on: true, off: false };
const NOTICE = { true: "turned-on", false: "turned-off", null: "forgotten" } as const;

/** A user's preferences, changed by somebody of the tenant: their source is `by hand`. */
export function preferencePages({ route }: PageDeps): void {
  route("POST /tenants/:tenantId/users/preferences", async ({ form, run, base }) => {
    const userId = form.get("user") ?? "";
    const category = form.get("category") ?? "";
    const channel = (form.get("channel") ?? "") as PreferenceChannel;
    const enabled = ENABLED[form.get("to") ?? ""] ?? null;
    await run(setPreference, { userId, category, channel, enabled });
    const user = encodeURIComponent(userId);
    return redirect(`${base}/users?user=${user}`, NOTICE[`${enabled}`]);
  });
}

/** Erasing a user: what goes and what stays is said first, and the id is typed once more. */
export function eraseUserPages({ route }: PageDeps): void {
  const askToErase = (userId: string, typed = "", fault?: string): Answer =>
    page(
      "user-erase",
      `Erase ${userId}`,
      { userId, typed, fault },
      fault === undefined ? 200 : 422,
    );

  route("GET /tenants/:tenantId/users/erase", async ({ query }) => {
    const userId = query.get("user") ?? "";
    if (textFault(userId) !== undefined) throw new NotFound("user", "no such user");
    return askToErase(userId);
  });

  route("POST /tenants/:tenantId/users/erase", async ({ form, run, base }) => {
    const userId = form.get("user") ?? "";
    const typed = form.get("typed") ?? "";
    if (typed !== userId) return askToErase(userId, typed, "must be exactly the user id");
    try {
      const { id } = await run(requestErasure, { userId });
      return redirect(`${base}/users/erasures/${id}`);
    } catch (error) {
      if (!(error instanceof ErasuresFull)) throw error;
      const fault = `cannot be erased now: ${MAX_OPEN_ERASURES} users of this tenant are already queued`;
      return askToErase(userId, typed, fault);
    }
  });

  route("GET /tenants/:tenantId/users/erasures/:erasureId", async ({ run, params }) => {
    const erasure = await run(showErasure, { erasureId: params.erasureId ?? "" });
    return page("erasure", "Erasure", { erasure });
  });
}

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
