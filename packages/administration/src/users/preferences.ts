import { EXAMPLE_CHANNEL } from "@belfry/contracts/channels";
import { oneOf } from "@belfry/contracts/fields";
import {
  ChangePreferencesRequest,
  PREFERENCE_CHANNELS,
  PreferenceCell,
  type PreferenceChange,
  PreferencesResponse,
} from "@belfry/contracts/preferences";
import type { Database } from "@belfry/database/connection";
import {
  changePreferencesOfUser,
  notePreferenceChange,
  shownPreferences,
} from "@belfry/database/preferences";
import { type Static, Type } from "@sinclair/typebox";
import { type Access, type ActContext, defineAct, defineRead, EDIT, note } from "../act.ts";
import { refuseFaults } from "../input-error.ts";
import { requireTenant } from "../tenants/tenant-rows.ts";
import { USER_FIELDS } from "./users.ts";

/** A user's preferences and the tenant's categories. */
const Preferences = PreferencesResponse.properties.data;
type Preferences = Static<typeof Preferences>;

export const CELL = { category: "offers", channel: EXAMPLE_CHANNEL, enabled: false };
export const PREFERENCES: Preferences = {
  userId: "user-1",
  preferences: [{ ...CELL, source: "preference page", at: "2026-11-02T09:30:00.000Z" }],
  categories: [
    {
      key: "offers",
      label: { "": "Offers", de: "Angebote" },
      description: { "": "Sales, twice a month" },
      required: false,
      defaultOn: true,
    },
  ],
};
const SAY: Access = { scope: "tenant", person: "editor", key: "users" };
const { userId } = USER_FIELDS;

export const showPreferences = defineRead({
  name: "user preferences",
  http: "GET /api/v1/users/:userId/preferences",
  access: { scope: "tenant", person: "viewer", key: "read" },
  tool: true,
  summary: "A user's preferences, where and when each was set, and the categories",
  description: "Works for any user id, because a tenant need not have stored its users.",
  input: Type.Object({ userId }),
  output: Preferences,
  example: { input: { userId: "user-1" }, output: PREFERENCES },
  run: ({ db, tenantId }, input) => readPreferences(db, tenantId, input.userId),
});

export const setPreference = defineAct({
  name: "user preference set",
  http: "PUT /users/:userId/preferences/:category/:channel",
  access: EDIT,
  summary: "Turn a category on a channel on or off for a user, or clear the choice",
  input: Type.Object({
    userId,
    ...PreferenceCell.properties,
    channel: oneOf(PREFERENCE_CHANNELS, { description: PREFERENCE_CHANNELS.join(", ") }),
    enabled: {
      ...PreferenceCell.properties.enabled,
      description: "default or null deletes the choice, so that the category's default applies",
    },
  }),
  output: Preferences,
  example: { input: { userId: "user-1", ...CELL }, output: PREFERENCES },
  flags: {
    category: "--category <key|*>",
    channel: "--channel <channel|*>",
    enabled: "--enabled <on|off|default>",
  },
  prepare: noted,
  async run(context, { userId: id, ...cell }) {
    return await change(context, id, [cell], (_, field) => field);
  },
  audit: ({ userId: target, ...after }, { changed }) =>
    changed === 0 ? undefined : note("user.preference", target, { after }),
  async after({ services, tenantId }, { userId: id }, { changed }) {
    if (changed > 0) await services.announcePreferences({ tenantId, userId: id });
  },
});

export const changePreferences = defineAct({
  name: "user preference change",
  http: "PATCH /api/v1/users/:userId/preferences",
  access: SAY,
  command: false,
  summary: "Change a user's preferences",
  description:
    "Changes all given cells, or none if one is invalid. The others keep their values. It applies to every event that is dispatched from then on. An off in one cell always wins over an on in another cell, and a required category cannot be turned off.",
  input: Type.Object({ userId, ...ChangePreferencesRequest.properties }),
  output: Preferences,
  example: { input: { userId: "user-1", preferences: [CELL] }, output: PREFERENCES },
  prepare: noted,
  async run(context, { userId: id, preferences }) {
    return await change(context, id, preferences, (at, field) => `preferences[${at}].${field}`);
  },
  audit: ({ userId: target, preferences }, { changed }) =>
    (changed === 0 ? [] : preferences).map((after) => note("user.preference", target, { after })),
  async after({ services, tenantId }, { userId: id }, { changed }) {
    if (changed > 0) await services.announcePreferences({ tenantId, userId: id });
  },
});

async function readPreferences(db: Database, tenantId: string, id: string) {
  return { userId: id, ...(await shownPreferences(db, { tenantId, userId: id })) };
}

/**
 * Changes a user's preferences for every event that is dispatched later. Throws `InvalidInput`, for example if a
 * required category would be turned off.
 */
async function change(
  { db, tenantId, actor }: ActContext,
  id: string,
  cells: readonly PreferenceChange[],
  fieldOf: (at: number, field: keyof PreferenceChange) => string,
) {
  await requireTenant(db, tenantId);
  const owner = { tenantId, userId: id };
  const source = actor.isProgram ? "api" : "by hand";
  const { faults, changed } = await changePreferencesOfUser(db, owner, source, cells);
  refuseFaults(faults.map(({ at, field, message }) => ({ field: fieldOf(at, field), message })));
  return { output: await readPreferences(db, tenantId, id), changed };
}

/** Runs before the transaction, which would otherwise lock the tenant's row until it ends. */
function noted({ db, tenantId }: ActContext): Promise<void> {
  return notePreferenceChange(db, tenantId);
}
