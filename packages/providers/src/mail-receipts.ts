import { createHash } from "node:crypto";
import { emailAddress } from "@belfry/contracts/addresses";
import type { Receipt } from "@belfry/contracts/sending";
import {
  deliveryIdOf,
  entryOf,
  headerOf,
  isSameText,
  ONE_EVENT_BYTES,
  ONE_OF_SEVERAL,
  type Proof,
  parseReceiptBody,
  provenBy,
  type ReceiptReader,
  receiptText,
  type WebhookFault,
  type WebhookHead,
} from "./receipt.ts";

/** An object of a vendor, with unchecked values. */
export type Fields = Record<string, unknown>;

/** The meaning of a vendor's event, and the reason to suppress its address. */
type ReceiptOutcome = Pick<Receipt, "kind" | "suppress">;

/** The usual meanings. A bounce suppresses the address only if the address is gone for good. */
export const MEANS = {
  accepted: { kind: "accepted", suppress: null },
  deferred: { kind: "deferred", suppress: null },
  delivered: { kind: "delivered", suppress: null },
  bounced: { kind: "bounced", suppress: null },
  gone: { kind: "bounced", suppress: "bounced" },
  complained: { kind: "complained", suppress: "complained" },
  optedOut: { kind: "opted out", suppress: "opted out" },
} satisfies Record<string, ReceiptOutcome>;

/** The meaning of each of a vendor's events by its name, which may depend on the event. */
export type Outcomes = Readonly<
  Record<string, ReceiptOutcome | ((event: Fields) => ReceiptOutcome | undefined)>
>;

/** Returns the meaning of an event; undefined if the event says nothing for us. */
export function outcomeOf(outcomes: Outcomes, name: unknown, event: Fields) {
  const outcome = entryOf(outcomes, name);
  return typeof outcome === "function" ? outcome(event) : outcome;
}

/** An event of a vendor of mail, with unchecked parts. */
export interface MailEvent {
  /** Identifies a repeated event. */
  id: string | null;
  /** The delivery's id, as it was given to the vendor. */
  delivery: unknown;
  outcome: ReceiptOutcome | undefined;
  /** The address that the event is about, perhaps with a name before it. */
  address: unknown;
  /** The first item that is a text is the reason. */
  reasons: readonly unknown[];
  status: unknown;
  occurredAt: Date | null;
}

interface MailVendor<Content extends object>
  extends Pick<ReceiptReader, "kind" | "keyOf" | "basicAuth" | "setUp"> {
  /** Default: ONE_EVENT_BYTES. */
  maxBytes?: number;
  proof: Proof<Content>;
  /** Returns the events of a verified request. */
  events(content: Content, head: WebhookHead): readonly MailEvent[] | WebhookFault;
}

/** Returns the reader of a vendor of mail. A person enters the webhook's URL in the vendor's console. */
export function mailReceipts<Content extends object>(vendor: MailVendor<Content>): ReceiptReader {
  const { proof, events, ...more } = vendor;
  return {
    content: "email",
    maxBytes: ONE_EVENT_BYTES,
    signsAddress: false,
    askedByMessage: false,
    ...more,
    read: provenBy(proof, (content, head) => {
      const found = events(content, head);
      return typeof found === "string" ? found : { receipts: found.flatMap(toReceipts) };
    }),
  };
}

/** Verifies JSON by basic authentication, with one of the keys as its password and any user name. */
export function withPassword(head: WebhookHead, keys: readonly string[]) {
  const [, encoded = ""] =
    /^Basic ([A-Za-z0-9+/=]+)$/i.exec(headerOf(head, "authorization") ?? "") ?? [];
  const pair = Buffer.from(encoded, "base64").toString();
  const password = pair.slice(pair.indexOf(":") + 1);
  const isTheirs = pair.includes(":") && keys.some((key) => isSameText(password, key));
  return isTheirs ? (body: Buffer) => ({ json: parseReceiptBody(body) }) : "forged";
}

/** Returns the event's receipt; none for mail that is not ours, and for an event that says nothing for us. */
function toReceipts(event: MailEvent): Receipt[] {
  const { id: vendorEvent, outcome, occurredAt } = event;
  const deliveryId = deliveryIdOf(event.delivery);
  if (deliveryId === null || vendorEvent === null || outcome === undefined) return [];
  const reason = event.reasons.reduce<string | null>(
    (found, one) => found ?? receiptText(one),
    null,
  );
  const vendorStatus = receiptText(event.status, 64);
  const address = event.address === ONE_OF_SEVERAL ? ONE_OF_SEVERAL : addressOf(event.address);
  return [{ vendorEvent, deliveryId, ...outcome, address, reason, vendorStatus, occurredAt }];
}

function addressOf(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const inBrackets = /<([^<>]*)>$/.exec(value.trim())?.[1];
  return emailAddress(inBrackets ?? value.trim()) ?? null;
}

/** Returns a hash of an address for the id of an event per address: an id must not contain the address. */
export function addressMark(value: unknown): string {
  const address = addressOf(value);
  if (address === null) return "";
  return createHash("sha256").update(address.toLowerCase()).digest("base64url").slice(0, 12);
}

/** Returns the moment of a number of epoch seconds; null for anything else. */
export function momentOfSeconds(seconds: unknown): Date | null {
  if (typeof seconds !== "number" || !(seconds > 0 && seconds < 1e11)) return null;
  return new Date(seconds * 1000);
}
