import { devicesOfUser } from "@belfry/administration/users/devices";
import type { Device } from "@belfry/contracts/devices";
import { textFault } from "@belfry/contracts/identifiers";
import {
  ANY,
  isPreferenceChannel,
  type PreferenceChange,
  type PreferenceChannel,
} from "@belfry/contracts/preferences";
import { removeDevice } from "@belfry/database/functions/devices";
import {
  type Category,
  categoriesOfTenant,
  type Preference,
  preferencesOfUser,
  setPreferences,
} from "@belfry/database/preferences";
import { channelsInUse } from "@belfry/database/template-channels";
import { escapeHtml } from "@belfry/templates/language/characters";
import {
  filled,
  type Html,
  type LinkPage,
  type LinkVisit,
  type Page,
  tenantText,
} from "./page-frame.ts";
import { channelWords, textFor } from "./page-words.ts";

const ALL_OFF = "all-off";

/** The page with all preferences of a user. It has a box for each category and channel. */
export const preferencePage: LinkPage = {
  purpose: "preferences",
  async show(visit) {
    return await drawn(visit, false);
  },
  async change(visit, form) {
    const deviceId = form.get("device");
    if (deviceId !== null) {
      // Postgres refuses a text with a null byte. No device has such an id.
      if (textFault(deviceId) === undefined) {
        await removeDevice(visit.db, { ...visit.link, deviceId });
      }
      return await drawn(visit, true);
    }
    const { rows, said } = await readTable(visit);
    const changes =
      form.get("action") === ALL_OFF
        ? [{ category: ANY, channel: ANY, enabled: false } as const]
        : changesOf(rows, said, new Set(form.getAll("was")), new Set(form.getAll("is")));
    const changed = await setPreferences(visit.db, visit.link, "preference page", changes);
    if (changed > 0) visit.announceChanged();
    return await drawn(visit, true);
  },
};

async function readTable({ db, link }: LinkVisit) {
  // The queries run one after the other, so that a page uses one connection at a time.
  const categories = await categoriesOfTenant(db, link.tenantId);
  const said = await preferencesOfUser(db, link);
  const used = await channelsInUse(db, link.tenantId);
  const rows = preferenceRows(used.filter(isPreferenceChannel), categories, said);
  return { rows, said, categories: new Map(categories.map((one) => [one.key, one])) };
}

async function drawn(visit: LinkVisit, isSaved: boolean): Promise<Page> {
  const { words, name } = visit;
  const { rows, categories } = await readTable(visit);
  const devices = await devicesOfUser(visit.db, visit.link.tenantId, visit.link.userId);
  const fields = rows.map((row) => rowHtml(visit, row, categories.get(row.key)));
  const content = `<h1>${escapeHtml(words.preferences)}</h1>
${isSaved ? `<p class="done" role="status">${escapeHtml(words.saved)}</p>` : ""}
<p>${filled(words.choose, { name })}</p>
<form method="post">
${fields.join("\n")}
<div class="buttons">
<button class="main">${escapeHtml(words.save)}</button>
<button name="action" value="${ALL_OFF}">${escapeHtml(words.allOff)}</button>
</div>
</form>
${devices.length === 0 ? "" : `<h2>${escapeHtml(words.devices)}</h2>`}
${devices.map((device) => deviceHtml(visit, device)).join("\n")}`;
  return { title: words.preferences, content };
}

function deviceHtml({ words }: LinkVisit, { deviceId, name }: Device): Html {
  const device = tenantText(name ?? deviceId);
  const button = `<button name="device" value="${escapeHtml(deviceId)}">`;
  return `<form method="post">${button}${filled(words.removeDevice, { device })}</button></form>`;
}

