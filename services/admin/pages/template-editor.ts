import { audited } from "@belfry/administration/audited";
import { Conflict, type InputFault, InvalidInput } from "@belfry/administration/input-error";
import { checkSource, previewSource } from "@belfry/administration/preview-template";
import { sendRenderedTest } from "@belfry/administration/send-test";
import { sampleObject, type TemplateInput } from "@belfry/administration/template-input";
import { putTemplate, showTemplate, type Template } from "@belfry/administration/templates";
import { type Channel, isChannel } from "@belfry/contracts/channels";
import { mayDo } from "../access.ts";
import { type Answer, faultsByField, json, page, redirect } from "../answer.ts";
import { differences } from "../differences.ts";
import type { PageDeps } from "../page-deps.ts";
import type { InTenant } from "../router.ts";
import { STARTERS } from "../starter-templates.ts";
import { recordedTemplate } from "./templates.ts";

/** The editor of one template, with what it shows as one types. */
export function templateEditorPages({ route, db, keys, config }: PageDeps): void {
  const sending = { keys, allowPrivateAddresses: config.allowPrivateAddresses };

  const editor = (
    context: InTenant,
    values: Values,
    extra: { template?: Template; faults?: readonly InputFault[]; conflict?: object } = {},
  ): Answer => {
    const faults = extra.faults ?? [];
    const title = extra.template === undefined ? "New template" : values.eventType;
    return page("template-editor", title, {
      values,
      template: extra.template,
      faults: faultsByField(faults),
      conflict: extra.conflict,
      mayEdit: mayDo(context.role, "editor"),
    });
  };

  route("GET /tenants/:tenantId/templates/new", async (context) => {
    const given = context.query.get("channel");
    const channel: Channel = isChannel(given) ? given : "EMAIL";
    const eventType = context.query.get("eventType") ?? "";
    return editor(context, { ...EMPTY, ...STARTERS[channel], channel, eventType });
  });

  route("GET /tenants/:tenantId/templates/:templateId", async (context) => {
    const template = await showTemplate(db, addressOf(context));
    return editor(context, valuesOfTemplate(template), { template });
  });

  const save = async (context: InTenant, before: Template | undefined): Promise<Answer> => {
    const { tenant, form, actor, person, base } = context;
    const typed = valuesOf(form);
    // What a template is for does not change: another event type is another template.
    const values =
      before === undefined
        ? typed
        : { ...typed, eventType: before.eventType, channel: before.channel };
    const shown = before === undefined ? {} : { template: before };
    try {
      const saved = await audited(
        db,
        actor,
        (transaction) =>
          putTemplate(transaction, {
            ...inputOf(values),
            tenantId: tenant.id,
            active: before?.active ?? true,
            createdBy: person.email,
          }),
        (after) => ({
          tenantId: tenant.id,
          action: before === undefined ? "template.create" : "template.save",
          target: `${after.eventType} ${after.channel}`,
          before: before === undefined ? null : recordedTemplate(before),
          after: recordedTemplate(after),
        }),
      );
      return redirect(`${base}/templates/${saved.id}`, "saved-version");
    } catch (error) {
      if (error instanceof InvalidInput) {
        const answer = editor(context, values, { ...shown, faults: error.faults });
        return { ...answer, status: 422 } as Answer;
      }
      if (error instanceof Conflict) return await conflict(context, values);
      throw error;
    }
  };

  /** Somebody else saved first: their text is shown beside what was typed, which is kept. */
  const conflict = async (context: InTenant, values: Values): Promise<Answer> => {
    const { tenant } = context;
    const { eventType, channel } = values;
    const template = await showTemplate(db, { tenantId: tenant.id, eventType, channel });
    const answer = editor(
      context,
      { ...values, basedOnVersion: template.version },
      {
        template,
        conflict: {
          version: template.version,
          by: template.savedBy,
          at: template.updatedAt,
          lines: differences(textOf(template), textOf(values)),
        },
      },
    );
    return { ...answer, status: 409 } as Answer;
  };

  route("POST /tenants/:tenantId/templates", (context) => save(context, undefined));

  route("POST /tenants/:tenantId/templates/:templateId", async (context) =>
    save(context, await showTemplate(db, addressOf(context))),
  );

  route("POST /tenants/:tenantId/templates/preview", async ({ form }) => {
    const values = valuesOf(form);
    const samples = sampleObject(values.sampleVariables || "{}");
    const checked = await checkSource(sourceOf(values), samples ?? {});
    const fault =
      samples === undefined ? { field: "sampleVariables", message: "must be a JSON object" } : null;
    return json({ ...checked, sampleFault: fault });
  });

  route("POST /tenants/:tenantId/templates/test", async ({ tenant, form, actor }) => {
    const values = valuesOf(form);
    const to = form.get("to") ?? "";
    try {
      const samples = sampleObject(values.sampleVariables || "{}") ?? {};
      const rendered = await previewSource(sourceOf(values), samples);
      const { provider, outcome } = await audited(
        db,
        actor,
        () => sendRenderedTest(db, tenant.id, rendered, to, sending),
        (result) => ({
          tenantId: tenant.id,
          action: "template.test",
          target: `${values.eventType} ${values.channel}`,
          after: { class: result.outcome.class },
        }),
      );
      return json({
        ok: outcome.class === "accepted",
        text: `${provider.kind}: ${outcome.reason}`,
      });
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      return json({ ok: false, text: error.message }, 422);
    }
  });
}

