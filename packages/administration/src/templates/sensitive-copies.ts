import type { Database } from "@belfry/database/connection";
import { type ActContext, PROVISION } from "../act.ts";
import { emailOf } from "../audited.ts";
import type { InputFault } from "../input-error.ts";
import type { TemplateKey } from "./template-rows.ts";
import type { TemplateSettings } from "./template-settings.ts";

type Shared = Pick<TemplateSettings, "sensitive" | "cc" | "bcc">;

const COPIES = ["cc", "bcc"] as const;

/** Returns the person who saves a template, and whether the person may copy sensitive messages to others. */
export function authorOf({ actor, may }: Pick<ActContext, "actor" | "may">) {
  return { createdBy: emailOf(actor), mayShareSensitive: may(PROVISION) };
}

export type Author = Partial<ReturnType<typeof authorOf>>;

/**
 * Finds changes that would show messages to more people than the recipient: by a copy, or because the template is no
 * longer sensitive. Only callers that can read all messages may make them. An event type with a sensitive template is
 * sensitive on all channels, because its templates share the variables.
 */
export async function sensitiveCopiesFaults(
  db: Database,
  { tenantId, eventType, channel }: TemplateKey,
  now: Shared,
  wanted: Shared,
): Promise<InputFault[]> {
  const isMore = (name: (typeof COPIES)[number]) =>
    wanted[name]?.some((address) => !now[name]?.includes(address)) ?? false;
  const begins = wanted.sensitive && !now.sensitive;
  if (now.sensitive && !wanted.sensitive) {
    return [
      {
        field: "sensitive",
        message: "can be switched off only by an owner or a key of the role provision",
      },
    ];
  }
  if (!begins && !COPIES.some(isMore)) return [];
  const others = await db
    .selectFrom("templates")
    .select(["sensitive", "cc", "bcc"])
    .where("tenant_id", "=", tenantId)
    .where("event_type", "=", eventType)
    .where("channel", "<>", channel)
    .execute();
  const wasSensitive = now.sensitive || others.some(({ sensitive }) => sensitive);
  if (!wanted.sensitive && !wasSensitive) return [];
  const named = COPIES.filter((name) => (wasSensitive ? isMore(name) : wanted[name] !== null));
  const faults = named.map((field) => ({
    field,
    message:
      "of an event type with a sensitive template can be set only by an owner or a key of the role provision",
  }));
  if (faults.length > 0 || !begins) return faults;
  if (!others.some(({ cc, bcc }) => cc !== null || bcc !== null)) return [];
  const message =
    "can be switched on only by an owner or a key of the role provision: a template of the event type has cc or bcc";
  return [{ field: "sensitive", message }];
}
