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
import {
  createPlatformKey,
  listPlatformKeys,
  revokePlatformKey,
} from "@belfry/administration/people/platform-keys";
import { type Answer, type Faults, orFaults, page, redirect } from "../page/answer.ts";
import { faultWords } from "../page/fault-words.ts";
import { say } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { Signed } from "../page/router.ts";

/** Registers the page of the people who run the platform. */
export function operatorPages({ route, db, once }: PageDeps): void {
  const showOperators = async (extra: object): Promise<Answer> =>
    page("operators", say`Operators`, {
      people: await listOperators(db),
      invitations: await listInvitations(db, null),
      ...extra,
    });

  route("GET /operators", async (context) => showOperators(await once.take(context)));

  route("POST /operators/invite", async ({ form, run, person }) => {
    const email = form.get("email") ?? "";
    return await orFaults(
      () =>
        run(inviteOperator, { email }).then(({ link, mailed }) =>
          once.show(person, "/operators", { link, mailed, invited: email }),
        ),
      (faults) => showOperators({ values: { email }, faults }),
    );
  });

  route("POST /operators/:personId/remove", async ({ params, run }) => {
    await run(removeOperator, { person: params.personId ?? "" });
    return redirect("/operators", "removed");
  });

  const orFault = (change: () => Promise<Answer>) =>
    orFaults(change, (_, [fault]) =>
      showOperators({ refused: fault && faultWords(fault.message) }),
    );

  route("POST /operators/:personId/reset-link", ({ params, run, person }) =>
    orFault(async () => {
      const made = await run(makeAnyResetLink, { person: params.personId ?? "" });
      const shown = { resetLink: made.link, resetFor: made.email, mailed: made.mailed };
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

/** Registers the page of keys with which programs run operators' acts over HTTP. */
export function platformKeyPages({ route, once }: PageDeps): void {
  const showKeys = async (context: Signed, name = "", faults: Faults = {}) => {
    const keys = await context.run(listPlatformKeys, {});
    const { platformKey } = await once.take(context);
    return page("platform-keys", say`Platform keys`, {
      keys,
      platformKey,
      values: { name },
      faults,
    });
  };

  route("GET /platform-keys", (context) => showKeys(context));

  route("POST /platform-keys", async (context) => {
    const { form, run, person } = context;
    const name = (form.get("name") ?? "").trim();
    return await orFaults(
      () =>
        run(createPlatformKey, { name }).then(({ key }) =>
          once.show(person, "/platform-keys", { platformKey: key }),
        ),
      (faults) => showKeys(context, name, faults),
    );
  });

  route("POST /platform-keys/:keyId/revoke", async ({ run, params }) => {
    await run(revokePlatformKey, { id: params.keyId ?? "" });
    return redirect("/platform-keys", "revoked");
  });
}
