import { channelsWith } from "@belfry/contracts/channels";
import { field, integer, orNull, time } from "@belfry/contracts/fields";
import { DEAD_LIST_LINKS } from "@belfry/contracts/message-links";
import type { Database } from "@belfry/database/connection";
import { MAX_SOURCE_BYTES } from "@belfry/templates/language/bounds";
import { linksToUnsubscribe } from "@belfry/templates/unsubscribe-words";
import { type Static, Type } from "@sinclair/typebox";
import { type ActContext, defineAct, defineRead, EDIT, LOOK, optional } from "../act.ts";
import { emailOf } from "../audited.ts";
import { NotFound } from "../input-error.ts";
import { FOOTER_TEXTS } from "./footer-texts.ts";
import {
  LAYOUT_SETTINGS,
  type LayoutName,
  type LayoutRow,
  type LayoutSettings,
  layoutOf,
  layoutVersions,
  NO_LAYOUT,
  newestLayout,
  settingsOfLayout,
} from "./layout-rows.ts";
import { previewSource } from "./preview-template.ts";
import {
  changedLayout,
  checkedLayout,
  type PreparedLayout,
  prepareLayout,
  savePreparedLayout,
} from "./publish-layout.ts";
import { writtenFault } from "./setting-kinds.ts";
import { VERSIONS } from "./template-input.ts";
import { requireOwner } from "./templates.ts";

const DESCRIPTIONS: Record<LayoutName, string> = {
  content: "MJML with {{ $content }} directly in an mj-column; empty: the platform's",
  logoUrl: "https; '' for none",
  primaryColor: "of buttons and links, #rrggbb; '' for the platform's",
  backgroundColor: "behind the content, #rrggbb",
  textColor: "of words, #rrggbb",
  footerText: "below the content, with links as Markdown; '' for none",
  address: "the sender's postal address; '' for none",
};
/**
 * Input fields for the look of mails. A field that is left out stays. Empty or null means the platform's value or none.
 */
const LOOKS = {
  ...layoutOf((name) =>
    optional(
      field<string | null>(
        { type: ["string", "null"], description: DESCRIPTIONS[name] },
        (value) => {
          if (value === null) return undefined;
          const fault = writtenFault(value, MAX_SOURCE_BYTES);
          if (fault !== undefined || !LAYOUT_SETTINGS[name].isColor) return fault;
          const text = String(value).trim();
          return text === "" || /^#?[0-9a-f]{6}$/i.test(text)
            ? undefined
            : "must be a colour as #1a2b3c";
        },
      ),
    ),
  ),
  footerTexts: optional(FOOTER_TEXTS),
};

const view = {
  tenantId: Type.String(),
  version: Type.Integer({ description: "0: the platform's, untouched" }),
  ...layoutOf((name) => orNull(Type.String({ description: DESCRIPTIONS[name] }))),
  footerTexts: orNull(
    Type.Record(Type.String(), Type.String(), { description: "The text below by language" }),
  ),
  savedBy: orNull(Type.String()),
  savedAt: orNull(time("When it was published")),
};
export const Layout = Type.Object(view, { title: "Layout" });
export type LayoutView = Static<typeof Layout>;
const WARNINGS = Type.Array(Type.String(), { description: "Parts that its mails lack" });
const SavedLayout = Type.Object(
  {
    ...view,
    recompiled: Type.Integer({
      description: "How many templates, counted by language, were published again with it",
    }),
    warnings: WARNINGS,
  },
  { title: "SavedLayout" },
);
const EXAMPLE: LayoutView = {
  ...NO_LAYOUT,
  tenantId: "acme",
  version: 1,
  primaryColor: "#1a2b3c",
  savedBy: "ann@example.com",
  savedAt: "2026-11-20T09:00:00.000Z",
};
const SAVED = { ...EXAMPLE, recompiled: 3, warnings: [] };

export const putLayout = defineAct({
  name: "layout put",
  http: "PUT /layout",
  access: EDIT,
  configures: true,
  inBundle: true,
  summary:
    "Change the given settings, and republish every mail in Markdown with them; live within 5 s",
  description:
    "Fields that are left out keep their values. If one mail does not compile with it, the whole change is refused.",
  input: Type.Object({
    ...LOOKS,
    basedOnVersion: optional(
      integer(VERSIONS),
      "the version that the editor began with, 0: none; refused over another",
    ),
  }),
  output: SavedLayout,
  example: { input: { primaryColor: "#1a2b3c" }, output: SAVED },
  prepare: ({ db, tenantId, actor }, input) =>
    prepareLayout(db, { ...input, tenantId, createdBy: emailOf(actor) }),
  run: save,
  audit: noteOf("publish"),
});

export const restoreLayout = defineAct({
  name: "layout restore",
  http: "POST /layout/versions/:version/restore",
  access: EDIT,
  configures: true,
  inBundle: true,
  summary: "Publish an older version again, as the newest",
  input: Type.Object({ version: integer(VERSIONS, { description: "its number" }) }),
  output: SavedLayout,
  example: { input: { version: 1 }, output: SAVED },
  async prepare({ db, tenantId, actor }, { version }) {
    const old = await readLayoutVersion(db, tenantId, version);
    const looks = settingsOfLayout(old);
    // Removes the current footers that the old version did not have.
    const now = (await readLayout(db, tenantId)).footerTexts ?? {};
    const removed = Object.fromEntries(Object.keys(now).map((locale) => [locale, ""]));
    looks.footerTexts = { ...removed, ...looks.footerTexts };
    return await prepareLayout(db, { ...looks, tenantId, createdBy: emailOf(actor) });
  },
  run: save,
  audit: noteOf("restore"),
});

