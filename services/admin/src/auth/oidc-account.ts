import type { ProviderAccount } from "@belfry/administration/people/identities";
import { textFault } from "@belfry/contracts/identifiers";
import { OidcFault } from "./oidc-fault.ts";
import type { OidcSettings } from "./oidc-settings.ts";

/** Claims of an ID token or of the userinfo endpoint. They come from the provider, but may be any JSON. */
export type Claims = Readonly<Record<string, unknown>>;

/** Whether the ID token lacks the address, its verification or the groups, which the userinfo endpoint may have. */
export function needsUserInfo(token: Claims, settings: OidcSettings): boolean {
  if (typeof token.email !== "string" || token.email_verified === undefined) return true;
  return settings.groupRoles.length > 0 && token[settings.groupsClaim] === undefined;
}

/** Returns the account of these claims. Throws `OidcFault` if `sub` or the groups are not valid. */
export function accountOf(
  token: Claims,
  userInfo: Claims | undefined,
  settings: OidcSettings,
): ProviderAccount {
  const { iss, sub } = token;
  if (typeof iss !== "string" || typeof sub !== "string" || textFault(sub) !== undefined) {
    throw new OidcFault("untrusted", { claim: "sub" });
  }
  const name = [token.name, userInfo?.name].find((one) => typeof one === "string");
  return {
    issuer: iss,
    subject: sub,
    ...addressOf([token, ...(userInfo === undefined ? [] : [userInfo])]),
    name: name ?? null,
    groups: settings.groupRoles.length === 0 ? [] : groupsOf(token, userInfo, settings.groupsClaim),
  };
}

/** Returns the address and whether it is verified, both from one source: no source verifies the address of another. */
function addressOf(sources: readonly Claims[]): { email: string | null; emailVerified: boolean } {
  const found =
    sources.find((one) => typeof one.email === "string" && one.email_verified !== undefined) ??
    sources.find((one) => typeof one.email === "string");
  const email = found?.email as string | undefined;
  if (email === undefined || textFault(email) !== undefined) {
    return { email: null, emailVerified: false };
  }
  // Some providers send the verification as text.
  return {
    email,
    emailVerified: found?.email_verified === true || found?.email_verified === "true",
  };
}

/**
 * Returns the groups; none if there is no such claim. Throws `OidcFault` if the claim cannot be read: treating it as
 * "no groups" would remove roles, and keeping the roles would keep those of people who have lost them.
 */
function groupsOf(token: Claims, userInfo: Claims | undefined, claim: string): string[] {
  const source = [token, userInfo ?? {}].find((one) => Object.hasOwn(one, claim));
  if (source === undefined) {
    if (isElsewhere(token._claim_names, claim))
      throw new OidcFault("groups", { claim: "elsewhere" });
    return [];
  }
  const value = source[claim];
  // Some providers write a single group as text.
  const groups = typeof value === "string" ? [value] : value;
  if (Array.isArray(groups) && groups.every((one) => typeof one === "string")) return groups;
  throw new OidcFault("groups");
}

/** Whether the claim is at another endpoint: a provider that has too many groups for a token names one instead. */
function isElsewhere(names: unknown, claim: string): boolean {
  return typeof names === "object" && names !== null && Object.hasOwn(names, claim);
}
