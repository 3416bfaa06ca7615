import type { Readable } from "node:stream";
import { wireAddress } from "@belfry/contracts/addresses";
import type { EmailMessage, SendOutcome } from "@belfry/contracts/sending";
import { type Static, Type } from "@sinclair/typebox";
import type MailComposer from "nodemailer/lib/mail-composer";
import type { SMTPConnectionSendInfo, SMTPEnvelope } from "nodemailer/lib/smtp-connection";
import { type AccessTokens, createAccessTokens } from "./access-tokens.ts";
import { baseUrlFault, canonicalHost, SMTP_PORTS, smtpHostFault } from "./address-guard.ts";
import type { HttpCalls } from "./http-calls.ts";
import { mailHeaders } from "./message-form.ts";
import { type Patience, startPatience } from "./patience.ts";
import {
  defineProvider,
  NoMoreCalls,
  type Provider,
  type ProviderContext,
  type ProviderDeps,
  type SettingsContext,
} from "./provider.ts";
import { NotAccepted, outcome, thrownOutcome, vendorAnswer } from "./send-outcome.ts";
import { emailField, lineField, secretField } from "./settings.ts";
import { smtpFailure, wantsNoMore } from "./smtp-failure.ts";
import type { SmtpSession, SmtpTarget } from "./smtp-session.ts";
import { createSmtpSessions } from "./smtp-sessions.ts";

