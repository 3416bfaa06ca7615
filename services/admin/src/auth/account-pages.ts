import {
  disconnectIdentity,
  hasPassword,
  identitiesOf,
} from "@belfry/administration/people/identities";
import {
  changePassword,
  changePerson,
  preparePasswordChange,
} from "@belfry/administration/people/people";
import { listMemberships } from "@belfry/administration/people/person-rows";
import type { SessionHolder } from "@belfry/administration/people/sessions";
import { deleteSessions, listSessions } from "@belfry/administration/people/sessions";
import { takePasswordChange } from "@belfry/administration/people/sign-in-limits";
import { twoFactorOf } from "@belfry/administration/people/two-factor";
import { UUID } from "@belfry/contracts/identifiers";
import { type Answer, type Faults, orFaults, page, redirect, withStatus } from "../page/answer.ts";
import { isLanguage, say } from "../page/language.ts";
import type { Signed } from "../page/router.ts";
import type { OidcWords } from "./oidc-fault.ts";
import { beginAtProvider, required } from "./oidc-sign-in-pages.ts";
import type { AuthDeps } from "./pending-sign-ins.ts";
import { hashClient, refusedFactors, tooManyTries } from "./sign-in-checks.ts";

/** Registers the pages for a person's own name, password and sessions, and for their accounts at the provider. */
export function accountPages(deps: AuthDeps): void {
  const { route, db, oidc } = deps;
  const show = async ({ person }: Signed, faults: Faults = {}, name?: string): Promise<Answer> => {
    const { personId, operator } = person;
    const identities = await identitiesOf(db, personId);
    return page("account", say`Your account`, {
      sessions: await listSessions(db, personId),
      memberships: await listMemberships(db, personId),
      identities,
      faults,
      name,
      hasPassword: await hasPassword(db, personId),
      twoFactor: await twoFactorOf(db, personId),
      isConnected: identities.some(
        (one) => oidc?.isOfProvider(one.issuer) && (one.byHand || !operator),
      ),
    });
  };

  route("GET /account", (signed) => show(signed));

  route("POST /account/name", async (signed) => {
    const { person, audited, form } = signed;
    const name = form.get("name") ?? "";
    const given = form.get("language");
    const language = isLanguage(given) ? given : null;
    return await orFaults(
      async () => {
        await audited(
          (transaction) => changePerson(transaction, person.personId, { name, language }),
          () => ({
            ...noteOf(person, "account.rename"),
            before: { name: person.name, language: person.language },
            after: { name, language },
          }),
        );
        return redirect("/account", "saved");
      },
      (faults) => show(signed, faults, name),
    );
  });

  route("POST /account/password", async (signed) => {
    const { person, audited, form, reply } = signed;
    const { personId, sessionId } = person;
    const waitSeconds = await takePasswordChange(db, personId);
    if (waitSeconds > 0) {
      const current = say`cannot be checked. ${tooManyTries(reply, waitSeconds)}`;
      return withStatus(429, await show(signed, { current }));
    }
    const input = { current: form.get("current") ?? "", password: form.get("password") ?? "" };
    return await orFaults(
      async () => {
        const change = await preparePasswordChange(db, personId, input, hashClient(signed));
        await audited(
          (transaction) => changePassword(transaction, personId, change, sessionId),
          () => noteOf(person, "account.password"),
        );
        return redirect("/account", "password-changed");
      },
      (faults) => show(signed, faults),
    );
  });

  const endSessions = async (
    { person, audited }: Signed,
    which: { except: string } | { id: string },
  ) => {
    await audited(
      (transaction) => deleteSessions(transaction, person.personId, which),
      (ended) =>
        "id" in which && ended === 0
          ? undefined
          : { ...noteOf(person, "account.end-sessions"), after: { ended } },
    );
    return redirect("/account", "sessions-ended");
  };

  route("POST /account/sessions/end-others", (signed) =>
    endSessions(signed, { except: signed.person.sessionId }),
  );

  route("POST /account/sessions/:sessionId/end", async (signed) => {
    const id = signed.params.sessionId ?? "";
    return UUID.test(id) ? await endSessions(signed, { id }) : redirect("/account");
  });

  identityPages(deps);
}

/** Registers the routes that connect an account at the provider to a person's own account, and disconnect it. */
function identityPages(deps: AuthDeps): void {
  const { route, once } = deps;
  route("POST /account/identities/connect", async (signed) => {
    const { person, reply } = signed;
    required(deps.oidc);
    // Password and code are asked for first: a connected account can sign in, and without a code.
    const refused = await refusedFactors(deps, signed);
    if (refused !== undefined) return notPossible(refused);
    const begun = await beginAtProvider(deps, reply, {
      next: "/account",
      connects: person.sessionId,
    });
    // The redirect goes to a page with a link, because the browser lets a form lead to our own pages only.
    return "to" in begun
      ? await once.show(person, "/account/identities/connect", begun)
      : notPossible(begun);
  });

  route("GET /account/identities/connect", async (signed) => {
    const { name } = required(deps.oidc).settings;
    const { to } = await once.take(signed);
    if (typeof to !== "string") return redirect("/account");
    return page("account-connect", say`Connect ${name}`, { to, name });
  });

  // Works without a provider, too: an account that was connected earlier can be disconnected.
  route("POST /account/identities/disconnect", async ({ person, audited, form }) => {
    const issuer = form.get("issuer") ?? "";
    return await orFaults(
      async () => {
        await audited(
          (transaction) => disconnectIdentity(transaction, person.personId, issuer),
          ({ email }) => ({ ...noteOf(person, "account.disconnect"), before: { issuer, email } }),
        );
        return redirect("/account", "disconnected");
      },
      () => notPossible({ text: say`It is your only way to sign in.`, status: 422 }),
    );
  });
}

function noteOf({ email }: SessionHolder, action: string) {
  return { tenantId: null, action, target: email };
}

function notPossible({ text, status }: OidcWords): Answer {
  const back = { href: "/account", text: say`Back to your account` };
  return page("message", say`Not possible`, { text, back }, status);
}
