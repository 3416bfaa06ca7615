import { ErasuresFull, requestErasure, showErasure } from "@belfry/administration/erasure/erasures";
import { InvalidInput, invalid, NotFound } from "@belfry/administration/input-error";
import { disconnectUsers } from "@belfry/administration/tenants/realtime";
import { deleteDevice } from "@belfry/administration/users/devices";
import { setPreference } from "@belfry/administration/users/preferences";
import { knownUser, putUser, type User } from "@belfry/administration/users/users";
import { textFault } from "@belfry/contracts/identifiers";
import type { PreferenceChannel } from "@belfry/contracts/preferences";
import { MAX_OPEN_ERASURES } from "@belfry/contracts/users";
import { parseVariables } from "@belfry/templates/language/event-variables";
import { type Answer, type Faults, orFaults, page, redirect } from "../page/answer.ts";
import { typedQuietHours, typedTexts } from "../page/form-fields.ts";
import { say } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";

const ENABLED: Readonly<Record<string, boolean>> = { on: true, off: false };
const NOTICE = { true: "turned-on", false: "turned-off", null: "forgotten" } as const;

/** Registers the pages that change a user's facts, preferences and connections, and that erase the user. */
export function changeUserPages({ route, db, log }: PageDeps): void {
  const showForm = (values: { userId: string }, isNew: boolean, faults: Faults = {}): Answer => {
    const title = isNew ? say`New user` : say`Edit ${values.userId}`;
    return page("user-edit", title, { values, isNew, faults });
  };

  route("GET /tenants/:tenantId/users/edit", async ({ tenant, query }) => {
    const userId = query.get("user") ?? "";
    const fault = userId === "" ? undefined : textFault(userId);
    if (userId === "") return showForm(valuesOfUser(""), true);
    if (fault !== undefined) return showForm(valuesOfUser(userId), true, { userId: fault });
    return showForm(valuesOfUser(userId, await knownUser(db, tenant.id, userId)), false);
  });

  route("POST /tenants/:tenantId/users/edit", async ({ form, run, base }) => {
    // The id is not trimmed, because spaces may be part of a tenant's id for a user.
    const values = { ...typedTexts(form, TEXTS), userId: form.get("user") ?? "" };
    const { userId, email, phone, chat, locale, timezone, seen } = values;
    return await orFaults(
      async () =>
        run(putUser, {
          userId,
          email,
          phone,
          chat,
          locale: locale || null,
          timezone: timezone || null,
          attributes: typedAttributes(values.attributes),
          quietHours: typedQuietHours(values),
          seen: seen || null,
        }).then(() => redirect(pageOf(base, userId), "user-saved")),
      (faults) => showForm(values, form.get("isNew") === "yes", faults),
    );
  });

  route("POST /tenants/:tenantId/users/preferences", async ({ form, run, base }) => {
    const userId = form.get("user") ?? "";
    const category = form.get("category") ?? "";
    const channel = (form.get("channel") ?? "") as PreferenceChannel;
    const enabled = ENABLED[form.get("to") ?? ""] ?? null;
    await run(setPreference, { userId, category, channel, enabled });
    return redirect(pageOf(base, userId), NOTICE[`${enabled}`], `switch-${category}-${channel}`);
  });

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
      const text = say`Nobody was disconnected: the message broker cannot be reached. Try again in a moment.`;
      return page("message", say`Not possible`, { text }, 503);
    }
  };

  route("POST /tenants/:tenantId/users/disconnect", (context) => {
    const userId = context.form.get("user") ?? "";
    return disconnect(
      context,
      { userId },
      redirect(pageOf(context.base, userId), "user-disconnected"),
    );
  });

  route("POST /tenants/:tenantId/users/disconnect-all", (context) =>
    disconnect(context, { all: true }, redirect(`${context.base}/users`, "all-disconnected")),
  );

  route("POST /tenants/:tenantId/users/devices/delete", async ({ form, run, base }) => {
    const userId = form.get("user") ?? "";
    await run(deleteDevice, { userId, deviceId: form.get("device") ?? "" });
    return redirect(`${pageOf(base, userId)}#devices`, "device-removed");
  });

  const askToErase = (userId: string, typed = "", fault?: string): Answer => {
    const status = fault === undefined ? 200 : 422;
    const data = { userId, values: { typed }, faults: { typed: fault } };
    return page("user-erase", say`Erase ${userId}`, data, status);
  };

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
    return page("erasure", say`Erasure`, { erasure });
  });
}

/** The text fields. `seen` is when the shown content was saved; empty if the user was not known. */
const TEXTS = [
  "email",
  "phone",
  "chat",
  "locale",
  "timezone",
  "attributes",
  "quietFrom",
  "quietTo",
  "seen",
] as const;

/** Parses the attributes of a form. A text that is no JSON object is a fault of the field. */
function typedAttributes(text: string): Record<string, unknown> | null {
  if (text === "") return null;
  const attributes = parseVariables(text);
  if (attributes === undefined) throw invalid("attributes", "must be a JSON object");
  return attributes;
}

/** Returns the values of a user's form; a new user has the id alone. */
function valuesOfUser(userId: string, user?: User) {
  const { quietHours, updatedAt: seen = "" } = user ?? {};
  const attributes = user?.attributes ? JSON.stringify(user.attributes, null, 2) : "";
  const { from: quietFrom, to: quietTo } = quietHours ?? {};
  return { ...user, userId, attributes, quietFrom, quietTo, seen };
}

function pageOf(base: string, userId: string): string {
  return `${base}/users?user=${encodeURIComponent(userId)}`;
}
