import { type ReasonCode, storedReason } from "@belfry/contracts/reasons";
import type { EmailMessage, OutboxEntry, SendOutcome, SmsMessage } from "@belfry/contracts/sending";
import { createSemaphore } from "@belfry/service/semaphore";
import type { Static, TObject } from "@sinclair/typebox";
import { baseUrlFault, type Resolve } from "./address-guard.ts";
import type { Clock } from "./call-timeout.ts";
import { emailFault, mailBytes, smsFault } from "./message-form.ts";
import type { InboundReader, ReceiptReader } from "./receipt.ts";
import { notBegun, outcome } from "./send-outcome.ts";
import { checkSettings, type SettingsContext, secretsOf } from "./settings.ts";

export interface ProviderDeps {
  /** For connecting, and again from the start of the request to the answer's last byte. */
  timeoutMs: number;
  /** For a mail server's answer to a whole message. */
  messageAnswerMs?: number;
  /** How long a message waits while every connection of its account is in use. */
  turnWaitMs?: number;
  /** Lifts the address guard (and allows plain http): local stack and tests only. */
  allowPrivateAddresses: boolean;
  /** Address at which vendors post receipts. Its host also names us to mail servers. Undefined or empty: none. */
  publicUrl?: string | undefined;
  /** Keeps what the sandbox was given; resolves to the message's id. */
  storeInOutbox(entry: OutboxEntry): Promise<string>;
  /** Name resolution, replaced by tests; the system's by default. */
  resolve?: Resolve;
  /** Epoch milliseconds, replaced by tests. */
  now?: () => number;
  /** Measures timeouts of calls, replaced by tests. */
  clock?: Clock | undefined;
}

/** One tenant's account at a vendor: one client, its connections and its credential. */
export interface Provider<Message> {
  /** Never rejects: failures of the vendor, the network or the settings are in the outcome. */
  send(message: Message): Promise<SendOutcome>;
  /** Calls at a time that the account carries, as far as known; undefined: as many as its kind. */
  readonly maxCalls?: number;
  /** Waits for the messages in hand, then closes the connections. */
  close(): Promise<void>;
}

const MAX_CALLS = 32;
const TURN_WAIT_MS = 5_000;

/** How a vendor is given files: in base64 within JSON, in a mail's MIME, as the bytes of a form, or only by name. */
export type AttachmentForm = "base64" | "mime" | "bytes" | "names";

/** The kind of message that a provider takes, on whatever channel. */
export type ProviderContent = "email" | "text";

export type AnyProviderKind = ProviderKind<EmailMessage> | ProviderKind<SmsMessage>;

/** A row of the table in `kinds.ts`. */
export interface ProviderKind<Message> {
  kind: string;
  content: ProviderContent;
  title: string;
  /** Verifies and reads its receipts; undefined: the vendor sends none. */
  receipts?: ReceiptReader | undefined;
  /** Verifies and reads people's answers; undefined: it brings none. */
  inbound?: InboundReader | undefined;
  /** The vendor is given the delivery's id as an idempotency key: it sends a message that comes twice once. */
  idempotent?: boolean | undefined;
  /** The largest message that the vendor takes, as it documents it; undefined: it names no limit. */
  maxMessageBytes?: number | undefined;
  /** How it is given a mail's files; undefined: it takes no mail with any. */
  attachments?: AttachmentForm | undefined;
  /** It has no way to show a file within the mail. */
  takesNoInlineImages?: boolean | undefined;
  /** Draws the form and checks the settings; a secret property has the option `secret: true`. */
  settings: TObject;
  /** Connections to the vendor, and so calls at a time, of one account whose settings say nothing of it. */
  maxCalls: number;
  /** Faults that a schema cannot express, each beginning with its field's name. The settings fit the schema. */
  faults(settings: Record<string, unknown>, context: SettingsContext): string[];
  /** With settings that do not fit, every outcome of the provider is `credentials`. */
  create(settings: Record<string, unknown>, deps: ProviderDeps): Provider<Message>;
}