interface Values {
  eventType: string;
  channel: Channel;
  subject: string;
  title: string;
  content: string;
  targetChannel: string;
  sensitive: boolean;
  atMostOnce: boolean;
  expiresAfterSeconds: string;
  sampleVariables: string;
  /** 0: the template is new. */
  basedOnVersion: number;
}

const EMPTY: Values = {
  eventType: "",
  channel: "EMAIL",
  subject: "",
  title: "",
  content: "",
  targetChannel: "",
  sensitive: false,
  atMostOnce: false,
  expiresAfterSeconds: "",
  sampleVariables: "{}",
  basedOnVersion: 0,
};

function addressOf({ tenant, params }: InTenant) {
  return { id: params.templateId ?? "", tenantId: tenant.id };
}

function valuesOf(form: URLSearchParams): Values {
  const channel = form.get("channel");
  const text = (name: string) => form.get(name) ?? "";
  return {
    eventType: text("eventType").trim(),
    channel: isChannel(channel) ? channel : "EMAIL",
    subject: text("subject"),
    title: text("title"),
    // A form sends line ends as CR LF, whatever was typed.
    content: text("content").replaceAll("\r\n", "\n"),
    targetChannel: text("targetChannel").trim(),
    sensitive: form.has("sensitive"),
    atMostOnce: form.has("atMostOnce"),
    expiresAfterSeconds: text("expiresAfterSeconds").trim(),
    sampleVariables: text("sampleVariables").replaceAll("\r\n", "\n"),
    basedOnVersion: Number(form.get("basedOnVersion") ?? 0) || 0,
  };
}

function valuesOfTemplate(template: Template): Values {
  return {
    eventType: template.eventType,
    channel: template.channel,
    subject: template.subject ?? "",
    title: template.title ?? "",
    content: template.content,
    targetChannel: template.targetChannel ?? "",
    sensitive: template.sensitive,
    atMostOnce: template.atMostOnce,
    expiresAfterSeconds: String(template.expiresAfterSeconds ?? ""),
    sampleVariables: template.sampleVariables ?? suggestedSamples(template.variables),
    basedOnVersion: template.version,
  };
}

function suggestedSamples(names: readonly string[]): string {
  const samples = Object.fromEntries(names.map((name) => [name, `Sample ${name}`]));
  return JSON.stringify(samples, null, 2);
}

function sourceOf({ channel, content, subject, title }: Values) {
  return {
    channel,
    content,
    ...(channel === "EMAIL" ? { subject } : {}),
    ...(channel === "PUSH" ? { title } : {}),
  };
}

function inputOf(values: Values): Omit<TemplateInput, "tenantId"> {
  const { targetChannel, expiresAfterSeconds, sampleVariables } = values;
  return {
    ...sourceOf(values),
    eventType: values.eventType,
    targetChannel: values.channel === "PUSH" && targetChannel !== "" ? targetChannel : undefined,
    sensitive: values.sensitive,
    atMostOnce: values.atMostOnce,
    expiresAfterSeconds: expiresAfterSeconds === "" ? undefined : Number(expiresAfterSeconds),
    sampleVariables: sampleVariables.trim() === "" ? undefined : sampleVariables,
    basedOnVersion: values.basedOnVersion,
  };
}

function textOf(source: { subject?: string | null; title?: string | null; content: string }) {
  return [source.subject, source.title, source.content].filter(Boolean).join("\n");
}
