import { CHANNEL_ROWS, type Channel, channelsWith, listed } from "@belfry/contracts/channels";
import { copiesFault, fromNameFault, replyToFault } from "@belfry/contracts/envelope";
import type { Database } from "@belfry/database/connection";
import { hasTags, lineFault } from "@belfry/templates/line";
import { createRenderer } from "@belfry/templates/render";
import type { CompiledTemplate } from "@belfry/templates/source";
import type { InputFault } from "../input-error.ts";
import type { TemplateKey } from "./template-rows.ts";
import type { TemplateSettings, TemplateSettingsInput } from "./template-settings.ts";

/** Fields of a template's envelope. */
const ENVELOPE = ["fromName", "replyTo", "cc", "bcc"] as const;
type EnvelopeName = (typeof ENVELOPE)[number];

const FAULTS: Record<EnvelopeName, (value: never) => string | undefined> = {
  fromName: (text: string) => lineOr(text, fromNameFault),
  replyTo: (text: string) => lineOr(text, replyToFault),
  cc: copiesFault,
  bcc: copiesFault,
};

/** Checks a text. If it has tags, checks only the tags, and rendering checks the result. */
function lineOr(text: string, fault: (text: string) => string | undefined): string | undefined {
  if (text.trim() === "") return undefined;
  return hasTags(text) ? lineFault(text) : fault(text.trim());
}

export function envelopeFaults(
  channel: Channel,
  settings: Pick<TemplateSettingsInput, EnvelopeName>,
): (InputFault | undefined)[] {
  const given = ENVELOPE.filter((name) => settings[name] != null && settings[name].length > 0);
  if (CHANNEL_ROWS[channel].content !== "email") {
    const message = `is only for ${listed(channelsWith("email"), "or")}`;
    return given.map((field) => ({ field, message }));
  }
  return given.map((field) => {
    const message = FAULTS[field](settings[field] as never);
    return message === undefined ? undefined : { field, message };
  });
}

const OWN_LINK = /\$(?:unsubscribe|preferences)_url/;

/**
 * Refuses cc and bcc on mails with a link to unsubscribe, because a reader of the copy could use the recipient's link.
 * Rendering checks this again, because the category of the event type, for example, may change later.
 */
export async function envelopeRuleFaults(
  db: Database,
  { tenantId, eventType }: TemplateKey,
  wanted: TemplateSettings,
  { texts, compiled }: { texts: readonly string[]; compiled?: CompiledTemplate },
): Promise<InputFault[]> {
  const fields = (["cc", "bcc"] as const).filter((name) => wanted[name] !== null);
  if (fields.length === 0) return [];
  const category = await categoryOf(db, tenantId, eventType);
  if (category?.required) return [];
  const holdsLink =
    texts.some((text) => OWN_LINK.test(text)) || (compiled !== undefined && readsLink(compiled));
  if (category === undefined && !holdsLink) return [];
  const message =
    "does not go with a link to unsubscribe, which is its recipient's: whoever gets a copy could use it";
  return fields.map((field) => ({ field, message }));
}

/** Returns the category of an event type, if any. */
export async function categoryOf(db: Database, tenantId: string, eventType: string) {
  return await db
    .selectFrom("event_type_categories as e")
    .innerJoin("categories as c", (join) =>
      join.onRef("c.tenant_id", "=", "e.tenant_id").onRef("c.key", "=", "e.category"),
    )
    .select(["c.key", "c.required"])
    .where("e.tenant_id", "=", tenantId)
    .where("e.event_type", "=", eventType)
    .executeTakeFirst();
}

/**
 * Whether the compiled mail, with its layout, reads a link to unsubscribe. The platform's layout reads one only if the
 * event type has a category, so here it does not.
 */
function readsLink(compiled: CompiledTemplate): boolean {
  let isRead = false;
  const read = () => {
    isRead = true;
    return "";
  };
  const system = {
    get $unsubscribe_url() {
      return read();
    },
    get $preferences_url() {
      return read();
    },
  };
  createRenderer(compiled)({}, { system });
  return isRead;
}
