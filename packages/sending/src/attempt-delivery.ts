import { type ProviderChannel, sentRow } from "@belfry/contracts/channels";
import { storedReason } from "@belfry/contracts/reasons";
import type { SendOutcome } from "@belfry/contracts/sending";
import type { ClaimedDelivery } from "@belfry/database/functions/claim-deliveries";
import type { Settlement } from "@belfry/database/functions/settle-deliveries";
import { outcome as outcomeOf } from "@belfry/providers/send-outcome";
import type { Logger } from "@belfry/service/logger";
import { type Span, spanFields, tracer } from "@belfry/service/tracing";
import type { ActiveProvider, OutgoingMessage } from "./active-providers.ts";
import type { AttachmentReading } from "./attachment-reading.ts";
import { type Lacking, type MessageLinks, makeMessage, type Renderers } from "./make-message.ts";
import { nextStep, type StepContext } from "./next-step.ts";
import { countAttempt, countOutcome, observeFirstAcceptance } from "./sending-metrics.ts";

type Suppression = NonNullable<SendOutcome["suppress"]>;

export interface AttemptDeps {
  channel: ProviderChannel;
  renderers: Renderers;
  /** Makes unsubscribe links; undefined if messages have none. */
  links?: MessageLinks | undefined;
  /** Reads attachments; undefined if messages have none. */
  attachments?: AttachmentReading | undefined;
  /** Called when the vendor reports that this recipient can or will get no more messages on this channel. */
  suppress: (delivery: ClaimedDelivery, reason: Suppression, providerKind: string) => Promise<void>;
  /** Returns a random number in [0, 1) for the jitter. */
  random: () => number;
  log: Logger;
  /** The attempt's span; undefined if it is not sampled. */
  span?: Span | undefined;
}

/** The wait in ms after an attempt that made no call, such as when all connections of the provider were in use. */
const NOT_BEGUN_DELAY_MS = 1_000;

/** The result of an attempt: a settlement if no call was made, else the outcome of the call. */
export type Attempt =
  | { kind: "settled"; settlement: Settlement }
  | { kind: "called"; outcome: SendOutcome; durationMs: number; lacking: Lacking };

/** Makes one attempt at a claimed delivery through one provider. Throws only if Postgres fails. */
export async function attemptDelivery(
  delivery: ClaimedDelivery,
  provider: ActiveProvider,
  deps: AttemptDeps,
): Promise<Attempt> {
  const { channel, renderers, suppress, log, span } = deps;
  const renderer = await renderers.of(delivery.templateVersionId);
  if (renderer === undefined) {
    return settled(failed(delivery, channel, storedReason("template-gone")));
  }
  const { linkSchemes } = provider;
  const made = makeMessage(delivery, renderer, { channel, linkSchemes, links: deps.links });
  if (!made.ok) return settled(failed(delivery, channel, made.reason, made));

  const { attachments = [] } = delivery.envelope?.event ?? {};
  const hasFiles = attachments.length > 0 && sentRow(channel).content === "email";
  const files = hasFiles ? deps.attachments?.filesOf(delivery.tenantId, attachments) : undefined;
  const form = provider.attachments ?? "names";
  using room = files && (await deps.attachments?.room(delivery.tenantId, form));
  if (files !== undefined && room === undefined) {
    return settled(later(delivery, storedReason("no-room-for-attachments")));
  }
  const calendars = (await files?.calendarWarnings()) ?? [];
  if (calendars.length > 0) made.warnings = [...(made.warnings ?? []), ...calendars];
  // Devices have their own sender.
  const { message: text } = made as { message: OutgoingMessage };
  const message = files === undefined ? text : { ...text, attachments: files.list };

  using call = startCall(span, provider);
  const startedAt = performance.now();
  let outcome: SendOutcome;
  try {
    outcome = await provider.send(message);
  } catch (err) {
    const { id: deliveryId, traceId } = delivery;
    log.error({ err, deliveryId, traceId, provider: provider.kind }, "a provider threw");
    // A provider must not throw. If it does, it is unknown whether the vendor has the message.
    outcome = outcomeOf("ambiguous", storedReason("provider-threw"));
  }
  if (files !== undefined) outcome = files.judge(outcome);
  call?.end(
    {
      "belfry.attempt.class": outcome.class,
      "belfry.vendor.status": outcome.vendorStatus ?? undefined,
    },
    outcome.class === "accepted" ? undefined : outcome.class,
  );
  if (outcome.notBegun) return settled(later(delivery, outcome.reason));
  const durationMs = performance.now() - startedAt;
  if (outcome.suppress !== undefined) await suppress(delivery, outcome.suppress, provider.kind);
  return { kind: "called", outcome, durationMs, lacking: made };
}

