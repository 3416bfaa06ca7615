import {
  invite,
  listInvitations,
  withdrawInvitation,
} from "@belfry/administration/people/invitations";
import { identitiesRemoved, resetLinkMade } from "@belfry/administration/people/member-notes";
import { makeResetLink } from "@belfry/administration/people/password-resets";
import { removeOperator } from "@belfry/administration/people/people";
import { listOperators } from "@belfry/administration/people/person-rows";
import { removeIdentities } from "@belfry/administration/people/remove-identities";
import { removeTwoFactor } from "@belfry/administration/people/two-factor";
import { twoFactorRemoved } from "@belfry/administration/people/two-factor-notes";
import { type Answer, type Faults, orFaults, page, redirect } from "../drawing/answer.ts";
import type { PageDeps } from "../page-deps.ts";

/** The people who run the platform. */
export function operatorPages({ route, db, config, once }: PageDeps): void {
  const show = async (extra: {
    email?: string;
    faults?: Faults;
    refused?: string | undefined;
  }): Promise<Answer> =>
    page("operators", "Operators", {
      people: await listOperators(db),
      invitations: await listInvitations(db, null),
      faults: {},
      email: "",
      link: undefined,
      refused: undefined,
      ...extra,
    });

  route("GET /operators", async (context) => show(await once.take(context)));

  route("POST /operators/invite", async ({ form, actor, audited, person }) => {
    const email = form.get("email") ?? "";
    return await orFaults(
      async () => {
        const { token } = await audited(
          (transaction) =>
            invite(transaction, {
              tenantId: null,
              role: "operator",
              email,
              invitedBy: actor.personId,
              byOperator: true,
            }),
          ({ invitation }) => ({
            tenantId: null,
            action: "operator.invite",
            target: invitation.email ?? "",
          }),
        );
        const link = `${config.baseUrl}/join/${token}`;
        return await once.show(person, "/operators", { link, invited: email });
      },
      (faults) => show({ email, faults }),
    );
  });

  route("POST /operators/:personId/remove", async ({ params, audited }) => {
    await audited(
      (transaction) => removeOperator(transaction, params.personId ?? ""),
      (person) => ({ tenantId: null, action: "operator.remove", target: person.email }),
    );
    return redirect("/operators", "removed");
  });

  const orFault = (change: () => Promise<Answer>) =>
    orFaults(change, (_, [fault]) => show({ refused: fault?.message }));

  route("POST /operators/:personId/reset-link", ({ params, audited, person }) =>
    orFault(async () => {
      const maker = { personId: person.personId, ownerOf: null };
      const { token, person: of } = await audited(
        (transaction) => makeResetLink(transaction, params.personId ?? "", maker),
        (made) => resetLinkMade(null, made),
      );
      const resetLink = `${config.baseUrl}/reset/${token}`;
      return await once.show(person, "/operators", { resetLink, resetFor: of.email });
    }),
  );

  route("POST /operators/:personId/remove-two-factor", ({ params, actor, audited }) =>
    orFault(async () => {
      await audited(
        (transaction) => removeTwoFactor(transaction, params.personId ?? "", actor.personId),
        twoFactorRemoved,
      );
      return redirect("/operators", "two-factor-removed");
    }),
  );

  route("POST /operators/:personId/disconnect-identity", ({ params, actor, audited }) =>
    orFault(async () => {
      await audited(
        (transaction) => removeIdentities(transaction, params.personId ?? "", actor.personId),
        identitiesRemoved,
      );
      return redirect("/operators", "identity-disconnected");
    }),
  );

  route("POST /operators/invitations/:invitationId/withdraw", async ({ params, audited }) => {
    await audited(
      (transaction) => withdrawInvitation(transaction, null, params.invitationId ?? ""),
      ({ email }) => ({ tenantId: null, action: "invitation.withdraw", target: email ?? "" }),
    );
    return redirect("/operators", "withdrawn");
  });
}
