import type { IdentityRefusal } from "@belfry/administration/people/provider-account";
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
        text: `${name} did not answer as it should. Try again in a moment, or sign in with your password.`,
        status: 502,
      };
    case "denied":
      return {
        text: `${name} did not let you in. Try again, or ask its administrators.`,
        status: 403,
      };
    case "untrusted":
      return {
        text: `What ${name} answered cannot be trusted, so nobody was signed in. Tell an operator of Belfry.`,
        status: 403,
      };
    case "groups":
      return {
        text: `The list of your groups that ${name} sent cannot be read. Tell an operator of Belfry.`,
        status: 403,
      };
    case "stale":
      return { text: "That sign-in was used already, or is too old. Begin again.", status: 400 };
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
    `Nobody is let in by ${address}: its domain is not one of those that may. If you have an account here, ${BY_HAND}.`,
  operator: (name) => `An operator connects ${name} by hand: ${BY_HAND}.`,
  "connected-otherwise": (name, address) =>
    `The account here of ${address} is connected to another one at ${name}. Disconnect that one first, under Your account.`,
  "somebody-elses": (name) =>
    `This account at ${name} opens somebody else's account here already. It has to be disconnected there first.`,
  "no-role": (_, address) =>
    `There is no account here for ${address}, and none of your groups gives one. Ask the owner of your tenant for an invitation.`,
};
