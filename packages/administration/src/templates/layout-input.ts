import type { InputFault } from "../input-error.ts";
import { type LayoutSettings, NO_LAYOUT } from "./layout-rows.ts";

/** What is left out stays; null is the platform's, or none. */
export interface LayoutInput extends Given<LayoutSettings> {
  /** `platform` for the `global.*` templates. */
  tenantId: string;
  /** The version that the editor began with (0: none yet): a save over another's is refused. */
  basedOnVersion?: number | undefined;
  /** Who saved it, for the version's record. */
  createdBy?: string | undefined;
}
type Given<T> = { [Name in keyof T]?: T[Name] | undefined };

const FIELDS = Object.keys(NO_LAYOUT) as (keyof LayoutSettings)[];
const COLORS = ["primaryColor", "backgroundColor", "textColor"] as const;

/** The layout with what is given; an empty text is none, and a colour is written in lower case. */
export function changedLayout(now: LayoutSettings, input: Given<LayoutSettings>): LayoutSettings {
  const changed = { ...now };
  for (const field of FIELDS) {
    const given = input[field];
    if (given === undefined) continue;
    changed[field] = given === null || given.trim() === "" ? null : given;
  }
  for (const field of COLORS) changed[field] = changed[field]?.trim().toLowerCase() ?? null;
  changed.logoUrl = changed.logoUrl?.trim() ?? null;
  return changed;
}

/** What the table cannot hold; all else the compiler judges. */
export function layoutInputFaults(input: LayoutInput): (InputFault | undefined)[] {
  return FIELDS.map((field) => {
    const text = input[field];
    if (text === undefined || text === null) return undefined;
    if (text.includes("\u0000") || !text.isWellFormed()) {
      return { field, message: "must not contain NUL or lone surrogates" };
    }
    const isColor = COLORS.some((one) => one === field);
    if (isColor && text.trim() !== "" && !/^#[0-9a-f]{6}$/i.test(text.trim())) {
      return { field, message: "must be a colour as #1a2b3c" };
    }
    return undefined;
  });
}