/** Values that a provider gets beside its settings. */
export interface ProviderContext extends ProviderDeps {
  /** The values of the secret settings, which must not be stored with a vendor's answer. */
  secrets: readonly string[];
  now: () => number;
  /** At most so many calls are under way at a time: a connection for each. */
  maxCalls: number;
  /** The vendor takes no more calls than this at a time. */
  limitCalls(most: number): void;
}

/** Thrown by `send` when the vendor takes no further concurrent call. The next turn sends the message again. */
export class NoMoreCalls extends Error {}

export interface ProviderDefinition<Message, Settings extends TObject>
  extends Pick<
    ProviderKind<Message>,
    | "kind"
    | "content"
    | "title"
    | "receipts"
    | "inbound"
    | "idempotent"
    | "maxMessageBytes"
    | "attachments"
    | "takesNoInlineImages"
  > {
  /** The address guard checks a property `baseUrl`. */
  settings: Settings;
  /** Connections to the vendor, and so calls at a time, of one account. Default 32. */
  maxCalls?(settings: Partial<Static<Settings>>): number;
  /** Why this vendor would never take the message; null when it may. */
  messageFault?(message: Message): string | null;
  faults?(settings: Static<Settings>, context: SettingsContext): string[];
  /**
   * Called for an account's first message. Import a vendor's library in here: most processes need none or one of
   * them, and these libraries are most of what a process loads.
   */
  create(
    settings: Static<Settings>,
    context: ProviderContext,
  ): Provider<Message> | Promise<Provider<Message>>;
}

/**
 * Makes a row for `kinds.ts`: `create` sees only settings that fit, and its `send` only messages with
 * one well-formed recipient and nothing that could inject a header.
 */
export function defineProvider<Message, Settings extends TObject>(
  definition: ProviderDefinition<Message, Settings>,
): ProviderKind<Message> {
  const callsOf = (settings: object) => definition.maxCalls?.(settings) ?? MAX_CALLS;
  const kind: ProviderKind<Message> = {
    kind: definition.kind,
    content: definition.content,
    title: definition.title,
    receipts: definition.receipts,
    inbound: definition.inbound,
    idempotent: definition.idempotent,
    maxMessageBytes: definition.maxMessageBytes,
    attachments: definition.attachments,
    takesNoInlineImages: definition.takesNoInlineImages,
    settings: definition.settings,
    maxCalls: callsOf({}),
    faults(settings, context) {
      const { baseUrl } = settings;
      const fault = typeof baseUrl === "string" ? baseUrlFault(baseUrl, context) : null;
      const others = definition.faults?.(settings as Static<Settings>, context) ?? [];
      return fault === null ? others : [...others, `baseUrl: ${fault}`];
    },
    create(settings, deps) {
      const faults = checkSettings(kind, settings, deps);
      if (faults.length > 0) {
        return refusing(`the provider's settings are wrong: ${faults.join("; ")}`);
      }
      const secrets = secretsOf(definition.settings, settings);
      const maxCalls = callsOf(settings);
      let most = maxCalls;
      const calls = createSemaphore((units, used) => used + units <= most);
      const limitCalls = (limit: number) => {
        most = limit;
        calls.resume();
      };
      const context = { ...deps, secrets, maxCalls, limitCalls, now: deps.now ?? Date.now };
      let created: Promise<Provider<Message>> | undefined;
      const provider = async () => {
        try {
          created ??= (async () => definition.create(settings as Static<Settings>, context))();
          return await created;
        } catch {
          // A library that could not be read, for want of a file handle say, is read again for the next message.
          created = undefined;
          return undefined;
        }
      };
      const inHand = new Set<Promise<SendOutcome>>();
      let closed = false;
      const call = async (message: Message): Promise<SendOutcome> => {
        const code = messageFault(definition.content, message);
        const refused = code === null ? attachmentsFault(definition, message) : undefined;
        // Another provider may take it.
        if (refused !== undefined) return outcome("policy", refused);
        const fault =
          code === null
            ? (sizeFault(definition, message) ?? definition.messageFault?.(message))
            : storedReason(code);
        if (fault) return outcome("permanent", fault);
        if (closed) return notBegun(storedReason("no-connection-to-vendor", { code: "closed" }));
        while (await calls.acquire(deps.turnWaitMs ?? TURN_WAIT_MS)) {
          try {
            const there = await provider();
            if (there === undefined) return notBegun("the vendor's library could not be loaded");
            return await there.send(message);
          } catch (error) {
            if (!(error instanceof NoMoreCalls)) throw error;
          } finally {
            calls.release();
          }
        }
        return notBegun("every connection to the vendor was in use");
      };
      return {
        get maxCalls() {
          return most;
        },
        send(message) {
          const calling = call(message);
          inHand.add(calling);
          return calling.finally(() => inHand.delete(calling));
        },
        async close() {
          closed = true;
          await Promise.allSettled(inHand);
          await (await created)?.close();
        },
      };
    },
  };
  return kind;
}

