import { connect, type Socket } from "node:net";
import type { EmailMessage, SendOutcome } from "@belfry/contracts/sending";
import { type Static, Type } from "@sinclair/typebox";
import { createTransport, type SMTPPoolOptions, type SMTPPoolSentMessageInfo } from "nodemailer";
import {
  AddressRefused,
  canonicalHost,
  guardedLookup,
  hostFault,
  SMTP_PORTS,
  smtpHostFault,
} from "./address-guard.ts";
import { outcome, vendorAnswer } from "./outcome.ts";
import {
  defineProvider,
  type Provider,
  type ProviderContext,
  type ProviderDeps,
} from "./provider.ts";
import { asciiDomain } from "./recipient.ts";
import { emailField, lineField, secretField } from "./settings.ts";
import { smtpFailure } from "./smtp-failure.ts";

const DEFAULT_PORT = 587;
const MAX_CONNECTIONS = 5;
/** A server may hang up after five minutes (RFC 5321, 4.5.3.2.7); we do so well before. */
const IDLE_MS = 60_000;

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
      }),
    ),
    from: emailField({ title: "From", description: "The sender's address." }),
    fromName: Type.Optional(
      lineField({ title: "From name", description: "The name shown beside the sender's address." }),
    ),
    replyTo: Type.Optional(
      emailField({ title: "Reply to", description: "Where answers go, if not to the sender." }),
    ),
  },
  { additionalProperties: false },
);
type Settings = Static<typeof SMTP_SETTINGS>;

/** Email through any mail server that takes submissions (RFC 6409). */
export const smtp = defineProvider<EmailMessage, typeof SMTP_SETTINGS>({
  kind: "smtp",
  channel: "EMAIL",
  title: "SMTP",
  settings: SMTP_SETTINGS,
  faults(settings, context) {
    const faults: string[] = [];
    const hostProblem = smtpHostFault(settings.host, context);
    if (hostProblem !== null) faults.push(`host: ${hostProblem}`);
    const port = settings.port ?? DEFAULT_PORT;
    if (!context.allowPrivateAddresses && !SMTP_PORTS.includes(port)) {
      faults.push(`port: must be ${SMTP_PORTS.slice(0, -1).join(", ")} or ${SMTP_PORTS.at(-1)}`);
    }
    if (settings.user !== undefined && settings.password === undefined) {
      faults.push("password: is missing");
    }
    if (settings.user === undefined && settings.password !== undefined) {
      faults.push("user: is missing");
    }
    return faults;
  },
  create: createSmtp,
});

function createSmtp(settings: Settings, context: ProviderContext): Provider<EmailMessage> {
  const transport = createTransport(poolOptions(settings, context));
  const { secrets } = context;
  const inHand = new Set<Promise<SendOutcome>>();
  // Whether the server was given the whole message: without its answer to that, it may have it.
  const handedOver = new WeakSet<AbortSignal>();
  transport.use("stream", (mail, done) => {
    const { signal } = mail.data;
    mail.message.processFunc((stream) => {
      stream.once("end", () => signal !== undefined && handedOver.add(signal));
      return stream;
    });
    done();
  });

  async function attempt(message: EmailMessage): Promise<SendOutcome> {
    const signal = AbortSignal.timeout(context.timeoutMs);
    try {
      const info = await transport.sendMail({ ...toMail(message, settings), signal });
      return accepted(info, secrets);
    } catch (error) {
      return smtpFailure(error, handedOver.has(signal), secrets);
    }
  }
  return {
    async send(message) {
      const sending = attempt(message);
      inHand.add(sending);
      return sending.finally(() => inHand.delete(sending));
    },
    async close() {
      await Promise.allSettled(inHand);
      transport.close();
    },
  };
}

/** What the pool is made with; TLS with a valid certificate is required wherever the guard is on. */
export function poolOptions(
  settings: Settings,
  deps: ProviderDeps,
): SMTPPoolOptions & { pool: true } {
  const { user, password, port = DEFAULT_PORT } = settings;
  const host = canonicalHost(settings.host) ?? settings.host;
  return {
    pool: true,
    host,
    port,
    secure: port === 465,
    requireTLS: !deps.allowPrivateAddresses,
    tls: { rejectUnauthorized: !deps.allowPrivateAddresses },
    // An account in the settings is used: without this, a server that offers no login gets the
    // message without one.
    forceAuth: user !== undefined,
    ...(user !== undefined && password !== undefined ? { auth: { user, pass: password } } : {}),
    maxConnections: MAX_CONNECTIONS,
    // A message is never sent a second time by the pool: retries are Belfry's, on the record.
    maxRequeues: 0,
    idleTimeout: IDLE_MS,
    connectionTimeout: deps.timeoutMs,
    greetingTimeout: deps.timeoutMs,
    socketTimeout: deps.timeoutMs,
    // A message's text is never the name of a file or an address to fetch.
    disableFileAccess: true,
    disableUrlAccess: true,
    getSocket: (_options, callback) => {
      openSocket(host, port, deps).then(
        (connection) => callback(null, { connection }),
        (error) => callback(error),
      );
    },
  };
}

/** A connection to a checked address; nodemailer's own resolution would know nothing of the guard. */
function openSocket(host: string, port: number, deps: ProviderDeps): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const fault = hostFault(host, deps);
    if (fault !== null) {
      reject(new AddressRefused(`the host ${fault}`));
      return;
    }
    const socket = connect({ host, port, lookup: guardedLookup(deps), timeout: deps.timeoutMs });
    const fail = (error: Error) => {
      socket.destroy();
      reject(error);
    };
    const timeOut = () => fail(Object.assign(new Error("timeout"), { code: "ETIMEDOUT" }));
    socket.once("error", fail);
    socket.once("timeout", timeOut);
    socket.once("connect", () => {
      socket.off("error", fail);
      socket.off("timeout", timeOut);
      socket.setTimeout(0);
      resolve(socket);
    });
  });
}

function toMail(message: EmailMessage, settings: Settings) {
  const from = asciiDomain(settings.from);
  const to = asciiDomain(message.to);
  return {
    // Addresses as objects: a string would be parsed, and could hold more than one.
    from: { name: settings.fromName ?? "", address: from },
    to: { name: "", address: to },
    ...(settings.replyTo === undefined
      ? {}
      : { replyTo: { name: "", address: asciiDomain(settings.replyTo) } }),
    envelope: { from, to: [to] },
    // The same at each attempt, so that a mailbox can tell a second copy.
    messageId: `<${message.deliveryId}${from.slice(from.lastIndexOf("@"))}>`,
    subject: message.subject,
    ...(message.text === "" ? {} : { text: message.text }),
    ...(message.html === "" ? {} : { html: message.html }),
  };
}

function accepted(info: SMTPPoolSentMessageInfo, secrets: readonly string[]): SendOutcome {
  const status = /^2\d\d/.exec(info.response)?.[0] ?? null;
  const known = { vendorStatus: status, vendorAnswer: vendorAnswer(info.response, secrets) };
  if (status === null || info.accepted.length !== 1 || info.rejected.length !== 0) {
    return outcome("ambiguous", "the mail server's answer is no clear success", known);
  }
  const messageId = info.messageId.replace(/^<|>$/g, "");
  return outcome("accepted", "the mail server took the message", { ...known, messageId });
}
