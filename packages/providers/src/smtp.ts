import { Readable } from "node:stream";
import { wireAddress } from "@belfry/contracts/addresses";
import type { EmailMessage, OutgoingAttachment, SendOutcome } from "@belfry/contracts/sending";
import { type Static, Type } from "@sinclair/typebox";
import type MailComposer from "nodemailer/lib/mail-composer";
import type { SMTPConnectionSendInfo, SMTPEnvelope } from "nodemailer/lib/smtp-connection";
import { createAccessTokens, OAUTH_FIELDS, oauthFaults } from "./access-tokens.ts";
import { canonicalHost, SMTP_PORTS, smtpHostFault } from "./address-guard.ts";
import { type CallTimeout, startCallTimeout } from "./call-timeout.ts";
import { copiesOf, encodedSubject, mailHeaders, senderOf } from "./message-form.ts";
import {
  defineProvider,
  NoMoreCalls,
  type Provider,
  type ProviderContext,
  type ProviderDeps,
} from "./provider.ts";
import { NotAccepted, outcome, thrownOutcome, vendorAnswer } from "./send-outcome.ts";
import { lineField, secretField, senderFields } from "./settings.ts";
import { smtpFailure, wantsNoMore } from "./smtp-failure.ts";
import type { SmtpSession, SmtpTarget } from "./smtp-sessions.ts";
import { inPieces } from "./streamed-body.ts";

const DEFAULT_PORT = 587;
const DEFAULT_CONNECTIONS = 5;
const MESSAGES_PER_CONNECTION = 100;
/**
 * The timeout in ms for the answer to a whole message, which the server scans and queues first. RFC 5321 (4.5.3.2.6)
 * asks for ten minutes, because a shorter timeout causes duplicates. An email-sender can only wait for two.
 */
const MESSAGE_ANSWER_MS = 120_000;

const NO_SMTPUTF8 = "its part before the @ is not ASCII, and the server offers no SMTPUTF8";

export const SMTP_SETTINGS = Type.Object(
  {
    host: lineField({
      title: "Host",
      description: "The mail server that takes your messages.",
      destination: true,
    }),
    port: Type.Optional(
      Type.Integer({
        title: "Port",
        description: "465 (TLS), 587 or 2525 (STARTTLS).",
        minimum: 1,
        maximum: 65_535,
        default: DEFAULT_PORT,
        destination: true,
      }),
    ),
    user: Type.Optional(
      lineField({ title: "User", description: "The account's name, if the server wants one." }),
    ),
    password: Type.Optional(
      secretField({
        title: "Password",
        description: "The account's password.",
        pattern: "^[^\\u0000-\\u001f\\u007f]+$",
        fault: "must be one line",
        replacedBy: "oauthTokenUrl",
      }),
    ),
    ...OAUTH_FIELDS,
    ...senderFields(""),
    ehloName: Type.Optional(
      lineField({
        title: "EHLO name",
        description:
          "How the server is greeted: a host name of yours. Default: the host of PUBLIC_URL, else the sender's address.",
        maxLength: 255,
        pattern: "^([A-Za-z0-9][A-Za-z0-9.-]*|\\[(IPv6:)?[0-9A-Fa-f:.]+\\])$",
        fault: "must be a host name, or an address in brackets",
      }),
    ),
    maxConnections: Type.Optional(
      Type.Integer({
        title: "Connections",
        description:
          "At a time, of each email-sender. Where the server takes fewer, that is noticed, and no message is lost or late by it.",
        minimum: 1,
        maximum: 50,
        default: DEFAULT_CONNECTIONS,
      }),
    ),
    messagesPerConnection: Type.Optional(
      Type.Integer({
        title: "Messages per connection",
        description:
          "Before it is closed and another opened. Where the server takes fewer, that is noticed.",
        minimum: 1,
        maximum: 10_000,
        default: MESSAGES_PER_CONNECTION,
      }),
    ),
  },
  { additionalProperties: false },
);
type Settings = Static<typeof SMTP_SETTINGS>;
type ComposedMail = ReturnType<MailComposer["compile"]>;

/** Email through any mail server that accepts submissions (RFC 6409). */
export const smtp = defineProvider<EmailMessage, typeof SMTP_SETTINGS>({
  kind: "smtp",
  content: "email",
  title: "SMTP",
  attachments: "mime",
  settings: SMTP_SETTINGS,
  maxCalls: ({ maxConnections = DEFAULT_CONNECTIONS }) => maxConnections,
  faults(settings, context) {
    const faults: string[] = [];
    const hostProblem = smtpHostFault(settings.host, context);
    if (hostProblem !== null) faults.push(`host: ${hostProblem}`);
    const port = settings.port ?? DEFAULT_PORT;
    if (!context.allowPrivateAddresses && !SMTP_PORTS.includes(port)) {
      faults.push(`port: must be ${SMTP_PORTS.slice(0, -1).join(", ")} or ${SMTP_PORTS.at(-1)}`);
    }
    // This address is not in the envelope, but only in a header field, so we cannot request SMTPUTF8 for it.
    if (settings.replyTo !== undefined && needsSmtpUtf8(settings.replyTo)) {
      faults.push("replyTo: must have only ASCII characters before the @");
    }
    faults.push(...oauthFaults(settings, context));
    const isOAuth = settings.oauthTokenUrl !== undefined;
    if (settings.user !== undefined && settings.password === undefined && !isOAuth) {
      faults.push("password: is missing");
    }
    if (settings.user === undefined && settings.password !== undefined) {
      faults.push("user: is missing");
    }
    return faults;
  },
  create: createSmtp,
});