function refusing<Message>(reason: string): Provider<Message> {
  return { send: async () => outcome("credentials", reason), close: async () => {} };
}

function messageFault(content: ProviderContent, message: unknown): ReasonCode | null {
  return content === "email"
    ? emailFault(message as EmailMessage)
    : smsFault(message as SmsMessage);
}

/** Why the vendor takes no such mail with files; undefined: it may, or the message has none. */
function attachmentsFault(
  kind: Pick<
    AnyProviderKind,
    "content" | "title" | "maxMessageBytes" | "attachments" | "takesNoInlineImages"
  >,
  message: unknown,
): string | undefined {
  const { attachments } = message as EmailMessage;
  if (attachments === undefined || attachments.length === 0) return undefined;
  if (kind.attachments === undefined) return storedReason("attachments-not-taken");
  if (kind.takesNoInlineImages && attachments.some(({ cid }) => cid !== undefined)) {
    return storedReason("inline-images-not-taken");
  }
  return sizeFault(kind, message);
}

/** A mail that the vendor would refuse for its size; text messages are bounded where they are rendered. */
function sizeFault(
  kind: Pick<AnyProviderKind, "content" | "title" | "maxMessageBytes">,
  message: unknown,
): string | undefined {
  const { content, title: vendor, maxMessageBytes: most } = kind;
  if (content !== "email" || most === undefined) return undefined;
  const bytes = mailBytes(message as EmailMessage);
  if (bytes <= most) return undefined;
  return storedReason("mail-too-large", { bytes: String(bytes), vendor, most: String(most) });
}

/** Bounds calls at a time; further callers wait in line. */
export interface Turns {
  /** Resolves to whether a turn came within `waitMs`. A turn has to be given back. */
  take(waitMs: number): Promise<boolean>;
  give(): void;
  readonly most: number;
  /** Sets the limit from now on. Turns in use stay valid until they are given back. */
  limit(most: number): void;
}

export function createTurns(most: number): Turns {
  const line = new Set<() => void>();
  let limit = most;
  let taken = 0;
  const serve = () => {
    for (const next of line) {
      if (taken >= limit) return;
      taken += 1;
      next();
    }
  };
  return {
    take(waitMs) {
      if (taken < limit) {
        taken += 1;
        return Promise.resolve(true);
      }
      return new Promise((resolve) => {
        const leave = (turn: boolean) => {
          clearTimeout(timer);
          line.delete(next);
          resolve(turn);
        };
        const next = () => leave(true);
        const timer = setTimeout(leave, waitMs, false);
        line.add(next);
      });
    },
    give() {
      taken -= 1;
      serve();
    },
    get most() {
      return limit;
    },
    limit(now) {
      limit = now;
      serve();
    },
  };
}
