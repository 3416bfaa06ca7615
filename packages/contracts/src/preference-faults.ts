import { listed } from "./channels.ts";
import {
  ANY,
  isPreferenceChannel,
  PREFERENCE_CHANNELS,
  type PreferenceChange,
} from "./preferences.ts";

export interface PreferenceFault {
  field: keyof PreferenceChange;
  /** Follows the field's name. */
  message: string;
}

/** The faults of one change, among the tenant's categories, by key. */
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
