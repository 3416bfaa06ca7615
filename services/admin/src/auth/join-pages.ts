import { audited, writeNote } from "@belfry/administration/audited";
import { invalid, NotFound } from "@belfry/administration/input-error";
import {
  acceptAsNewPerson,
  acceptAsPerson,
  endsSignIn,
  type Invitation,
  prepareNewPerson,
  showInvitation,
} from "@belfry/administration/people/invitations";
import { forgiveFrom, takeFrom } from "@belfry/administration/people/sign-in-limits";
import { untrustedSignInEnded } from "@belfry/administration/people/untrusted-sign-in";
import { type Answer, type Faults, orFaults, page, redirect } from "../page/answer.ts";
import { type Phrase, say } from "../page/language.ts";
import { actorOf, type Guest } from "../page/router.ts";
import { withoutReferrer } from "../page/security-headers.ts";
import type { AuthDeps } from "./pending-sign-ins.ts";
import { hashClient, openSession, tooManyTries } from "./sign-in-checks.ts";

/**
 * Registers the pages of invitation links. Anybody who has the link can become the operator or member that it invites.
 */
export function joinPages({ route, db, cookies }: AuthDeps): void {
  const showForm = async (guest: Guest, values: object, faults: Faults): Promise<Answer> => {
    withoutReferrer(guest.reply);
    const invitation = await showInvitation(db, guest.params.token ?? "").catch(orUndefined);
    if (invitation === undefined) {
      const text = say`This link was already used, was withdrawn, or has expired. Ask for a new one.`;
      return page("message", say`This link does not work`, { text }, 404);
    }
    const { person } = guest;
    const isEnding = person !== undefined && (await endsSignIn(db, invitation, person.personId));
    return page("join", titleOf(invitation), { invitation, values, faults, isEnding });
  };

  route("GET /join/:token", (guest) => showForm(guest, {}, {}));

  route("POST /join/:token", async (guest) => {
    const { form, person, address, reply } = guest;
    const token = guest.params.token ?? "";
    const values = { email: form.get("email") ?? "", name: form.get("name") ?? "" };
    const waitSeconds = await takeFrom(db, "join", address);
    if (waitSeconds > 0) {
      const text = tooManyTries(reply, waitSeconds);
      return page("message", say`Too many attempts`, { text }, 429);
    }
    return await orFaults(
      async () => {
        if (person !== undefined) {
          const { personId, email } = person;
          const actor = actorOf(person, address);
          const { invitation, ended } = await audited(
            db,
            actor,
            async (transaction) => {
              const accepted = await acceptAsPerson(transaction, token, personId);
              await writeNote(transaction, actor, untrustedSignInEnded(accepted.ended));
              return accepted;
            },
            (accepted) => note(accepted.invitation, email),
          );
          if (ended === undefined) return redirect(placeOf(invitation), "joined");
          cookies.end(reply);
          return redirect("/sign-in", "joined-signed-out");
        }
        const input = { ...values, password: form.get("password") ?? "" };
        if (form.get("repeated") !== input.password) {
          throw invalid("repeated", "does not match");
        }
        const prepared = await prepareNewPerson(db, token, input, hashClient(guest));
        const { personId, invitation } = await audited(
          db,
          { personId: null, person: `${values.name} <${values.email}>`, address },
          (transaction) => acceptAsNewPerson(transaction, token, prepared),
          (result) => note(result.invitation, result.invitation.email ?? ""),
        );
        await forgiveFrom(db, "join", address);
        await openSession({ db, cookies }, guest, personId);
        return redirect(placeOf(invitation), "joined");
      },
      (faults) => showForm(guest, values, faults),
    ).catch((error) => {
      if (error instanceof NotFound) return showForm(guest, values, {});
      throw error;
    });
  });
}

function titleOf(invitation: Invitation): Phrase {
  return invitation.tenantName === null
    ? say`Welcome to Belfry`
    : say`Join ${invitation.tenantName} on Belfry`;
}

function placeOf(invitation: Invitation): string {
  return invitation.tenantId === null ? "/tenants" : `/tenants/${invitation.tenantId}`;
}

function note(invitation: Invitation, email: string) {
  const { tenantId, role } = invitation;
  return { tenantId, action: "member.join", target: email, after: { email, role } };
}

function orUndefined(error: unknown): undefined {
  if (error instanceof NotFound) return undefined;
  throw error;
}
