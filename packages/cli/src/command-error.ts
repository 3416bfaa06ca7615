import { InvalidInput, NotFound } from "@belfry/administration/input-error";

/** Ends a command with exit code 1. Its message is written to standard error. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** Flags and arguments of input fields that are not named by the rule of `flagOf`. */
const FLAGS: Readonly<Record<string, string>> = {
  id: "ID",
  addresses: "--address",
  "userId or all": "--user or --all:",
  deliveryChannels: "--channels",
  webhookSecret: "--webhook-secret-file",
  content: "--content-file",
  settings: "--settings-file",
  variables: "--variables-file",
  attributes: "--attributes-file",
  actions: "--action",
  dir: "DIR",
  files: "DIR",
  layout: "--content-file",
  keyId: "KEYID",
  person: "--email",
};

/** Returns a failure's text for standard error: readable, without a stack, with the flag's name. */
export function errorText(error: unknown): string {
  if (error instanceof InvalidInput) {
    return error.faults.map((fault) => `error: ${nameOf(fault.field)} ${fault.message}`).join("\n");
  }
  if (error instanceof NotFound) return `error: ${nameOf(error.field)}: ${error.message}`;
  if (error instanceof CommandError) return `error: ${error.message}`;
  return `error: ${faultText(error)}`;
}

function nameOf(field: string): string {
  return FLAGS[field] ?? flagOf(field);
}

/** Returns the flag of a field by the rule: `eventType` becomes `--event-type`, `userId` becomes `--user`. */
export function flagOf(field: string): string {
  const name = field.replace(/Id$/, "");
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

const UNDEFINED_TABLE = "42P01";
const UNDEFINED_COLUMN = "42703";
const UNREACHABLE = [
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "ECONNRESET",
  "EHOSTUNREACH",
];

function faultText(error: unknown): string {
  // If all addresses of a host fail, the error is an AggregateError with one error for each.
  const first = error instanceof AggregateError ? error.errors[0] : error;
  if (!(first instanceof Error)) return String(first);
  const { code } = first as NodeJS.ErrnoException;
  if (code === UNDEFINED_TABLE || code === UNDEFINED_COLUMN) {
    return "the database does not have this version's tables: run `belfry migrate`";
  }
  if (code !== undefined && UNREACHABLE.includes(code)) {
    return `cannot reach the database (DATABASE_URL): ${first.message}`;
  }
  return first.message;
}