export const removeLayout = defineAct({
  name: "layout remove",
  http: "DELETE /layout",
  access: EDIT,
  configures: true,
  inBundle: true,
  summary: "Reset the layout to the platform's, with nothing of the tenant but its name",
  input: Type.Object({}),
  output: SavedLayout,
  example: { input: {}, output: { ...SAVED, primaryColor: null } },
  prepare: ({ db, tenantId, actor }) =>
    prepareLayout(db, { ...NO_LAYOUT, tenantId, createdBy: emailOf(actor) }),
  run: save,
  audit: noteOf("remove"),
});

export const showLayout = defineRead({
  name: "layout show",
  http: "GET /layout",
  access: LOOK,
  tool: true,
  summary: "The live layout, or one of its versions",
  input: Type.Object({
    version: optional(integer(VERSIONS), "its number; default: the newest"),
  }),
  output: Layout,
  example: { input: {}, output: EXAMPLE },
  run: async ({ db, tenantId }, { version }) =>
    version === undefined
      ? await readLayout(db, tenantId)
      : await readLayoutVersion(db, tenantId, version),
});

export const listLayoutVersions = defineRead({
  name: "layout versions",
  http: "GET /layout/versions",
  access: LOOK,
  summary: "All its versions, newest first",
  input: Type.Object({}),
  output: Type.Array(Layout),
  example: { input: {}, output: [EXAMPLE] },
  run: ({ db, tenantId }) => readLayoutVersions(db, tenantId),
});

export const previewLayout = defineRead({
  name: "layout preview",
  http: "POST /layout/preview",
  access: LOOK,
  summary: "Render a sample mail in a layout, without saving it",
  description: "Fields that are left out have the platform's values.",
  input: Type.Object(LOOKS),
  output: Type.Object({ html: Type.String(), warnings: WARNINGS }),
  example: {
    input: { primaryColor: "#1a2b3c" },
    output: { html: "<!doctype html>…", warnings: [] },
  },
  async run({ db, tenantId }, input) {
    const looks = changedLayout(NO_LAYOUT, { ...input, tenantId });
    const layout = await checkedLayout(db, tenantId, looks);
    const [channel] = channelsWith("email");
    if (channel === undefined) throw new Error("no channel sends mails");
    const inForce = { version: 0, layout };
    const sample = { channel, ...SAMPLE };
    const shown = await previewSource(
      db,
      tenantId,
      sample,
      { name: "Ada" },
      inForce,
      DEAD_LIST_LINKS,
    );
    return { html: shown.kind === "email" ? shown.html : "", warnings: layoutWarnings(looks) };
  },
});

const SAMPLE = {
  format: "markdown",
  subject: "Your order",
  content: `preheader: A mail as yours will look

# Thank you, {{ name }}

This is a mail as it looks in your design: a **heading**, a few words, a [link](https://example.com), and a list.

- Notebook, ruled
- Fountain pen, blue

[See your order](https://example.com/orders)

---

Write to us when anything is not as it should be.
`,
} as const;

/** Publishes a prepared layout, and republishes every Markdown template with it. */
async function save({ db, tenantId }: ActContext, _: unknown, prepared: PreparedLayout) {
  const recompiled = await savePreparedLayout(db, prepared);
  const saved = await readLayout(db, tenantId);
  const output = { ...saved, recompiled, warnings: layoutWarnings(saved) };
  return { output, before: { version: prepared.basedOnVersion } };
}

function noteOf(verb: string) {
  return (_: unknown, { output, before }: Awaited<ReturnType<typeof save>>) => ({
    action: `layout.${verb}`,
    target: "layout",
    before,
    after: { version: output.version, recompiled: output.recompiled },
  });
}

/** Warns if a tenant's own frame lacks the link to unsubscribe. The platform's layout has the link. */
export function layoutWarnings({ content, footerText, footerTexts }: LayoutSettings): string[] {
  if (content === null || linksToUnsubscribe(content)) return [];
  const footers = [footerText ?? "", ...Object.values(footerTexts ?? {})];
  const isShown = content.includes("$footer_text") && footers.every(linksToUnsubscribe);
  return isShown ? [] : [NO_LINK];
}

const NO_LINK =
  "Your frame has no link to unsubscribe: readers look for one below offers and newsletters. Add {{ $unsubscribe_url }} to the frame or to the text below.";

/** Returns the layout in force. Throws `NotFound` for an unknown tenant. */
export async function readLayout(db: Database, tenantId: string): Promise<LayoutView> {
  await requireOwner(db, tenantId);
  const row = await newestLayout(db, tenantId);
  return row === undefined
    ? { tenantId, version: 0, ...NO_LAYOUT, savedBy: null, savedAt: null }
    : layoutView(tenantId, row);
}

/** Returns all versions, newest first. Throws `NotFound` for an unknown tenant. */
export async function readLayoutVersions(db: Database, tenantId: string): Promise<LayoutView[]> {
  await requireOwner(db, tenantId);
  return (await layoutVersions(db, tenantId)).map((row) => layoutView(tenantId, row));
}

/** Returns one version. Throws `NotFound`. */
export async function readLayoutVersion(db: Database, tenantId: string, version: number) {
  const found = (await readLayoutVersions(db, tenantId)).find((one) => one.version === version);
  if (found === undefined) throw new NotFound("version", `the layout has no version ${version}`);
  return found;
}

function layoutView(tenantId: string, row: LayoutRow): LayoutView {
  const { createdBy, createdAt, ...layout } = row;
  return { tenantId, ...layout, savedBy: createdBy, savedAt: createdAt.toISOString() };
}
