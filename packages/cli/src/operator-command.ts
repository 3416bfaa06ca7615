import {
  firstOperatorToken,
  invite,
  listInvitations,
  showInvitation,
  withdrawInvitation,
} from "@belfry/administration/people/invitations";
import {
  identitiesRemoved,
  invitationWithdrawn,
  resetLinkMade,
} from "@belfry/administration/people/member-notes";
import { makeResetLink } from "@belfry/administration/people/password-resets";
import { removeOperator } from "@belfry/administration/people/people";
import { listOperators } from "@belfry/administration/people/person-rows";
import { removeIdentities } from "@belfry/administration/people/remove-identities";
import { personAtAddress } from "@belfry/administration/people/require-person";
import { removeTwoFactor } from "@belfry/administration/people/two-factor";
import { twoFactorRemoved } from "@belfry/administration/people/two-factor-notes";
import type { Database } from "@belfry/database/connection";
import type { Command } from "commander";
import { adminUrl, BASE_URL } from "./admin-url.ts";
import { CommandError } from "./command-error.ts";
import { onDatabase, type Session } from "./session.ts";

export function define(operator: Command): void {
  operator
    .command("invite")
    .description("Make a link that makes an operator; printed this once, it works once")
    .option(
      "--email <address>",
      "for this person alone, for a week; without it for whoever holds the link, for a day, and only " +
        "while there is no operator",
    )
    .option(...BASE_URL)
    .action(
      onDatabase(async (session, { email, baseUrl }: { email?: string; baseUrl?: string }) => {
        const url = await adminUrl(baseUrl);
        const token =
          email === undefined ? await firstToken(session.db) : await tokenFor(session, email);
        const invitation = await showInvitation(session.db, token);
        const { email: invited, role, expiresAt } = invitation;
        return { link: `${url}/join/${token}`, email: invited, role, expiresAt };
      }),
    );

  operator
    .command("withdraw")
    .description("Withdraw an operator's invitation: its link stops working")
    .requiredOption("--email <address>", "whom it invited")
    .action(
      onDatabase(async ({ audited }, { email }: { email: string }) => {
        const gone = await audited(async (transaction) => {
          const all = await listInvitations(transaction, null);
          const found = all.find((one) => one.email === email.trim().toLowerCase());
          if (found !== undefined) return await withdrawInvitation(transaction, null, found.id);
          throw new CommandError(`--email: nobody has an invitation at ${JSON.stringify(email)}`);
        }, invitationWithdrawn);
        return { email: gone.email, withdrawn: true };
      }),
    );

  operator
    .command("reset-link")
    .description(
      "Make a link by which a person of any tenant, or an operator, sets a new password; printed this once, " +
        "works once, for an hour, and ends the one before",
    )
    .requiredOption("--email <address>", "of the person")
    .option(...BASE_URL)
    .action(
      onDatabase(async ({ audited }, { email, baseUrl }: { email: string; baseUrl?: string }) => {
        const url = await adminUrl(baseUrl);
        const { token, person, expiresAt } = await audited(
          async (transaction) => {
            const { id } = await personAtAddress(transaction, email);
            return await makeResetLink(transaction, id, { personId: null, ownerOf: null });
          },
          (made) => resetLinkMade(null, made),
        );
        return { link: `${url}/reset/${token}`, email: person.email, expiresAt };
      }),
    );

  operator
    .command("remove-totp")
    .description(
      "Remove two-factor authentication from a person of any tenant, or an operator, who has lost the " +
        "authenticator app; all their sessions end",
    )
    .requiredOption("--email <address>", "of the person")
    .action(
      onDatabase(async ({ audited }, { email }: { email: string }) => {
        const { person, sessionsEnded } = await audited(
          async (transaction) =>
            removeTwoFactor(transaction, (await personAtAddress(transaction, email)).id, null),
          twoFactorRemoved,
        );
        return { email: person.email, removed: true, sessionsEnded };
      }),
    );

  operator
    .command("disconnect-identity")
    .description(
      "Disconnect a person of any tenant, or an operator, from their account at the provider of OpenID Connect; " +
        "all their sessions end, and who has no password needs a reset link",
    )
    .requiredOption("--email <address>", "of the person")
    .action(
      onDatabase(async ({ audited }, { email }: { email: string }) => {
        const { person, identities, sessionsEnded } = await audited(
          async (transaction) =>
            removeIdentities(transaction, (await personAtAddress(transaction, email)).id, null),
          identitiesRemoved,
        );
        return { email: person.email, disconnected: identities, sessionsEnded };
      }),
    );

  operator
    .command("list")
    .description("Who is an operator")
    .action(onDatabase(({ db }) => listOperators(db)));

  operator
    .command("remove")
    .description("Take the platform's rights from a person; the last operator keeps them")
    .requiredOption("--email <address>", "of the person, as `operator list` shows it")
    .action(
      onDatabase(async ({ audited }, { email }: { email: string }) => {
        const removed = await audited(
          async (transaction) => {
            const all = await listOperators(transaction);
            const found = all.find((one) => one.email === email.trim().toLowerCase());
            if (found !== undefined) return await removeOperator(transaction, found.id);
            throw new CommandError(`--email: there is no operator ${JSON.stringify(email)}`);
          },
          (person) => ({ tenantId: null, action: "operator.remove", target: person.email }),
        );
        return { id: removed.id, email: removed.email, removed: true };
      }),
    );
}

async function firstToken(db: Database): Promise<string> {
  const token = await firstOperatorToken(db);
  if (token !== undefined) return token;
  throw new CommandError("--email: say whom, as there is an operator already");
}

async function tokenFor({ audited }: Session, email: string): Promise<string> {
  const { token } = await audited(
    (transaction) =>
      invite(transaction, {
        tenantId: null,
        role: "operator",
        email,
        invitedBy: null,
        byOperator: true,
      }),
    ({ invitation }) => ({
      tenantId: null,
      action: "operator.invite",
      target: invitation.email ?? "",
    }),
  );
  return token;
}
