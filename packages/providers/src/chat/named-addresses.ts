import type { SendOutcome } from "@belfry/contracts/sending";
import { Type } from "@sinclair/typebox";
import { addressFault } from "../address-guard.ts";
import { outcome } from "../send-outcome.ts";
import type { SettingsContext } from "../settings.ts";

const MAX_ADDRESSES_CHARACTERS = 64 * 1024;
const LINE = /^([A-Za-z0-9_-]{1,64})[ \t]*=[ \t]*(\S{1,2048})$/;
/** The name in the address of a message, such as `ops` in `teams:ops` and `slack:#ops`. */
const NAMED = /^[a-z-]+:#?([A-Za-z0-9_-]{1,64})$/;

/** Returns the field for a provider's addresses. Each value is a secret: who knows it may post. */
export function addressesField(options: { example: string; link?: string; what?: string }) {
  const { example, link, what = "URL" } = options;
  return Type.String({
    title: "Addresses",
    description: `The ${what} of each address by its name, one a line: ${example}. A message names the name.`,
    maxLength: MAX_ADDRESSES_CHARACTERS,
    fault: `must have at most ${MAX_ADDRESSES_CHARACTERS} characters`,
    secret: true,
    showsNames: true,
    multiline: true,
    ...(link !== undefined && { link }),
  });
}

/** Returns the values by their names. Lines that are not of the form `NAME=VALUE` are left out. */
export function addressesOf(text: string): Map<string, string> {
  const found = linesOf(text).map(({ line }) => LINE.exec(line));
  return new Map(found.flatMap((match) => (match ? [[match[1] ?? "", match[2] ?? ""]] : [])));
}

/** Returns the faults of the field, which quote no value. `faultOf` judges a value, by default as a URL. */
export function addressesFaults(
  text: string | undefined,
  context: SettingsContext,
  faultOf: (value: string, context: SettingsContext) => string | null = addressFault,
): string[] {
  if (text === undefined) return [];
  const names = new Set<string>();
  const lines = linesOf(text);
  const faults = lines.flatMap(({ line, number }) => {
    const [, name, value] = LINE.exec(line) ?? [];
    // A suppression of a name that is gone holds for the name in any case.
    const key = name?.toLowerCase();
    const isTwice = key !== undefined && names.has(key);
    if (key !== undefined) names.add(key);
    const fault =
      value === undefined ? NO_LINE : isTwice ? "has a name twice" : faultOf(value, context);
    return fault === null ? [] : [`addresses: line ${number}: ${fault}`];
  });
  if (lines.length === 0) faults.push("addresses: has no line");
  return faults.slice(0, MAX_FAULTS);
}

const MAX_FAULTS = 10;
const NO_LINE = "must be NAME=VALUE: a name of 1 to 64 letters, digits, _ and -, and a URL or key";

function linesOf(text: string): { line: string; number: number }[] {
  const lines = text.split("\n").map((line, at) => ({ line: line.trim(), number: at + 1 }));
  return lines.filter(({ line }) => line !== "");
}

/** A part of a URL's path that is so long is a token. */
const TOKEN_CHARACTERS = 16;

/** Returns what of an address a vendor must not echo into a stored answer: the value, and the path of a URL. */
export function addressSecrets(address: string): string[] {
  const { pathname = "", search = "" } = URL.parse(address) ?? {};
  const tokens = pathname.split("/").filter(({ length }) => length >= TOKEN_CHARACTERS);
  return [address, pathname + search, pathname, ...tokens].filter(({ length }) => length > 1);
}

/** Returns the name in a message's address; undefined if it has none. */
export function nameIn(to: string): string | undefined {
  return NAMED.exec(to)?.[1];
}

/** Another of the tenant's providers may have the address. */
export function addressMissing(name: string | undefined): SendOutcome {
  const reason =
    name === undefined ? "the address has no name" : `the provider has no address ${name}`;
  return outcome("policy", reason);
}

/**
 * Adds the address's name to a refusal, so that people know which of the provider's addresses to mend. What is wrong
 * with one address, such as a redirect, makes its message wait, but does not stop those to the other addresses.
 */
export function aboutAddress(sent: SendOutcome, name: string): SendOutcome {
  if (sent.class !== "permanent" && sent.class !== "credentials") return sent;
  const reason = isGone(sent)
    ? `the webhook of the address ${name} no longer exists`
    : `address ${name}: ${sent.reason}`;
  return { ...sent, reason, class: sent.class === "permanent" ? "permanent" : "deferred" };
}

/** Whether the refusal says that the address's webhook was removed. */
export function isGone(sent: SendOutcome): boolean {
  return sent.class === "permanent" && GONE.has(sent.vendorStatus ?? "");
}

/** Statuses and codes that say that a webhook was removed: of HTTP, Discord, Slack and Mattermost. */
const GONE = new Set([
  "404",
  "410",
  "10015",
  "no_service",
  "no_active_hooks",
  "web.incoming_webhook.invalid.app_error",
]);
