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
import { say } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";
import { markedHtml } from "./unfilled-marks.ts";

type Values = Record<LayoutName, string>;

/** Name, label, and what the platform takes. */
const COLORS = [
  ["primaryColor", "Buttons and links", PLATFORM_COLORS.primaryColor],
  ["backgroundColor", "Behind the mail", PLATFORM_COLORS.backgroundColor],
  ["textColor", "Text", PLATFORM_COLORS.textColor],
];
const EFFECT =
  "Applies to every Simple mail within 5 seconds. Drafts use it when they are published.";

/** What stands around a tenant's simple mails: logo, colours, footer, or a frame of its own. */
export function designPages({ route, db }: PageDeps): void {
  const show = async (
    context: InTenant,
    given: { values?: Values; faults?: readonly InputFault[]; conflict?: boolean } = {},
  ): Promise<Answer> => {
    const { tenant, role } = context;
    const view = await readLayout(db, tenant.id);
    const faults = given.faults ?? [];
    return page("design", say`Design`, {
      ...{ view, colors: COLORS, effect: EFFECT, conflict: given.conflict },
      values: given.values ?? valuesOf(view),
      faults: faultsByField(faults.filter(({ field }) => field !== "layout")),
      refused: faults.filter(({ field }) => field === "layout").map(({ message }) => message),
      mayEdit: mayDo(role, "editor"),
      isOwn: LAYOUT_NAMES.some((field) => view[field] !== null),
      versions: (await readLayoutVersions(db, tenant.id)).map((one) => ({
        ...{ version: one.version, savedBy: one.savedBy, savedAt: one.savedAt },
        summary: summaryOf(one),
      })),
    });
  };

  route("GET /tenants/:tenantId/design", (context) => show(context));

  route("POST /tenants/:tenantId/design/preview", async ({ run, form }) => {
    try {
      const { html } = await run(previewLayout, typedValues(form));
      const preview = { kind: "email", subject: [], html: markedHtml(html), text: [] };
      return json({ ok: true, preview, warnings: [] });
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      return json({ ok: false, faults: error.faults });
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
  return layoutOf(typed);
}

function valuesOf(view: LayoutView): Values {
  return layoutOf((name) => view[name] ?? "");
}

const NAMES: Values = {
  content: "a frame of its own",
  logoUrl: "logo",
  primaryColor: "colour of buttons",
  backgroundColor: "background",
  textColor: "colour of text",
  footerText: "text below",
  address: "address",
};

function summaryOf(view: LayoutView): string {
  const given = LAYOUT_NAMES.filter((field) => view[field] !== null).map((field) => NAMES[field]);
  return given.length === 0 ? "default design" : given.join(", ");
}
