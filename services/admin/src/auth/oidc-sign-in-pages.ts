import { audited } from "@belfry/administration/audited";
import { NotFound } from "@belfry/administration/input-error";
import {
  connectIdentity,
  IdentityRefused,
  type ProviderAccount,
} from "@belfry/administration/people/identities";
import { signInByIdentity } from "@belfry/administration/people/identity-sign-in";
import { isSession } from "@belfry/administration/people/sessions";
import { forgiveFrom, takeFrom } from "@belfry/administration/people/sign-in-limits";
import type { FastifyReply } from "fastify";
import { type Answer, ownPath, page, redirect } from "../page/answer.ts";
import { say } from "../page/language.ts";
import { actorOf, type Guest } from "../page/router.ts";
import type { OidcClient } from "./oidc-client.ts";
import { faultWords, OidcFault, type OidcWords, refusalWords } from "./oidc-fault.ts";
import type { AuthDeps, OidcPending } from "./pending-sign-ins.ts";
import { sessionPlace, takeSession, tooManyTries } from "./sign-in-checks.ts";

/** 12 h cover a working day. After them the provider states again who the person is, and in which groups. */
const OIDC_SESSION_SECONDS = 12 * 60 * 60;

/** Registers the routes that send the browser to the provider and receive it afterwards. */
export function oidcSignInPages(deps: AuthDeps): void {
  const { route, db, cookies, oidc, pendings, log } = deps;
  route("GET /sign-in/oidc", async ({ query, reply }) => {
    const next = ownPath(query.get("next"));
    const begun = await beginAtProvider(deps, reply, { next, connects: undefined });
    return "to" in begun ? redirect(begun.to) : signInAgain(begun, next);
  });

  route("GET /sign-in/oidc/callback", async (guest) => {
    const { settings, finish } = required(oidc);
    const { request, reply, address } = guest;
    const pending = await pendings.oidc.take(request, reply);
    const again = (words: OidcWords) =>
      pending?.connects === undefined
        ? signInAgain(words, pending?.next ?? "/")
        : notConnected(words);
    const waitSeconds = await takeFrom(db, "oidc", address);
    if (waitSeconds > 0) return again({ text: tooManyTries(reply, waitSeconds), status: 429 });
    let account: ProviderAccount | undefined;
    try {
      if (pending === undefined) throw new OidcFault("stale");
      account = await finish(guest.query, pending);
      const answer = await (pending.connects === undefined
        ? signedIn(guest, account, pending)
        : connected(guest, account, pending));
      await forgiveFrom(db, "oidc", address);
      return answer;
    } catch (error) {
      if (error instanceof OidcFault) {
        log.warn({ reason: error.reason, ...error.details, address }, "signing in failed");
        return again(faultWords(error.reason, settings.name));
      }
      if (!(error instanceof IdentityRefused)) throw error;
      log.warn({ reason: error.reason, address }, "signing in was refused");
      return again(refusalWords(error.reason, settings.name, account?.email ?? null));
    }
  });

  const signedIn = async (guest: Guest, account: ProviderAccount, { next }: OidcPending) => {
    const { settings } = required(oidc);
    const place = { ...sessionPlace(guest), seconds: OIDC_SESSION_SECONDS };
    const found = await signInByIdentity(db, account, settings, place);
    if (found.unknownTenants.length > 0) {
      log.warn({ tenantIds: found.unknownTenants }, "OIDC_ROLES: no such tenant");
    }
    await takeSession({ db, cookies }, guest, found.token);
    return redirect(next);
  };

  const connected = async (
    { person, address }: Guest,
    account: ProviderAccount,
    { connects }: OidcPending,
  ): Promise<Answer> => {
    // The account is for the session that began this, not for a person who has signed in to this browser since then.
    if (person === undefined || person.sessionId !== connects) throw new OidcFault("stale");
    const { personId, email } = person;
    const { issuer, subject } = account;
    await audited(
      db,
      actorOf(person, address),
      async (transaction) => {
        await connectIdentity(transaction, personId, account);
        // Checked once the person is locked, because the session may have ended before the lock.
        if (!(await isSession(transaction, connects))) throw new OidcFault("stale");
      },
      () => ({
        tenantId: null,
        action: "account.connect",
        target: email,
        after: { issuer, subject, email: account.email, by: "hand" },
      }),
    );
    return redirect("/account", "connected");
  };
}

/** Returns the provider's address for signing in, or the words of the fault for the page. */
export async function beginAtProvider(
  { oidc, pendings, log }: AuthDeps,
  reply: FastifyReply,
  pending: Pick<OidcPending, "next" | "connects">,
): Promise<{ to: string } | OidcWords> {
  const { begin, settings } = required(oidc);
  try {
    const { to, checks } = await begin();
    await pendings.oidc.keep(reply, { ...checks, ...pending });
    return { to };
  } catch (error) {
    if (!(error instanceof OidcFault)) throw error;
    log.warn({ reason: error.reason, ...error.details }, "the sign-in's provider failed");
    return faultWords(error.reason, settings.name);
  }
}

/** Returns the client. Throws `NotFound` if no provider is configured: these pages do not exist then. */
export function required(oidc: OidcClient | undefined): OidcClient {
  if (oidc === undefined) throw new NotFound("path", "there is nothing here");
  return oidc;
}

/** Returns the sign-in page with the reason why signing in failed. */
function signInAgain({ text, status }: OidcWords, next: string): Answer {
  return page("sign-in", say`Sign in`, { next, refused: text }, status);
}

function notConnected({ text, status }: OidcWords): Answer {
  const back = { href: "/account", text: say`Back to your account` };
  return page("message", say`Not connected`, { text, back }, status);
}
