import { type Channel, IN_APP } from "@belfry/contracts/channels";
import type { DeliveryStatus, DigestItemState } from "@belfry/contracts/delivery";
import type { EventReport } from "@belfry/contracts/event-report";
import { REASONS, reasonWords } from "@belfry/contracts/reasons";
import type { OutcomeClass, ReceiptKind } from "@belfry/contracts/sending";
import { ONE_OF_SEVERAL } from "@belfry/providers/receipt";
import type { DeviceSend, DigestItemRow, EventFacts } from "./event-facts.ts";

type TimelineEntry = EventReport["timeline"][number];

type Delivery = EventFacts["deliveries"][number];
type Attempt = Delivery["attempts"][number];
type Receipt = Delivery["receipts"][number];

export const CLASS_WORDS: Readonly<Record<OutcomeClass, string>> = {
  accepted: "accepted",
  permanent: "refused for good",
  policy: "refused by this provider's rules",
  credentials: "refused for the account or its settings",
  throttled: "refused for now: too fast",
  deferred: "this message was deferred by the provider",
  transient: "failed for now",
  ambiguous: "no answer: the provider may have it",
};

/** Words for a delivery's status. A status has no words here if an attempt or a receipt already describes it. */
export const STATUS_WORDS: Readonly<Partial<Record<DeliveryStatus, string>>> = {
  waiting: "waiting for the next attempt",
  sending: "being sent",
  delivered: "delivered to the recipient",
  bounced: "bounced",
  complained: "the recipient complained",
  failed: "failed",
  expired: "expired",
  skipped: "skipped",
  unknown: "unknown whether the provider has it: a person decides",
  discarded: "discarded",
};

export const RECEIPT_WORDS: Readonly<Record<ReceiptKind, string>> = {
  deferred: "not yet delivered, the provider keeps trying",
  accepted: "the provider has it",
  "opted out": "the recipient opted out",
  delivered: "delivered to the recipient",
  bounced: "bounced",
  complained: "the recipient complained",
};

/** Returns an event's history in words, oldest first. */
export function timelineOf(facts: EventFacts): TimelineEntry[] {
  const entries = [
    ...eventEntries(facts.event),
    ...facts.digestItems.map(digestEntry),
    ...facts.deliveries.flatMap((delivery) =>
      deliveryEntries(delivery, joinedDigestAt(facts, delivery)),
    ),
    ...notificationEntries(facts.notification),
  ];
  // The sort is stable: entries with the same time keep the order of cause and effect.
  return entries.sort((a, b) => a.at.localeCompare(b.at));
}

function eventEntries(event: EventFacts["event"]): TimelineEntry[] {
  const { broadcastId } = event;
  const begun = broadcastId === null ? "accepted" : `made by the broadcast ${broadcastId}`;
  const entries = [entry(event.acceptedAt, null, begun)];
  if (event.sendAt !== null) {
    entries.push(entry(event.acceptedAt, null, `scheduled for ${event.sendAt.toISOString()}`));
  }
  if (event.releasedAt !== null) entries.push(entry(event.releasedAt, null, "became due"));
  if (event.cancelledAt !== null) entries.push(entry(event.cancelledAt, null, "cancelled"));
  if (event.publishedAt !== null) {
    entries.push(entry(event.publishedAt, null, "published to the dispatcher; not dispatched yet"));
  }
  if (event.refusedAt !== null) {
    entries.push(
      entry(event.refusedAt, null, "answered 500 and refused: a retry is processed as a new event"),
    );
  }
  if (event.dispatchedAt === null) return entries;
  const at = event.dispatchedAt;
  entries.push(entry(at, null, "dispatched"));
  const outcome = event.outcome ?? {};
  const {
    skipped = {},
    failed = {},
    missing = {},
    warnings = {},
    linksLeftOut = {},
    waits = {},
    apart = {},
  } = outcome;
  for (const [channel, reason] of pairs(skipped)) {
    entries.push(entry(at, channel, `skipped: ${reasonWords(reason)}`));
  }
  for (const [channel, reason] of pairs(waits))
    entries.push(entry(at, channel, `waits: ${reasonWords(reason)}`));
  for (const [channel, reason] of pairs(apart))
    entries.push(entry(at, channel, reasonWords(reason)));
  for (const [channel, names] of pairs(missing)) entries.push(warning(at, channel, names));
  for (const [channel, texts] of pairs(warnings)) {
    entries.push(...texts.map((text) => entry(at, channel, text)));
  }
  for (const [channel, words] of pairs(linksLeftOut)) {
    entries.push(entry(at, channel, `links left out: ${words.join(", ")}`));
  }
  for (const [channel, reason] of pairs(failed)) {
    entries.push(entry(at, channel, `failed: ${reasonWords(reason)}`));
  }
  return entries;
}

