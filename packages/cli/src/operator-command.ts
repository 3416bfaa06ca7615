import type { Database } from "@belfry/database/connection";
import { Command } from "commander";
import { adminUrl, BASE_URL } from "./admin-url.ts";
import { auditedCommand } from "./audited-command.ts";
import { CommandError } from "./command-error.ts";
import { commandLineActor } from "./command-line-actor.ts";
import { printJson } from "./output.ts";
import { withDatabase } from "./session.ts";

export function operatorCommand(): Command {
  const operator = new Command("operator").description(
    "The people who run the platform in the Admin UI",
  );

  operator
    .command("invite")
    .description("Make a link that makes an operator; printed this once, it works once")
    .option(
      "--email <address>",
      "for this person alone, for a week; without it for whoever holds the link, for a day, and only " +
        "while there is no operator",
    )
    .option(...BASE_URL)
    .action(({ email, baseUrl }: { email?: string; baseUrl?: string }) =>
      withDatabase(async ({ db }) => {
        const url = await adminUrl(baseUrl);
        const { showInvitation } = await import("@belfry/administration/people/invitations");
        const token = email === undefined ? await firstToken(db) : await tokenFor(db, email);
        const invitation = await showInvitation(db, token);
        const { email: invited, role, expiresAt } = invitation;
        await printJson({ link: `${url}/join/${token}`, email: invited, role, expiresAt });
      }),
    );

  operator
    .command("withdraw")
    .description("Withdraw an operator's invitation: its link stops working")
    .requiredOption("--email <address>", "whom it invited")
    .action(({ email }: { email: string }) =>
      withDatabase(async ({ db }) => {
        const { listInvitations, withdrawInvitation } = await import(
          "@belfry/administration/people/invitations"
        );
        const { invitationWithdrawn } = await import("@belfry/administration/people/member-notes");
        const gone = await auditedCommand(
          db,
          async (transaction) => {
            const all = await listInvitations(transaction, null);
            const found = all.find((one) => one.email === email.trim().toLowerCase());
            if (found !== undefined) return await withdrawInvitation(transaction, null, found.id);
            throw new CommandError(`--email: nobody has an invitation at ${JSON.stringify(email)}`);
          },
          invitationWithdrawn,
        );
        await printJson({ email: gone.email, withdrawn: true });
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
    .action(({ email, baseUrl }: { email: string; baseUrl?: string }) =>
      withDatabase(async ({ db }) => {
        const url = await adminUrl(baseUrl);
        const { makeResetLinkFor } = await import("@belfry/administration/people/password-resets");
        const { resetLinkMade } = await import("@belfry/administration/people/member-notes");
        const { token, person, expiresAt } = await auditedCommand(
          db,
          (transaction) => makeResetLinkFor(transaction, email, { personId: null, ownerOf: null }),
          (made) => resetLinkMade(null, made),
        );
        await printJson({ link: `${url}/reset/${token}`, email: person.email, expiresAt });
      }),
    );

  operator
    .command("remove-totp")
    .description(
      "Remove two-factor authentication from a person of any tenant, or an operator, who has lost the " +
        "authenticator app; all their sessions end",
    )
    .requiredOption("--email <address>", "of the person")
    .action(({ email }: { email: string }) =>
      withDatabase(async ({ db }) => {
        const { removeTwoFactorFrom } = await import("@belfry/administration/people/two-factor");
        const { twoFactorRemoved } = await import("@belfry/administration/people/two-factor-notes");
        const { person, sessionsEnded } = await auditedCommand(
          db,
          (transaction) => removeTwoFactorFrom(transaction, email),
          twoFactorRemoved,
        );
        await printJson({ email: person.email, removed: true, sessionsEnded });
      }),
    );

  operator
    .command("disconnect-identity")
    .description(
      "Disconnect a person of any tenant, or an operator, from their account at the provider of OpenID Connect; " +
        "all their sessions end, and who has no password needs a reset link",
    )
    .requiredOption("--email <address>", "of the person")
    .action(({ email }: { email: string }) =>
      withDatabase(async ({ db }) => {
        const { removeIdentitiesFrom } = await import(
          "@belfry/administration/people/remove-identities"
        );
        const { identitiesRemoved } = await import("@belfry/administration/people/member-notes");
        const { person, identities, sessionsEnded } = await auditedCommand(
          db,
          (transaction) => removeIdentitiesFrom(transaction, email),
          identitiesRemoved,
        );
        await printJson({ email: person.email, disconnected: identities, sessionsEnded });
      }),
    );

  operator
    .command("list")
    .description("Who is an operator")
    .action(() =>
      withDatabase(async ({ db }) => {
        const { listOperators } = await import("@belfry/administration/people/people");
        await printJson(await listOperators(db));
      }),
    );

  operator
    .command("remove")
    .description("Take the platform's rights from a person; the last operator keeps them")
    .requiredOption("--email <address>", "of the person, as `operator list` shows it")
    .action(({ email }: { email: string }) =>
      withDatabase(async ({ db }) => {
        const { listOperators, removeOperator } = await import(
          "@belfry/administration/people/people"
        );
        const removed = await auditedCommand(
          db,
          async (transaction) => {
            const all = await listOperators(transaction);
            const found = all.find((one) => one.email === email.trim().toLowerCase());
            if (found !== undefined) return await removeOperator(transaction, found.id);
            throw new CommandError(`--email: there is no operator ${JSON.stringify(email)}`);
          },
          (person) => ({ tenantId: null, action: "operator.remove", target: person.email }),
        );
        await printJson({ id: removed.id, email: removed.email, removed: true });
      }),
    );

  return operator;
}

async function firstToken(db: Database): Promise<string> {
  const { firstOperatorToken } = await import("@belfry/administration/people/invitations");
  const token = await firstOperatorToken(db);
  if (token !== undefined) return token;
  throw new CommandError("--email: say whom, as there is an operator already");
}

async function tokenFor(db: Database, email: string): Promise<string> {
  const { invite } = await import("@belfry/administration/people/invitations");
  const { audited } = await import("@belfry/administration/audited");
  const { token } = await audited(
    db,
    commandLineActor(),
    (transaction) =>
      invite(transaction, { tenantId: null, role: "operator", email, invitedBy: null }),
    ({ invitation }) => ({
      tenantId: null,
      action: "operator.invite",
      target: invitation.email ?? "",
    }),
  );
  return token;
}
