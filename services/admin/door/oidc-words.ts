import type { IdentityRefusal } from "@belfry/administration/people/identities";
import type { OidcFaultReason } from "./oidc-fault.ts";

/** Why somebody was not let in, and what to do now. */
export interface OidcWords {
  text: string;
  status: number;
}

export function faultWords(reason: OidcFaultReason, name: string): OidcWords {
  switch (reason) {
    case "unavailable":
      return {
        text: `${name} did not respond correctly. Try again in a moment, or sign in with your password.`,
        status: 502,
      };
    case "denied":
      return {
        text: `${name} did not let you in. Try again, or ask its administrators.`,
        status: 403,
      };
    case "untrusted":
      return {
        text: `The response of ${name} could not be verified, so you were not signed in. Tell an operator of Belfry.`,
        status: 403,
      };
    case "groups":
      return {
        text: `The list of your groups that ${name} sent cannot be read. Tell an operator of Belfry.`,
        status: 403,
      };
    case "stale":
      return { text: "This sign-in was already used, or has expired. Start again.", status: 400 };
  }
}

export function refusalWords(
  reason: IdentityRefusal,
  name: string,
  email: string | null,
): OidcWords {
  const address = email === null ? "your address" : email;
  return { text: REFUSALS[reason](name, address), status: 403 };
}

const BY_HAND = "sign in with your password, and connect it under Your account";

const REFUSALS: Readonly<Record<IdentityRefusal, (name: string, address: string) => string>> = {
  unverified: (name) =>
    `${name} does not say that your email address is verified. If you have an account here, ${BY_HAND}.`,
  "foreign-domain": (_, address) =>
    `The domain of ${address} is not allowed to sign in here. If you have an account here, ${BY_HAND}.`,
  operator: (name) => `An operator connects ${name} by hand: ${BY_HAND}.`,
  "connected-otherwise": (name, address) =>
    `The account here of ${address} is connected to another one at ${name}. Disconnect that one first, under Your account.`,
  "somebody-elses": (name) =>
    `This account at ${name} is already connected to somebody else's account here. It has to be disconnected there first.`,
  "no-role": (_, address) =>
    `There is no account for ${address}, and none of your groups grants access. Ask the owner of your tenant for an invitation.`,
};
