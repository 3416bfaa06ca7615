import { type ReasonCode, storedReason } from "@belfry/contracts/reasons";
import type {
  ChatMessage,
  DeviceMessage,
  EmailMessage,
  OutboxEntry,
  SendOutcome,
  SmsMessage,
} from "@belfry/contracts/sending";
import { createSemaphore } from "@belfry/service/semaphore";
import type { Static, TObject } from "@sinclair/typebox";
import { baseUrlFault, type Resolve } from "./address-guard.ts";
import type { Clock } from "./call-timeout.ts";
import { emailFault, mailBytes, smsFault } from "./message-form.ts";
import type { InboundReader, ReceiptReader } from "./receipt.ts";
import { notBegun, outcome } from "./send-outcome.ts";
import { checkSettings, type SettingsContext, secretsOf } from "./settings.ts";

export interface ProviderDeps {
  /** Timeout for connecting, and again from the start of the request to the answer's last byte. */
  timeoutMs: number;
  /** Timeout for a mail server's answer to a whole message. */
  messageAnswerMs?: number;
  /** How long a message waits while every connection of its account is in use. */
  turnWaitMs?: number;
  /** Lifts the address guard (and allows plain http): local stack and tests only. */
  allowPrivateAddresses: boolean;
  /** URL at which vendors post receipts. Its host also names us to mail servers. Undefined or empty if none. */
  publicUrl?: string | undefined;
  /** Stores a message for the sandbox; resolves to the message's id. */
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
  /** Calls at a time that the account is known to allow; undefined means as many as its kind. */
  readonly maxCalls?: number;
  /** Waits for messages that are being sent, then closes the connections. */
  close(): Promise<void>;
}

const MAX_CALLS = 32;
const TURN_WAIT_MS = 5_000;

/** How a vendor is given files: in base64 within JSON, in a mail's MIME, as the bytes of a form, or only by name. */
export type AttachmentForm = "base64" | "mime" | "bytes" | "names";

/** The content of messages that a provider accepts, on any channel. */
export type ProviderContent = "email" | "text" | "notification" | "chat";

export type AnyProviderKind =
  | ProviderKind<EmailMessage>
  | ProviderKind<SmsMessage>
  | ProviderKind<DeviceMessage>
  | ProviderKind<ChatMessage>;

/** A row of the table in `kinds.ts`. */
export interface ProviderKind<Message> {
  kind: string;
  content: ProviderContent;
  title: string;
  /** Verifies and reads the vendor's receipts; undefined if it sends none. */
  receipts?: ReceiptReader | undefined;
  /** Verifies and reads people's answers; undefined if the vendor forwards none. */
  inbound?: InboundReader | undefined;
  /** The vendor gets the delivery's id as an idempotency key, and so sends a repeated message only once. */
  idempotent?: boolean | undefined;
  /** The largest message that the vendor accepts, as it documents it; undefined if it documents no limit. */
  maxMessageBytes?: number | undefined;
  /** How the vendor gets a mail's files; undefined if it accepts no mail with files. */
  attachments?: AttachmentForm | undefined;
  /** The vendor cannot show a file within the mail. */
  takesNoInlineImages?: boolean | undefined;
  /** Draws the form and checks the settings; a secret property has the option `secret: true`. */
  settings: TObject;
  /** Connections to the vendor, and so calls at a time, of an account whose settings set no limit. */
  maxCalls: number;
  /**
   * Returns an account's settings with values that are made when it is saved, before they are checked. `stored`: the
   * settings until now, if there are any.
   */
  fillSettings?(
    settings: Record<string, unknown>,
    stored: Record<string, unknown> | undefined,
  ): Record<string, unknown>;
  /** Faults that a schema cannot express, each beginning with its field's name. The settings fit the schema. */
  faults(settings: Record<string, unknown>, context: SettingsContext): string[];
  /** Creates a provider. If the settings have faults, every outcome of the provider is `credentials`. */
  create(settings: Record<string, unknown>, deps: ProviderDeps): Provider<Message>;
}

/** Values that a provider gets in addition to its settings. */
export interface ProviderContext extends ProviderDeps {
  /** The values of the secret settings, which must not be stored with a vendor's answer. */
  secrets: readonly string[];
  now: () => number;
  /** Most calls at a time, with one connection for each. */
  maxCalls: number;
  /** Sets how many calls at a time the vendor accepts. */
  limitCalls(most: number): void;
}

/** Thrown by `send` if the vendor accepts no further concurrent call. The message waits until another call ends. */
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
    | "fillSettings"
  > {
  /** The address guard checks a property `baseUrl`. */
  settings: Settings;
  /** Connections to the vendor, and so calls at a time, of one account. Default 32. */
  maxCalls?(settings: Partial<Static<Settings>>): number;
  /** Returns why this vendor would never accept the message; null if it may. */
  messageFault?(message: Message): string | null;
  faults?(settings: Static<Settings>, context: SettingsContext): string[];
  /**
   * Called for an account's first message. Import a vendor's library in this function: most processes need one or none
   * of these libraries, which are most of the code that a process loads.
   */
  create(
    settings: Static<Settings>,
    context: ProviderContext,
  ): Provider<Message> | Promise<Provider<Message>>;
}

/**
 * Makes a row for `kinds.ts`. `create` gets only settings that fit, and its `send` only messages with one well-formed
 * recipient and nothing that could inject a header.
 */
export function defineProvider<Message, Settings extends TObject>(
  definition: ProviderDefinition<Message, Settings>,
): ProviderKind<Message> {
  const callsOf = (settings: object) => definition.maxCalls?.(settings) ?? MAX_CALLS;
  const kind: ProviderKind<Message> = {
    ...definition,
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
          // If a library could not be read, for example for lack of a file handle, the next message tries again.
          created = undefined;
          return undefined;
        }
      };
      const inHand = new Set<Promise<SendOutcome>>();
      let closed = false;
      const call = async (message: Message): Promise<SendOutcome> => {
        const code = messageFault(definition.content, message);
        const refused = code === null ? attachmentsFault(definition, message) : undefined;
        // Another provider may accept the message.
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
  if (content === "email") return emailFault(message as EmailMessage);
  if (content === "text") return smsFault(message as SmsMessage);
  if (content === "chat")
    return (message as ChatMessage).blocks.length > 0 ? null : "message-empty";
  const { title, body } = message as DeviceMessage;
  return title === "" && body === "" ? "message-empty" : null;
}

/** Returns why the vendor does not accept this mail with files; undefined if it may, or if the mail has none. */
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

/** Returns why a mail is too large for the vendor. The size of text messages is limited when they are rendered. */
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
