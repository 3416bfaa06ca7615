import { plainChat } from "@belfry/contracts/chat";
import type {
  ChatMessage,
  DeviceMessage,
  EmailMessage,
  OutboxEntry,
  SendOutcome,
  SmsMessage,
} from "@belfry/contracts/sending";
import { Type } from "@sinclair/typebox";
import { mailHeaders } from "./message-form.ts";
import { defineProvider, type ProviderDeps } from "./provider.ts";
import { outcome } from "./send-outcome.ts";

/** A reserved domain. For a mail to it, the name before the @ selects the failure, if any: see OUTCOMES. */
const TROUBLE_DOMAIN = "trouble.example";

const SETTINGS = Type.Object({}, { additionalProperties: false });
const EMAIL_SETTINGS = Type.Object(
  {
    takesAll: Type.Optional(
      Type.Boolean({
        title: "Take everything",
        description: `Also mail to ${TROUBLE_DOMAIN}, on which a sandbox fails on purpose: for a second sandbox, which takes over from the first`,
      }),
    ),
  },
  { additionalProperties: false },
);

/** Stores emails in the outbox instead of sending them. Fails for some addresses of TROUBLE_DOMAIN. */
export const sandboxEmail = defineProvider<EmailMessage, typeof EMAIL_SETTINGS>({
  kind: "sandbox",
  content: "email",
  title: "Sandbox (keeps emails in the outbox)",
  attachments: "names",
  settings: EMAIL_SETTINGS,
  create: ({ takesAll }, deps) => ({
    async send(message) {
      const trouble = takesAll ? undefined : troubleOf(message.to);
      if (trouble !== undefined) return trouble;
      const { deliveryId, tenantId, eventId, to, subject, html, text } = message;
      const ids = { deliveryId, tenantId, eventId };
      const headers = { ...mailHeaders(message), ...envelopeHeaders(message) };
      const attachments = message.attachments?.map(({ id: _, read: __, ...file }) => file);
      const entry = { ...ids, to, subject, html, text, segments: null, headers };
      return store(deps, attachments === undefined ? entry : { ...entry, attachments });
    },
    close: async () => {},
  }),
});

/** Stores text messages in the outbox instead of sending them. */
export const sandboxText = defineProvider<SmsMessage, typeof SETTINGS>({
  kind: "sandbox",
  content: "text",
  title: "Sandbox (keeps text messages in the outbox)",
  settings: SETTINGS,
  create: (_settings, deps) => ({
    async send(message) {
      const { deliveryId, tenantId, eventId, to, text, segments } = message;
      const ids = { deliveryId, tenantId, eventId };
      return store(deps, { ...ids, to, subject: null, html: null, text, segments });
    },
    close: async () => {},
  }),
});

/** Stores messages to devices in the outbox instead of sending them, for devices of every kind. */
export const sandboxDevice = defineProvider<DeviceMessage, typeof SETTINGS>({
  kind: "sandbox",
  content: "notification",
  title: "Sandbox (keeps device pushes in the outbox)",
  settings: SETTINGS,
  create: (_settings, deps) => ({
    async send(message) {
      const { deliveryId, tenantId, eventId, title: subject, body: text, device } = message;
      const ids = { deliveryId, tenantId, eventId };
      return store(deps, { ...ids, to: device.kind, subject, html: null, text, segments: null });
    },
    close: async () => {},
  }),
});

/** Stores chat messages in the outbox instead of sending them, for addresses of every kind. */
export const sandboxChat = defineProvider<ChatMessage, typeof SETTINGS>({
  kind: "sandbox",
  content: "chat",
  title: "Sandbox (keeps chat messages in the outbox)",
  settings: SETTINGS,
  create: (_settings, deps) => ({
    async send({ deliveryId, tenantId, eventId, to, blocks }) {
      const ids = { deliveryId, tenantId, eventId };
      const text = plainChat(blocks, true);
      return store(deps, { ...ids, to, subject: null, html: null, text, segments: null });
    },
    close: async () => {},
  }),
});

/** Returns the header fields that a vendor would write. The sandbox has no sender address, so From is only the name. */
function envelopeHeaders({ fromName, replyTo, cc, bcc }: EmailMessage): Record<string, string> {
  return {
    ...(fromName !== undefined && { From: fromName }),
    ...(replyTo !== undefined && { "Reply-To": replyTo }),
    ...(cc && { Cc: cc.join(", ") }),
    ...(bcc && { Bcc: bcc.join(", ") }),
  };
}

async function store(deps: ProviderDeps, entry: OutboxEntry) {
  try {
    const messageId = await deps.storeInOutbox(entry);
    return outcome("accepted", "kept in the outbox", { messageId });
  } catch {
    return outcome("transient", "the outbox could not be written");
  }
}

const OUTCOMES: ReadonlyMap<string, SendOutcome> = new Map([
  [
    "nobody",
    outcome("permanent", "the mail server says that this address does not exist", {
      vendorStatus: "550",
      vendorAnswer: "550 5.1.1 No such user here (the sandbox says so of this address)",
      suppress: "bounced",
    }),
  ],
  [
    "full",
    outcome("permanent", "the mail server says that the mailbox is full", {
      vendorStatus: "552",
      vendorAnswer: "552 5.2.2 Mailbox full (the sandbox says so of this address)",
    }),
  ],
  [
    "login",
    outcome("credentials", "the provider refused the login", {
      vendorStatus: "535",
      vendorAnswer: "535 5.7.8 Authentication failed (the sandbox says so of this address)",
    }),
  ],
  ["down", outcome("transient", "no connection to the provider (the sandbox plays an outage)")],
]);

/** Returns the failure for this address, or undefined if it has none. The part after a + is ignored. */
function troubleOf(to: string): SendOutcome | undefined {
  const [name = "", domain] = to.toLowerCase().split("@");
  return domain === TROUBLE_DOMAIN ? OUTCOMES.get(name.split("+", 1)[0] ?? "") : undefined;
}