async function createSmtp(
  settings: Settings,
  context: ProviderContext,
): Promise<Provider<EmailMessage>> {
  const [{ default: MailComposer }, { createSmtpSessions, openSmtpSession }] = await Promise.all([
    import("nodemailer/lib/mail-composer"),
    import("./smtp-sessions.ts"),
  ]);
  const target = smtpTarget(settings, context);
  const { secrets, timeoutMs, messageAnswerMs = MESSAGE_ANSWER_MS } = context;
  const tokens = await createAccessTokens(settings, context);

  /** Opens a session. If the server refuses the access token, tries a new one once: it may have been revoked early. */
  async function openSession(timeout: CallTimeout): Promise<SmtpSession> {
    if (tokens === undefined) return await openSmtpSession(target, context, timeout.signal);
    for (let isRenewed = false; ; isRenewed = true) {
      // The timeout is for the mail server only, because requests for tokens have their own.
      timeout.end();
      const token = await tokens.get();
      timeout.renew(timeoutMs);
      try {
        return await openSmtpSession(target, context, timeout.signal, token);
      } catch (error) {
        if (isRenewed || !isRefusedLogin(error)) throw error;
        tokens.forget(token);
      }
    }
  }

  const sessions = createSmtpSessions({
    open: openSession,
    maxConnections: context.maxCalls,
    maxMessages: settings.messagesPerConnection ?? MESSAGES_PER_CONNECTION,
    limitCalls: context.limitCalls,
    clock: context.clock,
  });

  async function attempt(
    message: EmailMessage,
    compose: (onPiece: () => void) => ComposedMail,
    timeout: CallTimeout,
  ): Promise<SendOutcome> {
    const envelope = envelopeOf(settings.from, message);
    /** The number of messages that another session accepted before it refused this one. */
    let tookBefore: number | undefined;
    for (;;) {
      let handedOver = false;
      let content: Readable | undefined;
      let session: SmtpSession | undefined;
      let earlier = 0;
      let isDone = false;
      try {
        timeout.renew(timeoutMs);
        session = await sessions.take(timeout);
        earlier = session.messages;
        timeout.renew(timeoutMs);
        if (envelope.use8BitMime && !session.offersSmtpUtf8) {
          // An account that cannot send from its own address can send nothing.
          return needsSmtpUtf8(settings.from)
            ? outcome("credentials", `the mail server cannot send from this sender: ${NO_SMTPUTF8}`)
            : outcome(
                "permanent",
                `the mail server cannot send to ${needsSmtpUtf8(message.to) ? "this address" : "an address of cc or bcc"}: ${NO_SMTPUTF8}`,
              );
        }
        const mail = compose(() => timeout.renew(timeoutMs));
        content = mail.createReadStream();
        // The server may have the message from here on, even if its answer is lost.
        content.once("end", () => {
          handedOver = true;
          timeout.renew(messageAnswerMs);
        });
        const info = await session.send(envelope, content, timeout.signal);
        isDone = true;
        if (tookBefore !== undefined && earlier === 0) sessions.learnMessages(tookBefore);
        return taken(info, wireAddress(message.to), mail.messageId(), secrets);
      } catch (error) {
        content?.destroy();
        if (error instanceof NoMoreCalls) throw error;
        if (error instanceof NotAccepted) return error.outcome;
        if (session !== undefined && earlier > 0) {
          if (wantsNoMore(error)) {
            tookBefore = earlier;
            sessions.leave(session);
            session = undefined;
            continue;
          }
          const hungUp = !session.isOpen && !timeout.signal.aborted;
          // The server closed the idle connection before anything of this message was sent, so we retry.
          if (hungUp && content?.readableDidRead === false) continue;
        }
        return smtpFailure(error, handedOver, secrets);
      } finally {
        if (session !== undefined) sessions.give(session, isDone);
      }
    }
  }
  return {
    async send(message) {
      // A composed mail can be read only once, so each try composes its own.
      const compose = (onPiece: () => void) =>
        new MailComposer({ ...toMail(message, settings), ...filesOf(message, onPiece) }).compile();
      try {
        compose(() => undefined);
      } catch (error) {
        return thrownOutcome(error, "permanent");
      }
      const timeout = startCallTimeout(timeoutMs, context.clock);
      try {
        return await attempt(message, compose, timeout);
      } finally {
        timeout.end();
      }
    },
    async close() {
      sessions.close();
      await tokens?.close();
    },
  };
}

