import { setPreference } from "@belfry/administration/users/preferences";
import type { PreferenceChannel } from "@belfry/contracts/preferences";
import { redirect } from "../page/answer.ts";
import type { PageDeps } from "../page/page-deps.ts";

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
