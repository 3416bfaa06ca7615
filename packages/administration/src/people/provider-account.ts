import { emailAddress } from "@belfry/contracts/email-address";

/** An account at a provider of OpenID Connect, as the provider has just vouched for it. */
export interface ProviderAccount {
  issuer: string;
  /** `sub`: who it is at this issuer, for ever. */
  subject: string;
  /** As the provider wrote it. */
  email: string | null;
  /** Whether the provider says that the address is the account's. */
  emailVerified: boolean;
  name: string | null;
  groups: readonly string[];
}

/** Why an account opens nothing. */
export type IdentityRefusal =
  /** The provider does not say that the address is verified, or says none. */
  | "unverified"
  /** The address is of no domain that may link by itself. */
  | "foreign-domain"
  /** An operator's account, which the operator has not connected. */
  | "operator"
  /** The person of that address has connected another account. */
  | "connected-otherwise"
  /** The account opens somebody else's. */
  | "somebody-elses"
  /** Nobody here has that address, and no group gives a role. */
  | "no-role";

export class IdentityRefused extends Error {
  override readonly name = "IdentityRefused";
  readonly reason: IdentityRefusal;

  constructor(reason: IdentityRefusal) {
    super(reason);
    this.reason = reason;
  }
}

/**
 * The address by which an account may find its person, in lower case. Throws `IdentityRefused`. Only
 * ASCII without quotes is compared: two ways to write one address, or a Kelvin sign for a k, link nobody.
 */
export function linkingAddress(
  { email, emailVerified }: Pick<ProviderAccount, "email" | "emailVerified">,
  allowedDomains: readonly string[],
): string {
  if (email === null || !emailVerified) throw new IdentityRefused("unverified");
  const address = /^[!#-~]*$/.test(email) ? emailAddress(email)?.toLowerCase() : undefined;
  const domain = address?.slice(address.lastIndexOf("@") + 1);
  if (address === undefined || !allowedDomains.includes(domain!)) {
    throw new IdentityRefused("foreign-domain");
  }
  return address;
}