function digestEntry(gathering: EventFacts["digestItems"][number]): TimelineEntry {
  const { state, closedAt, addedAt, channel } = gathering;
  // A digest does not store the time of a cancel. It leaves out read events when it closes.
  const at = state === "read" ? (closedAt ?? addedAt) : addedAt;
  return entry(at, channel, digestWords(gathering));
}

/** Returns when the event joined the delivery's digest, or undefined if the delivery is the event's own. */
function joinedDigestAt({ digestItems }: EventFacts, { eventId }: Delivery): Date | undefined {
  return digestItems.find(({ digestId }) => digestId === eventId)?.addedAt;
}

function deliveryEntries(delivery: Delivery, joinedAt: Date | undefined): TimelineEntry[] {
  const { channel, reason } = delivery;
  // A digest's delivery is older than most of its events.
  const beganAt = joinedAt ?? delivery.createdAt;
  const entries = joinedAt === undefined ? [entry(beganAt, channel, "queued")] : [];
  for (const attempt of delivery.attempts) {
    entries.push(entry(attempt.endedAt ?? attempt.startedAt, channel, attemptWords(attempt)));
  }
  if (delivery.cancelAskedAt !== null) {
    const words = "cancel requested: if the current attempt fails, there is no other";
    entries.push(entry(delivery.cancelAskedAt, channel, words));
  }
  const last = delivery.attempts.at(-1);
  const lastAt = last?.endedAt ?? last?.startedAt ?? beganAt;
  const renderedAt = delivery.attempts[0]?.startedAt ?? beganAt;
  const { missing, warnings } = delivery;
  // The message is rendered before the first attempt, so faults of the rendering come before the attempts.
  entries.splice(
    joinedAt === undefined ? 1 : 0,
    0,
    ...(missing === null || missing.length === 0 ? [] : [warning(renderedAt, channel, missing)]),
    ...(warnings ?? []).map((text) => entry(renderedAt, channel, text)),
  );
  for (const device of delivery.devices) {
    entries.push(entry(device.triedAt, channel, deviceWords(device)));
  }
  for (const receipt of delivery.receipts) {
    entries.push(entry(receipt.receivedAt, channel, receiptWords(receipt)));
  }
  const words = statusWords(delivery);
  if (words !== undefined) {
    const next = delivery.dueAt === null ? "" : `, due at ${delivery.dueAt.toISOString()}`;
    const why = reason === null ? "" : `: ${reasonWords(reason)}`;
    entries.push(entry(delivery.settledAt ?? lastAt, channel, `${words}${next}${why}`));
  }
  return entries;
}

function statusWords({ status, attempts, receipts, reason }: Delivery): string | undefined {
  if (receipts.some(({ kind, address }) => kind === status && address === null)) return undefined;
  if (status === "accepted" && attempts.length === 0 && receipts.length === 0) return "accepted";
  // The delivery was replayed, or queued again without an attempt. The reason tells which.
  if (status === "queued" && reason !== null) return "waiting to be sent";
  return STATUS_WORDS[status];
}

