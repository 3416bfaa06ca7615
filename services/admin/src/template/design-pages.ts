import { listImages } from "@belfry/administration/images/images";
import { Conflict, type InputFault, InvalidInput } from "@belfry/administration/input-error";
import {
  LAYOUT_NAMES,
  type LayoutName,
  layoutOf,
} from "@belfry/administration/templates/layout-rows";
import {
  type LayoutView,
  previewLayout,
  putLayout,
  readLayout,
  readLayoutVersions,
  removeLayout,
  restoreLayout,
} from "@belfry/administration/templates/layouts";
import { PLATFORM_COLORS } from "@belfry/templates/source";
import { mayDo } from "../page/access.ts";
import { type Answer, faultsByField, json, page, redirect, withStatus } from "../page/answer.ts";
import { faultWords, inWords } from "../page/fault-words.ts";
import { say } from "../page/language.ts";
import { languageName, offeredLanguages } from "../page/locale-names.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";
import { markedHtml } from "./unfilled-marks.ts";

interface Values extends Record<LayoutName, string> {
  footerTexts: Record<string, string>;
}

/** The colours: name, label, and the platform's default. */
const COLORS = [
  ["primaryColor", say`Buttons and links`, PLATFORM_COLORS.primaryColor],
  ["backgroundColor", say`Behind the mail`, PLATFORM_COLORS.backgroundColor],
  ["textColor", say`Text`, PLATFORM_COLORS.textColor],
];
const EFFECT = say`Applies to every Simple mail within 5 seconds. Drafts use it when they are published.`;

/** Registers the pages for the layout of a tenant's simple mails: logo, colours and footer, or a frame of its own. */
export function designPages({ route, db }: PageDeps): void {
  const show = async (
    context: InTenant,
    given: { values?: Values; faults?: readonly InputFault[]; conflict?: boolean } = {},
  ): Promise<Answer> => {
    const { tenant, role } = context;
    const view = await readLayout(db, tenant.id);
    const faults = given.faults ?? [];
    return page("design", say`Design`, {
      view,
      colors: COLORS,
      effect: EFFECT,
      conflict: given.conflict,
      images: await context.run(listImages, {}),
      ...footersOf(given.values ?? valuesOf(view)),
      values: given.values ?? valuesOf(view),
      faults: faultsByField(faults.filter(({ field }) => field !== "layout")),
      refused: faults
        .filter(({ field }) => field === "layout")
        .map(({ message }) => faultWords(message)),
      mayEdit: mayDo(role, "editor"),
      isOwn: ALL_NAMES.some((field) => view[field] !== null),
      versions: (await readLayoutVersions(db, tenant.id)).map((one) => ({
        version: one.version,
        savedBy: one.savedBy,
        savedAt: one.savedAt,
        summary: summaryOf(one),
      })),
    });
  };

  route("GET /tenants/:tenantId/design", (context) => show(context));

  route("POST /tenants/:tenantId/design/preview", async ({ run, form }) => {
    try {
      const { html, warnings } = await run(previewLayout, typedValues(form));
      const preview = { kind: "email", subject: [], html: markedHtml(html), text: [] };
      const told = warnings.map((message) => ({ field: "layout", message }));
      return json({ ok: true, preview, warnings: told });
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      return json({ ok: false, faults: inWords(error.faults) });
    }
  });

  const save = async (context: InTenant, change: () => Promise<unknown>, values?: Values) => {
    try {
      await change();
      return redirect(`${context.base}/design`, "published");
    } catch (error) {
      const kept = values === undefined ? {} : { values };
      if (error instanceof InvalidInput) {
        return withStatus(422, await show(context, { ...kept, faults: error.faults }));
      }
      if (!(error instanceof Conflict)) throw error;
      return withStatus(409, await show(context, { ...kept, conflict: true }));
    }
  };

  route("POST /tenants/:tenantId/design", async (context) => {
    const { form, run } = context;
    const values = typedValues(form);
    const basedOnVersion = Number(form.get("basedOnVersion")) || 0;
    return await save(context, () => run(putLayout, { ...values, basedOnVersion }), values);
  });

  route("POST /tenants/:tenantId/design/restore", async (context) => {
    const { form, run } = context;
    const version = Number(form.get("version"));
    return await save(context, () => run(restoreLayout, { version }));
  });

  route("POST /tenants/:tenantId/design/remove", (context) =>
    save(context, () => context.run(removeLayout, {})),
  );
}

function typedValues(form: URLSearchParams): Values {
  const typed = (name: string) => (form.get(name) ?? "").replaceAll("\r\n", "\n");
  const texts = form.getAll("footerTextIn").map((text) => text.replaceAll("\r\n", "\n"));
  const footers = form.getAll("footerLocale").map((locale, at) => [locale, texts[at] ?? ""]);
  const footerTexts = Object.fromEntries(footers.filter(([locale]) => locale !== ""));
  return { ...layoutOf(typed), footerTexts };
}

/** Returns the texts by language, and the languages that can be added. */
function footersOf({ footerTexts }: Values) {
  const texts = Object.entries(footerTexts);
  return {
    footers: texts.map(([locale, text]) => ({ locale, text, name: languageName(locale) })),
    offered: offeredLanguages(Object.keys(footerTexts)),
  };
}

function valuesOf(view: LayoutView): Values {
  return { ...layoutOf((name) => view[name] ?? ""), footerTexts: { ...view.footerTexts } };
}

const ALL_NAMES = [...LAYOUT_NAMES, "footerTexts"] as const;
const NAMES: Record<(typeof ALL_NAMES)[number], string> = {
  content: "a frame of its own",
  logoUrl: "logo",
  primaryColor: "colour of buttons",
  backgroundColor: "background",
  textColor: "colour of text",
  footerText: "text below",
  footerTexts: "text below in other languages",
  address: "address",
};

function summaryOf(view: LayoutView): string {
  const given = ALL_NAMES.filter((field) => view[field] !== null).map((field) => NAMES[field]);
  return given.length === 0 ? "default design" : given.join(", ");
}
