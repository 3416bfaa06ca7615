import { type Logger, pino } from "pino";

export type { Logger } from "pino";

/** Names whose values never reach a log, wherever an object that is logged holds them. */
const SECRET_NAMES = [
  "apiKey",
  "authorization",
  "body",
  "cookie",
  "html",
  "keys",
  "password",
  "payload",
  "phone",
  "email",
  "rawBody",
  "recipientEmail",
  "recipientPhone",
  "secret",
  "settings",
  "signature",
  "text",
  "to",
  "token",
  "variables",
  "webhookSecret",
  '["x-api-key"]',
  '["x-service-signature"]',
  '["set-cookie"]',
];

export interface LoggerOptions {
  service: string;
  level: string;
  /** Where lines go; standard output by default. Tests pass their own. */
  destination?: { write(line: string): void };
}

/** JSON lines. Secrets, bodies and recipients are blotted out to a depth of two. */
export function createLogger(options: LoggerOptions): Logger {
  const redact = SECRET_NAMES.flatMap((name) => {
    const dotted = name.startsWith("[") ? name : `.${name}`;
    return [name, `*${dotted}`];
  });
  return pino(
    {
      level: options.level,
      base: { service: options.service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: redact, censor: "[redacted]" },
    },
    options.destination ?? pino.destination({ fd: 1, sync: false, minLength: 0 }),
  );
}