/** The words for the result of a delivery on one device. */
export const DEVICE_WORDS: Readonly<Record<DeviceSend["state"], string>> = {
  waiting: "not accepted yet",
  sending: "being sent",
  accepted: "accepted",
  failed: "refused",
  gone: "unknown to its vendor, so the device was deleted",
  skipped: "skipped",
  unknown: "sent without an answer",
};

function deviceWords({ name, kind, state, vendorStatus, ...send }: DeviceSend): string {
  const start = `device ${name}, ${kind}`;
  const status = vendorStatus === null ? "" : ` (${vendorStatus})`;
  const reason = send.reason === null ? "" : `: ${reasonWords(send.reason)}`;
  return `${start}: ${DEVICE_WORDS[state]}${status}${reason}`;
}

function receiptWords(receipt: Receipt): string {
  const status = receipt.vendorStatus === null ? "" : ` (${receipt.vendorStatus})`;
  const reason = receipt.reason === null ? "" : `: ${receipt.reason}`;
  const of = copyWords(receipt.address);
  return `receipt of ${receipt.providerKind}${of}: ${RECEIPT_WORDS[receipt.kind]}${status}${reason}`;
}

/** Returns words about the copy that a receipt is about; empty if it is not about a copy. */
function copyWords(address: string | null): string {
  if (address === null) return "";
  if (address === ONE_OF_SEVERAL) return " about one of its addresses, which it does not name";
  return ` about the copy for ${address}`;
}

function attemptWords(attempt: Attempt): string {
  const start = `attempt ${attempt.number} by ${attempt.providerKind}`;
  if (attempt.class === null) return `${start}: begun`;
  const status = attempt.vendorStatus === null ? "" : ` (${attempt.vendorStatus})`;
  const reason = attempt.reason === null ? "" : `: ${reasonWords(attempt.reason)}`;
  return `${start}: ${CLASS_WORDS[attempt.class]}${status}${reason}`;
}

function notificationEntries(notification: EventFacts["notification"]): TimelineEntry[] {
  if (notification === undefined) return [];
  const { createdAt, readAt, deletedAt, realtimeChannel } = notification;
  const entries = [
    entry(createdAt, IN_APP, `stored in the inbox and published to ${realtimeChannel}`),
  ];
  if (readAt !== null) entries.push(entry(readAt, IN_APP, "marked as read"));
  if (deletedAt !== null) entries.push(entry(deletedAt, IN_APP, "deleted from the inbox"));
  return entries;
}

function warning(at: Date, channel: Channel, names: readonly string[]): TimelineEntry {
  return entry(at, channel, `warning: no value for ${names.join(", ")}: rendered as empty`);
}

function entry(at: Date, channel: Channel | null, what: string): TimelineEntry {
  return { at: at.toISOString(), channel, what };
}

function pairs<T>(byChannel: Partial<Record<Channel, T>>): [Channel, T][] {
  return Object.entries(byChannel) as [Channel, T][];
}

/** The reasons why an event was left out of the digest's message, by its state. */
export const LEFT_OUT: Readonly<Partial<Record<DigestItemState, string>>> = {
  read: REASONS["read-in-inbox"],
  cancelled: REASONS.cancelled,
};

export function othersIn({ state, count }: DigestItemRow): number {
  return state === "in" ? count - 1 : count;
}

/** Returns the state of an event in a digest, in words. */
function digestWords(gathering: DigestItemRow): string {
  const { state, windowEndsAt, closedAt } = gathering;
  const others = othersIn(gathering);
  const ends = windowEndsAt.toISOString();
  if (state === "alone") return `sent by itself; events until ${ends} join its digest`;
  const why = LEFT_OUT[state];
  if (why !== undefined) return `left out of the message: ${why}`;
  if (others === 0) return `gathered with no other event${closedAt === null ? " yet" : ""}`;
  return `gathered with ${others === 1 ? "1 other" : `${others} others`} into one message`;
}
