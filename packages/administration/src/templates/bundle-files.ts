import { faultOf } from "@belfry/contracts/fields";
import type { Database } from "@belfry/database/connection";
import { fileText } from "../file-text.ts";
import { faultAt, type InputFault, InvalidInput, invalid, refuseFaults } from "../input-error.ts";
import { type Category, categoriesOfText, readCategories } from "../users/categories.ts";
import { FOOTER_TEXTS } from "./footer-texts.ts";
import { type LayoutSettings, NO_LAYOUT, newestLayout, settingsOfLayout } from "./layout-rows.ts";
import { changedLayout } from "./publish-layout.ts";
import { jsonOf } from "./setting-kinds.ts";
import { writeTemplateFile } from "./template-file.ts";
import {
  filesOfTemplates,
  MAX_FAULTS,
  publishedTemplates,
  readFiles,
  variantKey,
  type WrittenTemplate,
} from "./template-files.ts";
import {
  BUNDLE_FILES,
  CATEGORIES,
  LAYOUT_CONTENT,
  LAYOUT_SETTINGS,
  type TextFiles,
} from "./template-paths.ts";

/** Templates, layout and categories: those that a tenant has published, or those in files. */
export interface Bundle {
  templates: (WrittenTemplate & { path: string; text: string })[];
  /** undefined if no file contains it. It then stays unchanged. */
  layout: LayoutSettings | undefined;
  categories: readonly Category[] | undefined;
}

/** Returns what a tenant has published. Throws `NotFound`. */
export async function bundleOf(db: Database, tenantId: string): Promise<Bundle> {
  const layout = await newestLayout(db, tenantId);
  const templates = await publishedTemplates(db, tenantId);
  const files = filesOfTemplates(templates);
  return {
    templates: templates.map((template, at) => {
      const [path = "", text = ""] = files[at] ?? [];
      return { ...template, path, text };
    }),
    layout: settingsOfLayout(layout),
    categories: await readCategories(db, tenantId),
  };
}

/** Returns the bundle's files. There is no file for an absent part. */
export function filesOf({ templates, layout = NO_LAYOUT, categories = [] }: Bundle): TextFiles {
  return {
    ...Object.fromEntries(templates.map(({ path, text }) => [path, text])),
    ...layoutFiles(layout),
    ...(categories.length > 0 && { [CATEGORIES]: jsonText(categories) }),
  };
}

/** Parses the files of a bundle. Throws `InvalidInput` with the faults of each file. */
export function readBundle(files: TextFiles): Bundle {
  const faults: InputFault[] = [];
  const at = <T>(path: string, read: (text: string) => T): T | undefined => {
    const text = files[path];
    if (text === undefined) return undefined;
    try {
      return read(fileText(text));
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      const told = error.faults.slice(0, MAX_FAULTS);
      const messages = told.map(({ field, message }) => `${path}: ${field} ${message}`);
      faults.push(...messages.map((message) => ({ field: "files", message })));
      return undefined;
    }
  };
  const inFolders = Object.entries(files).filter(
    ([path]) => !BUNDLE_FILES.some((one) => one === path),
  );
  const { templates, faults: ofTemplates } = readFiles(Object.fromEntries(inFolders));
  faults.push(...ofTemplates.slice(0, MAX_FAULTS));
  const settings = at(LAYOUT_SETTINGS, layoutSettings);
  const content = at(LAYOUT_CONTENT, (text) => text);
  // The bundle changes the layout only if it has a file of it.
  const says = content !== undefined || settings !== undefined;
  const layout = says ? changedLayout(NO_LAYOUT, { content, ...settings }) : undefined;
  const categories = at(CATEGORIES, categoriesOfText);
  if (faults.length > 0) throw new InvalidInput(faults);
  return { templates: [...templates.values()], layout, categories };
}

/** A file of a bundle, compared with the tenant's published text. */
export interface BundlePart {
  path: string;
  /** undefined if the tenant has no such part. */
  before: string | undefined;
  /** undefined if the bundle has no such file. The tenant's part then stays. */
  after: string | undefined;
}

/** Compares two bundles by path. Differences in spelling do not count, for example in the order of settings. */
export function partsOf(current: Bundle, given: Bundle): BundlePart[] {
  const [had, has] = [current, given].map(textsOf) as [Texts, Texts];
  const parts = [...new Set([...had.keys(), ...has.keys()])].map((key) => {
    const [before, after] = [had.get(key), has.get(key)];
    // An empty text means that there is no such part. `after` keeps it, because the bundle then removes the part.
    return {
      path: (after ?? before)?.path ?? "",
      before: before?.text || undefined,
      after: after?.text,
    };
  });
  return parts
    .filter(({ before, after }) => before !== undefined || after !== "")
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

type Texts = Map<string, { path: string; text: string }>;

/** Returns the parts of a bundle in one canonical spelling, by a key that identifies each part. */
function textsOf({ templates, layout, categories = [] }: Bundle): Texts {
  const texts: Texts = new Map();
  for (const template of templates) {
    const { file, variant, path } = template;
    const text = writeTemplateFile({ ...file, eventType: undefined });
    texts.set(variantKey({ eventType: template.eventType, ...variant }), {
      path,
      text: `${fileText(text)}\n${variant.format ?? ""}`,
    });
  }
  for (const path of layout === undefined ? [] : [LAYOUT_CONTENT, LAYOUT_SETTINGS]) {
    texts.set(path, { path, text: fileText(layoutFiles(layout ?? NO_LAYOUT)[path] ?? "") });
  }
  for (const category of categories) {
    const path = categoryPath(category.key);
    texts.set(path, { path, text: jsonText(category) });
  }
  return texts;
}

/** Returns the path of a category in a plan, which lists each category separately. */
export function categoryPath(key: string): string {
  return `${CATEGORIES}: ${key}`;
}

function layoutFiles({ content, ...settings }: LayoutSettings): TextFiles {
  const set = Object.entries(settings).filter(([, value]) => value !== null);
  return {
    ...(content !== null && { [LAYOUT_CONTENT]: content }),
    ...(set.length > 0 && { [LAYOUT_SETTINGS]: jsonText(Object.fromEntries(set)) }),
  };
}

function layoutSettings(text: string): Partial<LayoutSettings> {
  const { content: _, ...fields } = NO_LAYOUT;
  const value = jsonObject(text);
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) throw invalid(unknown.slice(0, 80), "is no setting of a layout");
  const { footerTexts, ...texts } = value;
  const wrong = Object.keys(texts).find((name) => typeof texts[name] !== "string");
  if (wrong !== undefined) throw invalid(wrong, "must be a text");
  const fault = footerTexts === undefined ? undefined : faultOf(FOOTER_TEXTS)?.(footerTexts);
  refuseFaults([faultAt("footerTexts", fault)]);
  return value;
}

function jsonObject(text: string): Record<string, unknown> {
  const value = jsonOf(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw invalid("the file", "must hold a JSON object");
}

/** Writes JSON with sorted keys, so that equal values give equal texts. */
function jsonText(value: unknown): string {
  const sorted = (_: string, one: unknown) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one;
  return `${JSON.stringify(value, sorted, 2)}\n`;
}
