import { audited } from "@belfry/administration/audited";
import { Conflict, type InputFault, InvalidInput } from "@belfry/administration/input-error";
import {
  prepareTemplate,
  savePreparedTemplate,
} from "@belfry/administration/templates/put-template";
import { showTemplate, type Template } from "@belfry/administration/templates/templates";
import { ADDRESSES } from "@belfry/contracts/addresses";
import { CHANNEL_ROWS, CHANNELS, channelsWith, isChannel } from "@belfry/contracts/channels";
import { mayDo } from "../door/access.ts";
import { type Answer, faultsByField, page, redirect } from "../drawing/answer.ts";
import type { PageDeps } from "../page-deps.ts";
import type { InTenant } from "../router.ts";
import { differences } from "./differences.ts";
import { STARTERS } from "./starter-templates.ts";
import {
  inputOf,
  NO_VALUES,
  type TemplateValues,
  valuesOfForm,
  valuesOfTemplate,
} from "./template-values.ts";
import { recordedTemplate } from "./templates.ts";

/** By which the form knows what to show of itself. */
const TRAITS = Object.fromEntries(
  CHANNELS.map((channel) => {
    const { content, sender } = CHANNEL_ROWS[channel];
    return [channel, [content, sender === null ? "published" : "sent"]];
  }),
);

/** The editor of one template: its form, and saving it as a new version. */
export function templateEditorPages({ route, db }: PageDeps): void {
  const editor = (
    context: InTenant,
    values: TemplateValues,
    extra: { template?: Template; faults?: readonly InputFault[]; conflict?: object } = {},
  ): Answer => {
    const faults = extra.faults ?? [];
    const title = extra.template === undefined ? "New template" : values.eventType;
    const { address } = CHANNEL_ROWS[values.channel];
    const { email } = context.person;
    return page("template-editor", title, {
      traits: TRAITS,
      mails: channelsWith("email")
        .map((channel) => CHANNEL_ROWS[channel].words.label)
        .join(", "),
      testTo: address === null ? email : (ADDRESSES[address].read(email) ?? ""),
      values,
      template: extra.template,
      faults: faultsByField(faults),
      conflict: extra.conflict,
      mayEdit: mayDo(context.role, "editor"),
    });
  };

  route("GET /tenants/:tenantId/templates/new", async (context) => {
    const given = context.query.get("channel");
    const channel = isChannel(given) ? given : CHANNELS[0];
    const eventType = context.query.get("eventType") ?? "";
    return editor(context, {
      ...NO_VALUES,
      ...STARTERS[CHANNEL_ROWS[channel].content],
      channel,
      eventType,
    });
  });

  route("GET /tenants/:tenantId/templates/:templateId", async (context) => {
    const template = await showTemplate(db, addressOf(context));
    return editor(context, valuesOfTemplate(template), { template });
  });

  const save = async (context: InTenant, before: Template | undefined): Promise<Answer> => {
    const { tenant, form, actor, person, base } = context;
    const typed = valuesOfForm(form);
    // What a template is for does not change: another event type is another template.
    const values =
      before === undefined
        ? typed
        : { ...typed, eventType: before.eventType, channel: before.channel };
    const shown = before === undefined ? {} : { template: before };
    try {
      const prepared = await prepareTemplate(db, {
        ...inputOf(values),
        tenantId: tenant.id,
        active: before?.active ?? true,
        createdBy: person.email,
      });
      const saved = await audited(
        db,
        actor,
        (transaction) => savePreparedTemplate(transaction, prepared),
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
  const conflict = async (context: InTenant, values: TemplateValues): Promise<Answer> => {
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
}

function addressOf({ tenant, params }: InTenant) {
  return { id: params.templateId ?? "", tenantId: tenant.id };
}

/** For a comparison: all that is text. */
function textOf(source: { subject?: string | null; title?: string | null; content: string }) {
  return [source.subject, source.title, source.content].filter(Boolean).join("\n");
}
