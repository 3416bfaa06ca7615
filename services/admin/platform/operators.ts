import { listInvitations } from "@belfry/administration/people/invitations";
import {
  disconnectIdentities,
  inviteOperator,
  makeAnyResetLink,
  removeOperator,
  removeTotp,
  withdrawOperatorInvitation,
} from "@belfry/administration/people/operators";
import { listOperators } from "@belfry/administration/people/person-rows";
import { type Answer, type Faults, orFaults, page, redirect } from "../page/answer.ts";
import type { PageDeps } from "../page/page-deps.ts";

/** The people who run the platform. */
export function operatorPages({ route, db, once }: PageDeps): void {
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

  route("POST /operators/invite", async ({ form, run, person }) => {
    const email = form.get("email") ?? "";
    return await orFaults(
      async () => {
        const { link } = await run(inviteOperator, { email });
        return await once.show(person, "/operators", { link, invited: email });
      },
      (faults) => show({ email, faults }),
    );
  });

  route("POST /operators/:personId/remove", async ({ params, run }) => {
    await run(removeOperator, { person: params.personId ?? "" });
    return redirect("/operators", "removed");
  });

  const orFault = (change: () => Promise<Answer>) =>
    orFaults(change, (_, [fault]) => show({ refused: fault?.message }));

  route("POST /operators/:personId/reset-link", ({ params, run, person }) =>
    orFault(async () => {
      const made = await run(makeAnyResetLink, { person: params.personId ?? "" });
      const shown = { resetLink: made.link, resetFor: made.email };
      return await once.show(person, "/operators", shown);
    }),
  );

  route("POST /operators/:personId/remove-two-factor", ({ params, run }) =>
    orFault(async () => {
      await run(removeTotp, { person: params.personId ?? "" });
      return redirect("/operators", "two-factor-removed");
    }),
  );

  route("POST /operators/:personId/disconnect-identity", ({ params, run }) =>
    orFault(async () => {
      await run(disconnectIdentities, { person: params.personId ?? "" });
      return redirect("/operators", "identity-disconnected");
    }),
  );

  route("POST /operators/invitations/:invitationId/withdraw", async ({ params, run }) => {
    await run(withdrawOperatorInvitation, { invitation: params.invitationId ?? "" });
    return redirect("/operators", "withdrawn");
  });
}