function isRefusedLogin(error: unknown): boolean {
  const { code, responseCode } = (error ?? {}) as { code?: unknown; responseCode?: unknown };
  return code === "EAUTH" && responseCode === 535;
}

/** Returns the connection options. TLS with a valid certificate is required if the address guard is on. */
export function smtpTarget(settings: Settings, deps: ProviderDeps): SmtpTarget {
  const { user, password, port = DEFAULT_PORT } = settings;
  return {
    host: canonicalHost(settings.host) ?? settings.host,
    port,
    secure: port === 465,
    requireTLS: !deps.allowPrivateAddresses,
    tls: { rejectUnauthorized: !deps.allowPrivateAddresses },
    name: settings.ehloName ?? domainName(deps.publicUrl),
    auth: user === undefined ? null : { user, pass: password ?? "" },
  };
}

function needsSmtpUtf8(address: string): boolean {
  return /[^\u0000-\u007f]/.test(wireAddress(address));
}

/** Returns the SMTP envelope. If an address is not ASCII, RFC 6531 requires the body to be announced as 8-bit. */
function envelopeOf(from: string, message: EmailMessage): SMTPEnvelope {
  const all = [message.to, ...copiesOf(message)];
  const use8BitMime = [from, ...all].some(needsSmtpUtf8);
  return { from: wireAddress(from), to: all.map(wireAddress), use8BitMime };
}

/** Returns the host of `publicUrl`, or undefined for a local name such as `localhost`. */
function domainName(publicUrl: string | undefined): string | undefined {
  const host = URL.parse(publicUrl ?? "")?.hostname;
  return host !== undefined && /\.[a-z][a-z0-9-]*$/i.test(host) ? host : undefined;
}

function toMail(message: EmailMessage, settings: Settings) {
  const { address: from, name = "", replyTo } = senderOf(message, settings);
  // Addresses are objects, because a string would be parsed and could contain several addresses.
  const of = (address: string) => ({ name: "", address: wireAddress(address) });
  return {
    from: { name, address: from },
    to: of(message.to),
    ...(message.cc && { cc: message.cc.map(of) }),
    ...(replyTo !== undefined && { replyTo: of(replyTo) }),
    // Each attempt has the same id, so that a mailbox can recognize a second copy.
    messageId: `<${message.deliveryId}${from.slice(from.lastIndexOf("@"))}>`,
    subject: encodedSubject(message.subject),
    headers: mailHeaders(message),
    ...(message.text === "" ? {} : { text: message.text }),
    ...(message.html === "" ? {} : { html: message.html }),
    // Nodemailer must never read the message's text as a file name or a URL to fetch.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/**
 * Returns the attachments. An invitation (`text/calendar` with a method) is added twice: as an alternative of the text,
 * for Outlook and Gmail, and as a file for other clients (RFC 6047 and [MS-OXCMAIL] 2.1.3.3.8). `onPiece` is called
 * before each piece of a file is sent.
 */
function filesOf({ attachments }: EmailMessage, onPiece: () => void) {
  if (attachments === undefined) return {};
  const content = (file: OutgoingAttachment) =>
    Readable.from(read(file, onPiece), { objectMode: false, highWaterMark: 1 });
  const invitation = attachments.find(({ type }) => /^text\/calendar;.*\bmethod=/i.test(type));
  return {
    ...(invitation && {
      alternatives: [
        {
          content: content(invitation),
          contentType: invitation.type,
          contentTransferEncoding: "base64" as const,
        },
      ],
    }),
    attachments: attachments.map((file) => ({
      filename: file.name,
      content: content(file),
      contentType: file === invitation ? "application/ics" : file.type,
      contentTransferEncoding: "base64" as const,
      ...(file.cid === undefined
        ? { contentDisposition: "attachment" as const }
        : { contentDisposition: "inline" as const, cid: file.cid }),
    })),
  };
}

async function* read(file: OutgoingAttachment, onPiece: () => void): AsyncGenerator<Buffer> {
  for await (const piece of inPieces(file)) {
    onPiece();
    yield piece;
  }
}

/**
 * Returns the outcome of a mail that the server accepted for at least one address. If it refused the recipient, the
 * mail has failed, though the server accepted copies (cc and bcc). The next try sends the copies again.
 */
function taken(
  info: SMTPConnectionSendInfo,
  to: string,
  messageId: string,
  secrets: readonly string[],
): SendOutcome {
  const refused = info.rejectedErrors?.find(({ recipient }) => recipient === to);
  if (refused !== undefined) return smtpFailure(refused, false, secrets);
  const status = /^2\d\d/.exec(info.response)?.[0] ?? null;
  const known = { vendorStatus: status, vendorAnswer: vendorAnswer(info.response, secrets) };
  if (status === null || !info.accepted.includes(to)) {
    return outcome("ambiguous", "the mail server's answer is no clear success", known);
  }
  const copies = info.rejected.length;
  const words = copies === 0 ? "" : `, but refused ${copies} of cc and bcc`;
  return outcome("accepted", `the mail server took the message${words}`, {
    ...known,
    messageId: messageId.replace(/^<|>$/g, ""),
  });
}
