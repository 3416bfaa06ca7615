import type { IdentityRefusal } from "@belfry/administration/people/identities";
import { type Phrase, say, type Words } from "../page/language.ts";

/** The reason why a sign-in at the provider failed. The page shows it as a sentence, the log as a code. */
type OidcFaultReason =
  /** The provider is down or slow, or its answer is unusable. */
  | "unavailable"
  /** The provider refused the person, or the person cancelled. */
  | "denied"
  /** The answer is not for this sign-in, or has no valid signature. */
  | "untrusted"
  /** The list of groups in the answer cannot be read. */
  | "groups"
  /** The sign-in was begun in another browser, was used before, or has expired. */
  | "stale";

export class OidcFault extends Error {
  override readonly name = "OidcFault";
  readonly reason: OidcFaultReason;
  /** Details for the log: only codes and our own words. The text of an answer may contain a token. */
  readonly details: Readonly<Record<string, string | number>>;

  constructor(reason: OidcFaultReason, details: Record<string, string | number> = {}) {
    super(reason);
    this.reason = reason;
    this.details = details;
  }
}

/** Returns the fault for an error of the library. It contains no text of the provider's answer. */
export function oidcFaultOf(error: unknown): OidcFault {
  if (error instanceof OidcFault) return error;
  const details = describe(error);
  const { name, code, error: answered } = error as Record<string, unknown>;
  if (name === "AuthorizationResponseError") return new OidcFault("denied", details);
  // The token endpoint rejected the code or the verifier.
  if (name === "ResponseBodyError" && answered === "invalid_grant") {
    return new OidcFault("stale", details);
  }
  return new OidcFault(UNTRUSTED.has(String(code)) ? "untrusted" : "unavailable", details);
}

/** Codes of openid-client and oauth4webapi for a failed comparison or signature. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
  "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED",
  "OAUTH_KEY_SELECTION_FAILED",
  "OAUTH_UNSUPPORTED_OPERATION",
]);

/** Matches codes as OAuth defines them. Other text may come from an answer and is not logged. */
const CODE = /^[A-Za-z0-9_.-]{1,80}$/;
const MOST_CAUSES = 5;

function describe(error: unknown): Record<string, string> {
  const details: Record<string, string> = {};
  const seen: string[] = [];
  let one = error;
  for (let depth = 0; depth < MOST_CAUSES && typeof one === "object" && one !== null; depth += 1) {
    const { name, code, error: answered, cause } = one as Record<string, unknown>;
    for (const part of [name, code, answered]) {
      if (typeof part === "string" && CODE.test(part) && part !== "Error") seen.push(part);
    }
    one = one instanceof Error ? cause : undefined;
  }
  if (seen.length > 0) details.code = seen.join(" < ");
  return details;
}

/** The sentence that tells a person why the sign-in failed and what to do now, and the HTTP status. */
export interface OidcWords {
  text: Phrase;
  status: number;
}

const FAULTS: Readonly<Record<OidcFaultReason, [status: number, words: (name: string) => Phrase]>> =
  {
    unavailable: [
      502,
      (name) =>
        say`${name} did not respond correctly. Try again in a moment, or sign in with your password.`,
    ],
    denied: [403, (name) => say`${name} did not let you in. Try again, or ask its administrators.`],
    untrusted: [
      403,
      (name) =>
        say`The response of ${name} could not be verified, so you were not signed in. Tell an operator of Belfry.`,
    ],
    groups: [
      403,
      (name) =>
        say`The list of your groups that ${name} sent cannot be read. Tell an operator of Belfry.`,
    ],
    stale: [400, () => say`This sign-in was already used, or has expired. Start again.`],
  };

/** Returns the words of a fault; `name` is the provider's name. */
export function faultWords(reason: OidcFaultReason, name: string): OidcWords {
  const [status, words] = FAULTS[reason];
  return { status, text: words(name) };
}

export function refusalWords(
  reason: IdentityRefusal,
  name: string,
  email: string | null,
): OidcWords {
  return { text: REFUSALS[reason](name, email ?? say`your address`), status: 403 };
}

const BY_HAND = say`sign in with your password, and connect it under Your account`;

const REFUSALS: Readonly<Record<IdentityRefusal, (name: string, address: Words) => Phrase>> = {
  unverified: (name) =>
    say`${name} does not say that your email address is verified. If you have an account here, ${BY_HAND}.`,
  "foreign-domain": (_, address) =>
    say`The domain of ${address} is not allowed to sign in here. If you have an account here, ${BY_HAND}.`,
  operator: (name) => say`An operator connects ${name} by hand: ${BY_HAND}.`,
  "connected-otherwise": (name, address) =>
    say`The account here of ${address} is connected to another one at ${name}. Disconnect that one first, under Your account.`,
  "somebody-elses": (name) =>
    say`This account at ${name} is already connected to somebody else's account here. It has to be disconnected there first.`,
  "no-role": (_, address) =>
    say`There is no account for ${address}, and none of your groups grants access. Ask the owner of your tenant for an invitation.`,
};
