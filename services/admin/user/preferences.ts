import { changePreference } from "@belfry/administration/users/change-preference";
import type { PreferenceChannel } from "@belfry/contracts/preferences";
import { redirect } from "../drawing/answer.ts";
import type { PageDeps } from "../page-deps.ts";

const ENABLED: Readonly<Record<string, boolean>> = { on: true, off: false };
const NOTICE = { true: "turned-on", false: "turned-off", null: "forgotten" } as const;

/** A user's preferences, changed by somebody of the tenant: their source is `by hand`. */
export function preferencePages({ route, db, announcePreferences }: PageDeps): void {
  route("POST /tenants/:tenantId/users/preferences", async ({ tenant, form, actor, base }) => {
    const userId = form.get("user") ?? "";
    const category = form.get("category") ?? "";
    // What is not a channel is refused by administration, which names the field.
    const channel = (form.get("channel") ?? "") as PreferenceChannel;
    const enabled = ENABLED[form.get("to") ?? ""] ?? null;
    const owner = { tenantId: tenant.id, userId };
    const changed = await changePreference(db, actor, { ...owner, category, channel, enabled });
    if (changed > 0) announcePreferences(owner);
    const user = encodeURIComponent(userId);
    return redirect(`${base}/users?user=${user}`, NOTICE[`${enabled}`]);
  });
}
