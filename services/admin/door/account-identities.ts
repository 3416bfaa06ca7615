import { InvalidInput } from "@belfry/administration/input-error";
import { disconnectIdentity } from "@belfry/administration/people/identities";
import { type Answer, page, redirect } from "../drawing/answer.ts";
import type { PageDeps } from "../page-deps.ts";
import { OidcFault } from "./oidc-fault.ts";
import { required } from "./oidc-sign-in.ts";
import { faultWords } from "./oidc-words.ts";
import { refusedFactors } from "./own-factors.ts";

/** Connecting an account at the provider to one's own, and disconnecting it. */
export function accountIdentityPages(deps: PageDeps): void {
  const { route, oidc, once, log } = deps;
  route("POST /account/identities/connect", async (signed) => {
    const { person, reply } = signed;
    const { client, pendings, settings } = required(oidc);
    // It opens the account from then on, and its provider is never followed by a code of ours.
    const refused = await refusedFactors(deps, signed);
    if (refused !== undefined) return notPossible(refused.text, refused.status);
    try {
      const { to, checks } = await client.begin();
      await pendings.keep(reply, { ...checks, next: "/account", connects: person.sessionId });
      // By a link: a form may lead nowhere but to our own pages.
      return await once.show(person, "/account/identities/connect", { to });
    } catch (error) {
      if (!(error instanceof OidcFault)) throw error;
      log.warn({ reason: error.reason, ...error.details }, "the sign-in's provider failed");
      const { text, status } = faultWords(error.reason, settings.name);
      return notPossible(text, status);
    }
  });

  route("GET /account/identities/connect", async (signed) => {
    const { settings } = required(oidc);
    const { to } = await once.take(signed);
    if (typeof to !== "string") return redirect("/account");
    return page("account-connect", `Connect ${settings.name}`, { to, name: settings.name });
  });

  // Also where no provider is configured any more: what was connected can be taken away.
  route("POST /account/identities/disconnect", async ({ person, audited, form }) => {
    const issuer = form.get("issuer") ?? "";
    try {
      await audited(
        (transaction) => disconnectIdentity(transaction, person.personId, issuer),
        ({ email }) => ({
          ...{ tenantId: null, action: "account.disconnect", target: person.email },
          before: { issuer, email },
        }),
      );
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      return notPossible("It is your only way to sign in.", 422);
    }
    return redirect("/account", "disconnected");
  });
}

function notPossible(text: string, status: number): Answer {
  const back = { href: "/account", text: "Back to your account" };
  return page("message", "Not possible", { text, back }, status);
}
