import { auditedAfter } from "@belfry/administration/audited";
import { Conflict, type InputFault, InvalidInput } from "@belfry/administration/input-error";
import { layoutPreview } from "@belfry/administration/templates/layout-preview";
import {
  type LayoutView,
  listLayoutVersions,
  putLayout,
  removeLayout,
  showLayout,
  showLayoutVersion,
} from "@belfry/administration/templates/layouts";
import { PLATFORM_COLORS } from "@belfry/templates/layout";
import { mayDo } from "../door/access.ts";
import { type Answer, faultsByField, json, page, redirect } from "../drawing/answer.ts";
import type { PageDeps } from "../page-deps.ts";
import type { InTenant } from "../router.ts";
import { markedHtml } from "./unfilled.ts";

const FIELDS = [
  ...(["content", "logoUrl", "primaryColor", "backgroundColor"] as const),
  ...(["textColor", "footerText", "address"] as const),
];
type Values = Record<(typeof FIELDS)[number], string>;

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
    const view = await showLayout(db, tenant.id);
    const faults = given.faults ?? [];
    return page("design", "Design", {
      ...{ view, colors: COLORS, effect: EFFECT, conflict: given.conflict },
      values: given.values ?? valuesOf(view),
      faults: faultsByField(faults.filter(({ field }) => field !== "layout")),
      refused: faults.filter(({ field }) => field === "layout").map(({ message }) => message),
      mayEdit: mayDo(role, "editor"),
      isOwn: FIELDS.some((field) => view[field] !== null),
      versions: (await listLayoutVersions(db, tenant.id)).map((one) => ({
        ...{ version: one.version, savedBy: one.savedBy, savedAt: one.savedAt },
        summary: summaryOf(one),
      })),
    });
  };

  route("GET /tenants/:tenantId/design", (context) => show(context));

  route("POST /tenants/:tenantId/design/preview", async ({ tenant, form }) => {
    try {
      const { html } = await layoutPreview(db, { tenantId: tenant.id, ...typedValues(form) });
      const preview = { kind: "email", subject: [], html: markedHtml(html), text: [] };
      return json({ ok: true, preview, warnings: [] });
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      return json({ ok: false, faults: error.faults });
    }
  });

  /** Compiling waits for its turn, so it is never within a transaction; the log is written behind it. */
  const save = async (
    context: InTenant,
    action: string,
    work: () => Promise<{ version: number; recompiled: number }>,
    values?: Values,
  ): Promise<Answer> => {
    const { tenant, actor, base } = context;
    try {
      await auditedAfter(db, actor, work, ({ version, recompiled }) => ({
        tenantId: tenant.id,
        action,
        target: `version ${version}`,
        after: { version, recompiled },
      }));
      return redirect(`${base}/design`, "published");
    } catch (error) {
      const kept = values === undefined ? {} : { values };
      if (error instanceof InvalidInput) {
        return {
          ...(await show(context, { ...kept, faults: error.faults })),
          status: 422,
        } as Answer;
      }
      if (!(error instanceof Conflict)) throw error;
      return { ...(await show(context, { ...kept, conflict: true })), status: 409 } as Answer;
    }
  };

  route("POST /tenants/:tenantId/design", async (context) => {
    const { tenant, form, person } = context;
    const values = typedValues(form);
    const basedOnVersion = Number(form.get("basedOnVersion")) || 0;
    const input = { tenantId: tenant.id, ...values, basedOnVersion, createdBy: person.email };
    return await save(context, "layout.put", () => putLayout(db, input), values);
  });

  route("POST /tenants/:tenantId/design/restore", async (context) => {
    const { tenant, form, person } = context;
    const old = await showLayoutVersion(db, tenant.id, Number(form.get("version")));
    const input = { tenantId: tenant.id, ...valuesOf(old), createdBy: person.email };
    return await save(context, "layout.restore", () => putLayout(db, input));
  });

  route("POST /tenants/:tenantId/design/remove", async (context) => {
    const { tenant, person } = context;
    return await save(context, "layout.remove", () => removeLayout(db, tenant.id, person.email));
  });
}

function typedValues(form: URLSearchParams): Values {
  const typed = (name: string) => (form.get(name) ?? "").replaceAll("\r\n", "\n");
  return Object.fromEntries(FIELDS.map((field) => [field, typed(field)])) as Values;
}

function valuesOf(view: LayoutView): Values {
  return Object.fromEntries(FIELDS.map((field) => [field, view[field] ?? ""])) as Values;
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
  const given = FIELDS.filter((field) => view[field] !== null).map((field) => NAMES[field]);
  return given.length === 0 ? "default design" : given.join(", ");
}
