import type { ProviderAccount } from "@belfry/administration/people/identities";
import { textFault } from "@belfry/contracts/identifiers";
import { OidcFault } from "./oidc-fault.ts";
import type { OidcSettings } from "./oidc-settings.ts";

/** Claims of an ID token or of the userinfo endpoint: of the provider, but any JSON. */
export type Claims = Readonly<Record<string, unknown>>;

/** Whether the ID token leaves out what only the userinfo endpoint may still tell. */
export function needsUserInfo(token: Claims, settings: OidcSettings): boolean {
  if (typeof token.email !== "string" || token.email_verified === undefined) return true;
  return settings.groupRoles.length > 0 && token[settings.groupsClaim] === undefined;
}

/** Throws `OidcFault` where `sub` or the groups are none. */
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

/** Address and its verification are said together: one source's word is not the other's. */
function addressOf(sources: readonly Claims[]): { email: string | null; emailVerified: boolean } {
  const found =
    sources.find((one) => typeof one.email === "string" && one.email_verified !== undefined) ??
    sources.find((one) => typeof one.email === "string");
  const email = found?.email as string | undefined;
  if (email === undefined || textFault(email) !== undefined) {
    return { email: null, emailVerified: false };
  }
  // Some say it as text.
  return {
    email,
    emailVerified: found?.email_verified === true || found?.email_verified === "true",
  };
}

/**
 * None where there is no such claim. One that cannot be read is refused: to take it for "no groups" would
 * take roles away, to leave them as they are would keep them for who has lost them.
 */
function groupsOf(token: Claims, userInfo: Claims | undefined, claim: string): string[] {
  const source = [token, userInfo ?? {}].find((one) => Object.hasOwn(one, claim));
  if (source === undefined) {
    if (isElsewhere(token._claim_names, claim))
      throw new OidcFault("groups", { claim: "elsewhere" });
    return [];
  }
  const value = source[claim];
  // One group, as some providers write it.
  const groups = typeof value === "string" ? [value] : value;
  if (Array.isArray(groups) && groups.every((one) => typeof one === "string")) return groups;
  throw new OidcFault("groups");
}

/** A provider that has too many groups for a token names a place to ask for them instead. */
function isElsewhere(names: unknown, claim: string): boolean {
  return typeof names === "object" && names !== null && Object.hasOwn(names, claim);
}
