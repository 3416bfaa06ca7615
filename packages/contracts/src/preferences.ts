import { type Static, Type } from "@sinclair/typebox";
import { CHANNELS, type Channel, listed } from "./channels.ts";
import { field, oneOf, success } from "./fields.ts";

/** `GET|PATCH /api/v1/users/{userId}/preferences`: a user's preferences by category and channel. */
export const PREFERENCES_PATH = "/api/v1/users/:userId/preferences";

/** In place of a category or a channel: all of them. */
export const ANY = "*";
export type PreferenceChannel = Channel | typeof ANY;
export const PREFERENCE_CHANNELS = [ANY, ...CHANNELS] as const;

/** The sources of preferences, as the timeline displays them. The table of preferences has the same list. */
export const PREFERENCE_SOURCES = [
  "api",
  "preference page",
  "unsubscribe link",
  "inbox",
  "import",
  "by hand",
] as const;
export type PreferenceSource = (typeof PREFERENCE_SOURCES)[number];

/** The table of categories has the same pattern. */
export const CATEGORY_KEY = /^[a-z0-9][a-z0-9_.-]{0,63}$/;
const NO_CATEGORY_KEY = "must be 1 to 64 of a-z, 0-9, _ . and -, the first a letter or a digit";

export function categoryKey() {
  const keywords = { type: "string", pattern: CATEGORY_KEY.source };
  return field<string>({ ...keywords, description: "1 to 64 of a-z, 0-9, _ . and -" }, (value) =>
    typeof value === "string" && CATEGORY_KEY.test(value) ? undefined : NO_CATEGORY_KEY,
  );
}
export const MAX_CATEGORIES = 100;
/** The maximum of changes in one call. */
export const MAX_PREFERENCES = 500;

/** The change of one preference: a cell of the table of categories and channels. */
export interface PreferenceChange {
  /** A category's key, or * for all of them. */
  category: string;
  channel: PreferenceChannel;
  /** null deletes the preference, so that the category's default applies again. */
  enabled: boolean | null;
}

export function isPreferenceChannel(value: unknown): value is PreferenceChannel {
  return PREFERENCE_CHANNELS.includes(value as PreferenceChannel);
}

/** A preference as a client sends it. */
export const PreferenceCell = Type.Object({
  category: field<string>(
    {
      type: "string",
      description: "The key of a category, or * for all of them",
      examples: [ANY, "offers"],
    },
    (value) => (typeof value === "string" ? undefined : "must be a string"),
  ),
  channel: oneOf(PREFERENCE_CHANNELS, { description: "A channel, or * for all of them" }),
  enabled: field<boolean | null>(
    {
      type: ["boolean", "null"],
      description: "null deletes the choice: the default of the category applies again",
    },
    (value) =>
      value === null || typeof value === "boolean" ? undefined : "must be true, false or null",
  ),
});

export const ChangePreferencesRequest = Type.Object(
  {
    preferences: Type.Array(PreferenceCell, {
      maxItems: MAX_PREFERENCES,
      description: "If a cell is repeated, the last one counts",
    }),
  },
  { title: "ChangePreferencesRequest" },
);
export type ChangePreferencesRequest = Static<typeof ChangePreferencesRequest>;

const texts = (description: string) =>
  Type.Record(Type.String(), Type.String(), { description: `${description}; "" is the default` });

export const PreferencesResponse = Type.Object(
  {
    success,
    data: Type.Object({
      userId: Type.String(),
      preferences: Type.Array(
        Type.Object({
          category: Type.String({ description: "A key, or *" }),
          channel: oneOf(PREFERENCE_CHANNELS),
          enabled: Type.Boolean(),
          source: oneOf(PREFERENCE_SOURCES, {
            description: "The place where the user made the choice",
          }),
          at: Type.String({ description: "When; ISO 8601, UTC" }),
        }),
        {
          description:
            "The user's choices. A cell that is not listed has the default of its category",
        },
      ),
      categories: Type.Array(
        Type.Object({
          key: Type.String(),
          label: texts("Texts by language"),
          description: texts("Texts by language"),
          required: Type.Boolean({
            description: "Messages are sent even to users who turned it off",
          }),
          defaultOn: Type.Boolean({
            description: "false: messages are sent only to users who turned it on",
          }),
        }),
        { description: "All categories of the tenant, in their order" },
      ),
    }),
  },
  { title: "PreferencesResponse" },
);
export type PreferencesResponse = Static<typeof PreferencesResponse>;

export interface PreferenceFault {
  field: keyof PreferenceChange;
  /** The text after the field's name. */
  message: string;
}

/** Returns the faults of one change. `categories` are those of the tenant, by key. */
export function preferenceFaults(
  { category, channel, enabled }: PreferenceChange,
  categories: ReadonlyMap<string, { required: boolean }>,
): PreferenceFault[] {
  const found = categories.get(category);
  const faults: PreferenceFault[] = [];
  if (category !== ANY && found === undefined) {
    const message = `must be ${ANY} or the key of a category: ${JSON.stringify(category.slice(0, 64))}`;
    faults.push({ field: "category", message });
  } else if (found?.required && enabled === false) {
    const message = `is required, and cannot be turned off: ${JSON.stringify(category)}`;
    faults.push({ field: "category", message });
  }
  if (!isPreferenceChannel(channel)) {
    faults.push({ field: "channel", message: `must be ${listed(PREFERENCE_CHANNELS, "or")}` });
  }
  return faults;
}
