import { hasPassword, identitiesOf } from "@belfry/administration/people/identities";
import {
  changePassword,
  preparePasswordChange,
  renamePerson,
} from "@belfry/administration/people/people";
import { listMemberships } from "@belfry/administration/people/person-rows";
import { deleteSessions, listSessions } from "@belfry/administration/people/sessions";
import { takePasswordChange } from "@belfry/administration/people/sign-in-limits";
import { twoFactorOf } from "@belfry/administration/people/two-factor";
import { UUID } from "@belfry/contracts/identifiers";
import { type Answer, type Faults, orFaults, page, redirect } from "../drawing/answer.ts";
import type { PageDeps } from "../page-deps.ts";
import type { Signed } from "../router.ts";
import { hashClient } from "./hash-client.ts";
import { tooManyTries } from "./sign-in.ts";

/** A person's own name, password and sessions. */
export function accountPages({ route, db, oidc }: PageDeps): void {
  const show = async ({ person }: Signed, faults: Faults = {}, name?: string): Promise<Answer> => {
    const sessions = await listSessions(db, person.personId);
    const memberships = await listMemberships(db, person.personId);
    const identities = await identitiesOf(db, person.personId);
    return page("account", "Your account", {
      ...{ sessions, memberships, identities, faults, name },
      hasPassword: await hasPassword(db, person.personId),
      twoFactor: await twoFactorOf(db, person.personId),
      isConnected: identities.some(
        (one) => oidc?.isOfProvider(one.issuer) && (one.byHand || !person.operator),
      ),
    });
  };

  route("GET /account", (signed) => show(signed));

  route("POST /account/name", async (signed) => {
    const { person, audited, form } = signed;
    const name = form.get("name") ?? "";
    return await orFaults(
      async () => {
        await audited(
          (transaction) => renamePerson(transaction, person.personId, name),
          () => ({
            tenantId: null,
            action: "account.rename",
            target: person.email,
            before: { name: person.name },
            after: { name },
          }),
        );
        return redirect("/account", "saved");
      },
      (faults) => show(signed, faults, name),
    );
  });

  route("POST /account/password", async (signed) => {
    const { person, audited, form } = signed;
    const { personId, sessionId } = person;
    const waitSeconds = await takePasswordChange(db, person.personId);
    if (waitSeconds > 0) {
      signed.reply.header("retry-after", String(waitSeconds));
      const answer = await show(signed, {
        current: `cannot be checked. ${tooManyTries(waitSeconds)}`,
      });
      return { ...answer, status: 429 } as Answer;
    }
    const input = {
      current: form.get("current") ?? "",
      password: form.get("password") ?? "",
    };
    return await orFaults(
      async () => {
        const change = await preparePasswordChange(db, personId, input, hashClient(signed));
        await audited(
          (transaction) => changePassword(transaction, personId, change, sessionId),
          () => ({ tenantId: null, action: "account.password", target: person.email }),
        );
        return redirect("/account", "password-changed");
      },
      (faults) => show(signed, faults),
    );
  });

  route("POST /account/sessions/end-others", async ({ person, audited }) => {
    await audited(
      (transaction) => deleteSessions(transaction, person.personId, { except: person.sessionId }),
      (ended) => ({
        tenantId: null,
        action: "account.end-sessions",
        target: person.email,
        after: { ended },
      }),
    );
    return redirect("/account", "sessions-ended");
  });

  route("POST /account/sessions/:sessionId/end", async ({ person, audited, params }) => {
    const id = params.sessionId ?? "";
    if (!UUID.test(id)) return redirect("/account");
    await audited(
      (transaction) => deleteSessions(transaction, person.personId, { id }),
      (ended) =>
        ended === 0
          ? undefined
          : {
              tenantId: null,
              action: "account.end-sessions",
              target: person.email,
              after: { ended },
            },
    );
    return redirect("/account", "sessions-ended");
  });
}
