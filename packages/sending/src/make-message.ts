import type { Content } from "@belfry/contracts/channels";
import { type ReasonCode, storedReason } from "@belfry/contracts/reasons";
import type { ClaimedDelivery } from "@belfry/database/functions/claim-deliveries";
import { emailFault, smsFault } from "@belfry/providers/message-form";
import {
  parseVariables,
  storedEvent,
  withGathered,
} from "@belfry/templates/language/event-variables";
import { type Rendered, type Renderer, saysNothing } from "@belfry/templates/render";
import type { OutgoingMessage } from "./active-providers.ts";
import type { ListLinks } from "./list-links.ts";

/** What would be sent, or why nothing can be. */
export type MadeMessage = ({ ok: true; message: OutgoingMessage } | { ok: false; reason: string }) &
  Lacking;

/** What a rendered message lacks. */
export interface Lacking {
  missing?: readonly string[];
  /** In words, for the timeline. */
  warnings?: readonly string[];
}

/**
 * Renders a delivery's template version with its event's or events' variables, and says how its reader
 * leaves. `linkSchemes`: those that its tenant allows besides those of everybody. Never throws.
 */
export function makeMessage(
  content: Content,
  delivery: ClaimedDelivery,
  renderer: Renderer,
  linkSchemes: readonly string[],
  links?: ListLinks,
): MadeMessage {
  if (delivery.recipient === null) return nothing("recipient-gone");
  const variables = parseVariables(delivery.variables ?? "{}");
  if (variables === undefined) return nothing("variables-unreadable");
  const ids = {
    deliveryId: delivery.id,
    tenantId: delivery.tenantId,
    eventId: delivery.eventId,
    to: delivery.recipient,
  };
  let rendered: ReturnType<Renderer>;
  try {
    const { digest, settings } = delivery;
    const system = withGathered(links?.system, digest?.count ?? 1, () =>
      digest === undefined
        ? [{ id: delivery.eventId, at: delivery.at ?? new Date(), variables }]
        : digest.items.map(storedEvent),
    );
    rendered = renderer(variables, { ...settings, linkSchemes, system });
  } catch {
    return nothing("not-rendered");
  }
  if (!rendered.ok) {
    return { ok: false, reason: storedReason(rendered.code, rendered.args) };
  }
  const { missing } = rendered;
  const lacking: Lacking = { missing, ...warningsOf(rendered) };
  if (rendered.kind !== content) return nothing("wrong-channel");
  if (saysNothing(rendered)) return { ...nothing("nothing-to-say"), ...lacking };
  if (rendered.kind === "email") {
    const { subject, html, text } = rendered;
    const headers = links?.headers();
    const message = { ...ids, subject, html, text, ...(headers && { headers }) };
    return judged(message, lacking, emailFault(message));
  }
  if (rendered.kind === "text") {
    const { text, segments, encoding } = rendered;
    const message = { ...ids, text, segments, encoding };
    return judged(message, lacking, smsFault(message));
  }
  return nothing("wrong-channel");
}

function nothing(code: ReasonCode): { ok: false; reason: string } {
  return { ok: false, reason: storedReason(code) };
}

function warningsOf(rendered: Extract<Rendered, { ok: true }>): { warnings?: string[] } {
  const linksLeftOut = rendered.kind === "email" ? rendered.linksLeftOut : undefined;
  if (linksLeftOut === undefined && rendered.warnings === undefined) return {};
  const links = linksLeftOut ? [`links left out: ${linksLeftOut.join(", ")}`] : [];
  return { warnings: [...links, ...(rendered.warnings ?? [])] };
}

function judged(message: OutgoingMessage, lacking: Lacking, fault: ReasonCode | null): MadeMessage {
  return fault === null ? { ok: true, message, ...lacking } : { ...nothing(fault), ...lacking };
}