function rowHtml(visit: LinkVisit, row: PreferenceRow, category: Category | undefined): Html {
  const { words, languages } = visit;
  const label = category === undefined ? "" : textFor(category.label, languages) || row.key;
  const description = category === undefined ? "" : textFor(category.description, languages);
  const legend = row.key === ANY ? escapeHtml(words.allMessages) : tenantText(label);
  const hints = [
    row.key === ANY ? escapeHtml(words.allHint) : "",
    description === "" ? "" : tenantText(description),
    row.required ? escapeHtml(words.always) : "",
  ].filter((hint) => hint !== "");
  const boxes = [...row.on].map(([channel, isOn]) => boxHtml(visit, row, channel, isOn));
  return `<fieldset>
<legend>${legend}</legend>
${hints.map((hint) => `<p class="soft">${hint}</p>`).join("\n")}
${row.required ? "" : `<div class="choices">${boxes.join("")}</div>`}
</fieldset>`;
}

function boxHtml(
  { words }: LinkVisit,
  { key }: PreferenceRow,
  channel: PreferenceChannel,
  isOn: boolean,
): Html {
  const name = escapeHtml(cellName(key, channel));
  const was = isOn ? `<input type="hidden" name="was" value="${name}">` : "";
  const box = `<input type="checkbox" role="switch" name="is" value="${name}"${isOn ? " checked" : ""}>`;
  return `${was}<label>${box}${escapeHtml(channelWords(words, channel).label)}</label>`;
}

/** A row of the page, for all messages or for one category. */
interface PreferenceRow {
  /** A category's key, or * for all messages. */
  key: string;
  required: boolean;
  /** Whether the row is on, by channel; does not depend on the row for all messages. */
  on: ReadonlyMap<PreferenceChannel, boolean>;
}

/** Returns a user's preferences as rows of boxes: first the row for all messages, then one for each category. */
export function preferenceRows(
  channels: readonly PreferenceChannel[],
  categories: readonly Pick<Category, "key" | "required" | "defaultOn">[],
  said: readonly Preference[],
): PreferenceRow[] {
  const cells = new Map(said.map((one) => [`${one.category}/${one.channel}`, one.enabled]));
  const isOn = (key: string, channel: PreferenceChannel, byDefault: boolean) => {
    const both = [cells.get(`${key}/${channel}`), cells.get(`${key}/${ANY}`)];
    // If the channel or the whole row is off, the box is off.
    return !both.includes(false) && (byDefault || both.includes(true));
  };
  const row = (key: string, required: boolean, byDefault: boolean): PreferenceRow => ({
    key,
    required,
    on: new Map(channels.map((one) => [one, required || isOn(key, one, byDefault)])),
  });
  return [
    row(ANY, false, true),
    ...categories.map(({ key, required, defaultOn }) => row(key, required, defaultOn)),
  ];
}

export const cellName = (key: string, channel: PreferenceChannel) => `${key}/${channel}`;

/**
 * Returns the changes that a form requests. `was` has the boxes that were set when the page was shown, `is` the boxes
 * that are set now. Only boxes of these rows that differ are changed, so that changes of another tab stay.
 */
export function changesOf(
  rows: readonly PreferenceRow[],
  said: readonly Preference[],
  was: ReadonlySet<string>,
  is: ReadonlySet<string>,
): PreferenceChange[] {
  return rows.flatMap(({ key, required, on }) => {
    if (required) return [];
    const changed = [...on.keys()].filter((channel) => {
      const name = cellName(key, channel);
      return was.has(name) !== is.has(name);
    });
    const wanted = (channel: PreferenceChannel) => {
      return changed.includes(channel) ? is.has(cellName(key, channel)) : on.get(channel) === true;
    };
    const cellsOf = (channels: readonly PreferenceChannel[]): PreferenceChange[] =>
      channels.map((channel) => ({ category: key, channel, enabled: wanted(channel) }));
    const allOff = said.some((one) => one.category === key && one.channel === ANY && !one.enabled);
    // While the whole row is off, a box cannot be on. So the row's "off" is replaced by one value for each channel.
    if (allOff && changed.some(wanted)) {
      return [{ category: key, channel: ANY, enabled: null }, ...cellsOf([...on.keys()])];
    }
    return cellsOf(changed);
  });
}