const DEFAULT_PORT = 587;
const DEFAULT_CONNECTIONS = 5;
const MESSAGES_PER_CONNECTION = 100;
/**
 * For the answer to a whole message, while a server scans and queues it. RFC 5321 (4.5.3.2.6) gives it ten
 * minutes, since giving up sooner makes doubles; a sender can wait for two.
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
    oauthTokenUrl: Type.Optional(
      Type.String({
        title: "OAuth token URL",
        description:
          "Instead of a password, for servers that ask for XOAUTH2. Microsoft: https://login.microsoftonline.com/<directory>/oauth2/v2.0/token. Google: https://oauth2.googleapis.com/token.",
        minLength: 1,
        maxLength: 512,
        destination: true,
      }),
    ),
    oauthClientId: Type.Optional(
      lineField({ title: "OAuth client ID", description: "The application's, at the token URL." }),
    ),
    oauthClientSecret: Type.Optional(
      secretField({
        title: "OAuth client secret",
        description: "The application's.",
        belongsTo: "oauthTokenUrl",
      }),
    ),
    oauthRefreshToken: Type.Optional(
      secretField({
        title: "OAuth refresh token",
        description:
          "Of the mailbox's owner, as Google needs it. Without one the application gets tokens for itself (client credentials), as Microsoft allows it by the permission SMTP.SendAsApp.",
        maxLength: 4096,
        belongsTo: "oauthTokenUrl",
      }),
    ),
    oauthScope: Type.Optional(
      lineField({
        title: "OAuth scope",
        description:
          "Microsoft, with client credentials: https://outlook.office365.com/.default. Google: leave it empty.",
      }),
    ),
    from: emailField({ title: "From", description: "The sender's address." }),
    fromName: Type.Optional(
      lineField({ title: "From name", description: "The name shown beside the sender's address." }),
    ),
    replyTo: Type.Optional(
      emailField({ title: "Reply to", description: "Where answers go, if not to the sender." }),
    ),
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

/** Email through any mail server that takes submissions (RFC 6409). */
export const smtp = defineProvider<EmailMessage, typeof SMTP_SETTINGS>({
  kind: "smtp",
  content: "email",
  title: "SMTP",
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
    // Of an address that only a header field names, the session cannot be told that it needs SMTPUTF8.
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
  const [{ default: MailComposer }, { openSmtpSession }] = await Promise.all([
    import("nodemailer/lib/mail-composer"),
    import("./smtp-session.ts"),
  ]);
  const target = smtpTarget(settings, context);
  const { secrets, timeoutMs, messageAnswerMs = MESSAGE_ANSWER_MS } = context;
  const { tokens, calls } = await accessTokens(settings, context);

  /** A server that refuses an access token is given a new one, once: it may have been revoked before its time. */
  async function openSession(patience: Patience): Promise<SmtpSession> {
    if (tokens === undefined) return await openSmtpSession(target, context, patience.signal);
    for (let isRenewed = false; ; isRenewed = true) {
      // No mail server is waited for meanwhile; the request for a token has deadlines of its own.
      patience.end();
      const token = await tokens.get();
      patience.renew(timeoutMs);
      try {
        return await openSmtpSession(target, context, patience.signal, token);
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
    { to }: EmailMessage,
    mail: ComposedMail,
    patience: Patience,
  ): Promise<SendOutcome> {
    const envelope = envelopeOf(settings.from, to);
    /** How many messages another session took before it was asked for this one, and wanted no more. */
    let tookBefore: number | undefined;
    for (;;) {
      let handedOver = false;
      let content: Readable | undefined;
      let session: SmtpSession | undefined;
      let earlier = 0;
      let isDone = false;
      try {
        patience.renew(timeoutMs);
        session = await sessions.take(patience);
        earlier = session.messages;
        patience.renew(timeoutMs);
        if (envelope.use8BitMime && !session.offersSmtpUtf8) {
          // An account that cannot send from its own address can send nothing.
          return needsSmtpUtf8(settings.from)
            ? outcome("credentials", `the mail server cannot send from this sender: ${NO_SMTPUTF8}`)
            : outcome("permanent", `the mail server cannot send to this address: ${NO_SMTPUTF8}`);
        }
        content = mail.createReadStream();
        // Without the server's answer to the whole message, it may have it.
        content.once("end", () => {
          handedOver = true;
          patience.renew(messageAnswerMs);
        });
        const info = await session.send(envelope, content, patience.signal);
        isDone = true;
        if (tookBefore !== undefined && earlier === 0) sessions.learnMessages(tookBefore);
        return accepted(info, mail.messageId(), secrets);
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
          const hungUp = !session.isOpen && !patience.signal.aborted;
          // It had closed the connection while it was idle, and was given nothing of this message.
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
      let mail: ComposedMail;
      try {
        mail = new MailComposer(toMail(message, settings)).compile();
      } catch (error) {
        return thrownOutcome(error, "permanent");
      }
      const patience = startPatience(timeoutMs, context.clock);
      try {
        return await attempt(message, mail, patience);
      } finally {
        patience.end();
      }
    },
    async close() {
      sessions.close();
      await calls?.close();
    },
  };
}

/** Undefined where the account logs in with a password, or not at all. */
async function accessTokens(
  { oauthTokenUrl, oauthClientId = "", ...settings }: Settings,
  context: ProviderContext,
): Promise<{ tokens?: AccessTokens; calls?: HttpCalls }> {
  if (oauthTokenUrl === undefined) return {};
  const { createHttpCalls } = await import("./http-calls.ts");
  const calls = createHttpCalls(context);
  const client = {
    tokenUrl: oauthTokenUrl,
    clientId: oauthClientId,
    clientSecret: settings.oauthClientSecret,
    refreshToken: settings.oauthRefreshToken,
    scope: settings.oauthScope,
  };
  return { calls, tokens: createAccessTokens(client, calls, context) };
}

function oauthFaults(settings: Settings, context: SettingsContext): string[] {
  const { oauthTokenUrl, oauthClientId, oauthClientSecret, oauthRefreshToken } = settings;
  const others = [oauthClientId, oauthClientSecret, oauthRefreshToken, settings.oauthScope];
  if (oauthTokenUrl === undefined) {
    return others.some((value) => value !== undefined) ? ["oauthTokenUrl: is missing"] : [];
  }
  const urlFault = baseUrlFault(oauthTokenUrl, context);
  return [
    urlFault === null ? "" : `oauthTokenUrl: ${urlFault}`,
    oauthClientId === undefined ? "oauthClientId: is missing" : "",
    oauthClientSecret === undefined && oauthRefreshToken === undefined
      ? "oauthClientSecret: is missing"
      : "",
    settings.user === undefined ? "user: is missing" : "",
    settings.password === undefined ? "" : "password: give either a password or OAuth",
  ].filter((fault) => fault !== "");
}

function isRefusedLogin(error: unknown): boolean {
  const { code, responseCode } = (error ?? {}) as { code?: unknown; responseCode?: unknown };
  return code === "EAUTH" && responseCode === 535;
}

/** How to reach the server; TLS with a valid certificate is required wherever the guard is on. */
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

/** RFC 6531 wants the body announced as 8-bit where header fields are. */
function envelopeOf(from: string, to: string): SMTPEnvelope {
  const use8BitMime = needsSmtpUtf8(from) || needsSmtpUtf8(to);
  return { from: wireAddress(from), to: [wireAddress(to)], use8BitMime };
}

/** What is no name beyond this machine or network, as `localhost`, greets nobody. */
function domainName(publicUrl: string | undefined): string | undefined {
  const host = URL.parse(publicUrl ?? "")?.hostname;
  return host !== undefined && /\.[a-z][a-z0-9-]*$/i.test(host) ? host : undefined;
}

function toMail(message: EmailMessage, settings: Settings) {
  const from = wireAddress(settings.from);
  const to = wireAddress(message.to);
  return {
    // Addresses as objects: a string would be parsed, and could hold more than one.
    from: { name: settings.fromName ?? "", address: from },
    to: { name: "", address: to },
    ...(settings.replyTo === undefined
      ? {}
      : { replyTo: { name: "", address: wireAddress(settings.replyTo) } }),
    // The same at each attempt, so that a mailbox can tell a second copy.
    messageId: `<${message.deliveryId}${from.slice(from.lastIndexOf("@"))}>`,
    subject: encodedSubject(message.subject),
    headers: mailHeaders(message),
    ...(message.text === "" ? {} : { text: message.text }),
    ...(message.html === "" ? {} : { html: message.html }),
    // A message's text is never the name of a file or an address to fetch.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** As RFC 2047 marks a text that is encoded. */
const ENCODED_WORD = /=\?[^?\s]+\?[bq]\?/i;
/** A word may have 75 characters: 45 bytes are 60 of base64. */
const MAX_WORD_BYTES = 45;

/** A subject that looks like encoded words is shown as it is written only where it is encoded itself. */
function encodedSubject(subject: string): string {
  if (!ENCODED_WORD.test(subject)) return subject;
  const words: string[] = [];
  let part = "";
  for (const character of subject) {
    if (Buffer.byteLength(part + character) > MAX_WORD_BYTES) {
      words.push(part);
      part = "";
    }
    part += character;
  }
  words.push(part);
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString("base64")}?=`).join(" ");
}

function accepted(
  info: SMTPConnectionSendInfo,
  messageId: string,
  secrets: readonly string[],
): SendOutcome {
  const status = /^2\d\d/.exec(info.response)?.[0] ?? null;
  const known = { vendorStatus: status, vendorAnswer: vendorAnswer(info.response, secrets) };
  if (status === null || info.accepted.length !== 1 || info.rejected.length !== 0) {
    return outcome("ambiguous", "the mail server's answer is no clear success", known);
  }
  return outcome("accepted", "the mail server took the message", {
    ...known,
    messageId: messageId.replace(/^<|>$/g, ""),
  });
}
