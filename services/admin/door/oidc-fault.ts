/** What stopped a sign-in at the provider, told in words on the page and by its code in the log. */
export type OidcFaultReason =
  /** Down, slow, or its answer is of no use. */
  | "unavailable"
  /** It did not let the person in, or the person changed their mind. */
  | "denied"
  /** What it answered is not for this sign-in, or nobody vouches for it. */
  | "untrusted"
  /** Its list of groups cannot be read. */
  | "groups"
  /** Another browser's, used before, or too old. */
  | "stale";

export class OidcFault extends Error {
  override readonly name = "OidcFault";
  readonly reason: OidcFaultReason;
  /** For the log: codes and our own words, never an answer's text, which may hold a token. */
  readonly details: Readonly<Record<string, string | number>>;

  constructor(reason: OidcFaultReason, details: Record<string, string | number> = {}) {
    super(reason);
    this.reason = reason;
    this.details = details;
  }
}

/** What the client's library has thrown, without what came from outside. */
export function oidcFaultOf(error: unknown): OidcFault {
  if (error instanceof OidcFault) return error;
  const details = describe(error);
  const { name, code, error: answered } = error as Record<string, unknown>;
  if (name === "AuthorizationResponseError") return new OidcFault("denied", details);
  // The token endpoint took neither this code nor this verifier.
  if (name === "ResponseBodyError" && answered === "invalid_grant") {
    return new OidcFault("stale", details);
  }
  return new OidcFault(UNTRUSTED.has(String(code)) ? "untrusted" : "unavailable", details);
}

/** Of openid-client and oauth4webapi: a comparison or a signature failed. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
  "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED",
  "OAUTH_KEY_SELECTION_FAILED",
  "OAUTH_UNSUPPORTED_OPERATION",
]);

/** Codes as OAuth has them: nothing of a text that an answer could put there. */
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