/** Returns the settlement of an attempt that made a call. `failover`: whether another provider takes over. */
export function settlementOf(
  delivery: ClaimedDelivery,
  provider: { id: string | null; kind: string },
  { outcome, durationMs, lacking }: Extract<Attempt, { kind: "called" }>,
  failover: StepContext["failover"],
  { channel, random, log, span }: Pick<AttemptDeps, "channel" | "random" | "log" | "span">,
): Settlement {
  const step = nextStep(outcome, {
    channel,
    retries: delivery.retries,
    uncounted: Math.max(0, delivery.attempt - 1 - delivery.retries),
    atMostOnce: delivery.atMostOnce,
    failover,
    random,
  });
  countAttempt(channel, provider.kind, outcome.class, durationMs);
  countOutcome(channel, provider.kind, step.status);
  // A digest waits by design, so it is not measured.
  const since = delivery.digest === undefined ? delivery.at : null;
  if (outcome.class === "accepted" && delivery.attempt === 1 && since !== null) {
    observeFirstAcceptance(channel, since);
  }
  log.info(
    {
      tenantId: delivery.tenantId,
      eventId: delivery.eventId,
      deliveryId: delivery.id,
      traceId: delivery.traceId,
      attempt: delivery.attempt,
      provider: provider.kind,
      providerId: provider.id,
      class: outcome.class,
      vendorStatus: outcome.vendorStatus,
      status: step.status,
      durationMs: Math.round(durationMs),
      ...spanFields(span),
    },
    "attempt",
  );
  return {
    deliveryId: delivery.id,
    attempt: delivery.attempt,
    ...step,
    ...lackingOf(lacking),
    end: {
      class: outcome.class,
      durationMs,
      reason: outcome.reason,
      vendor_status: outcome.vendorStatus,
      vendor_answer: outcome.vendorAnswer,
      message_id: outcome.messageId,
    },
  };
}

/** Starts the span of the vendor's call in a sampled attempt. Tenants enter mail servers' addresses, so it has none. */
function startCall(span: Span | undefined, { id, kind }: ActiveProvider): Span | undefined {
  if (span === undefined) return undefined;
  const attributes = { "belfry.provider.kind": kind, "belfry.provider.id": id };
  return tracer()?.start("call", { kind: "client", parent: span.traceParent, attributes });
}

/** Returns the settlement of an attempt that ends the delivery as failed without a call. */
export function failed(
  delivery: ClaimedDelivery,
  channel: ProviderChannel,
  reason: string,
  lacking: Lacking = {},
): Settlement {
  countOutcome(channel, null, "failed");
  return {
    deliveryId: delivery.id,
    attempt: delivery.attempt,
    status: "failed",
    reason,
    delayMs: null,
    counted: false,
    ...lackingOf(lacking),
    end: null,
  };
}

/** Returns the fields of a settlement for the parts that a message lacks. */
export function lackingOf({
  missing,
  warnings,
}: Lacking): Pick<Settlement, "missing" | "warnings"> {
  return { missing: missing ?? null, ...(warnings && { warnings }) };
}

/** Returns a settlement that puts the delivery back to `waiting`, as if it had not been claimed. */
export function later(
  delivery: ClaimedDelivery,
  reason: string | null,
  delayMs = NOT_BEGUN_DELAY_MS,
): Settlement {
  const { id: deliveryId, attempt } = delivery;
  const rest = { status: "waiting", reason, delayMs, counted: false } as const;
  return { deliveryId, attempt, ...rest, missing: null, end: null };
}

/** Returns an attempt without a call. */
export function settled(settlement: Settlement): Attempt {
  return { kind: "settled", settlement };
}
