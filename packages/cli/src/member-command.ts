import type { TenantRole } from "@belfry/administration/people/people";
import type { Database } from "@belfry/database/connection";
import { Command, Option } from "commander";
import { adminUrl, BASE_URL } from "./admin-url.ts";
import { auditedCommand } from "./audited-command.ts";
import { CommandError } from "./command-error.ts";
import { printJson } from "./output.ts";
import { withDatabase } from "./session.ts";

interface MemberFlags {
  tenant: string;
  email: string;
}

const ROLES = ["owner", "editor", "viewer"] satisfies TenantRole[];
const TENANT = ["--tenant <id>", "the tenant's id"] as const;
const EMAIL = ["--email <address>", "of the person, as `member list` shows it"] as const;

/** A tenant's people in the Admin UI: what its owners do there, an operator does here. */
export function memberCommand(): Command {
  const member = new Command("member").description("The people of a tenant in the Admin UI");

  member
    .command("list")
    .description("Its members with their roles, and open invitations")
    .requiredOption(...TENANT)
    .action(({ tenant }: { tenant: string }) =>
      withDatabase(async ({ db }) => {
        const { listMembers } = await import("@belfry/administration/people/people");
        const { listInvitations } = await import("@belfry/administration/people/invitations");
        const { showTenant } = await import("@belfry/administration/tenants/tenants");
        const { id } = await showTenant(db, tenant);
        await printJson({
          members: await listMembers(db, id),
          invitations: await listInvitations(db, id),
        });
      }),
    );

  member
    .command("invite")
    .description(
      "Make a link that makes this person a member; printed this once, works once, for a week",
    )
    .requiredOption(...TENANT)
    .requiredOption("--email <address>", "whom")
    .addOption(roleOption())
    .option(...BASE_URL)
    .action(
      ({ tenant, email, role, baseUrl }: MemberFlags & { role: TenantRole; baseUrl?: string }) =>
        withDatabase(async ({ db }) => {
          const url = await adminUrl(baseUrl);
          const { invite } = await import("@belfry/administration/people/invitations");
          const { memberInvited } = await import("@belfry/administration/people/member-notes");
          const input = { tenantId: tenant, role, email, invitedBy: null };
          const { token, invitation } = await auditedCommand(
            db,
            (transaction) => invite(transaction, input),
            (made) => memberInvited(made.invitation),
          );
          const { id, email: invited, expiresAt } = invitation;
          await printJson({ id, link: `${url}/join/${token}`, email: invited, role, expiresAt });
        }),
    );

  member
    .command("withdraw")
    .description("Withdraw an invitation: its link stops working")
    .requiredOption(...TENANT)
    .requiredOption("--invitation <id>", "its id, as `member list` shows it")
    .action(({ tenant, invitation }: { tenant: string; invitation: string }) =>
      withDatabase(async ({ db }) => {
        const { withdrawInvitation } = await import("@belfry/administration/people/invitations");
        const { invitationWithdrawn } = await import("@belfry/administration/people/member-notes");
        const gone = await auditedCommand(
          db,
          (transaction) => withdrawInvitation(transaction, tenant, invitation),
          invitationWithdrawn,
        );
        await printJson({ id: gone.id, email: gone.email, role: gone.role, withdrawn: true });
      }),
    );

  member
    .command("role")
    .description("Change a member's role; the last owner stays an owner")
    .requiredOption(...TENANT)
    .requiredOption(...EMAIL)
    .addOption(roleOption())
    .action(({ tenant, email, role }: MemberFlags & { role: TenantRole }) =>
      withDatabase(async ({ db }) => {
        const { changeRole } = await import("@belfry/administration/people/people");
        const { memberRoleChanged } = await import("@belfry/administration/people/member-notes");
        const { after } = await auditedCommand(
          db,
          async (transaction) =>
            changeRole(transaction, tenant, await personOf(transaction, tenant, email), role),
          (change) => memberRoleChanged(tenant, change),
        );
        await printJson(after);
      }),
    );

  member
    .command("remove")
    .description("Remove a person from the tenant; the last owner cannot be removed")
    .requiredOption(...TENANT)
    .requiredOption(...EMAIL)
    .action(({ tenant, email }: MemberFlags) =>
      withDatabase(async ({ db }) => {
        const { removeMember } = await import("@belfry/administration/people/people");
        const { memberRemoved } = await import("@belfry/administration/people/member-notes");
        const removed = await auditedCommand(
          db,
          async (transaction) =>
            removeMember(transaction, tenant, await personOf(transaction, tenant, email)),
          (gone) => memberRemoved(tenant, gone),
        );
        await printJson({ ...removed, removed: true });
      }),
    );

  return member;
}

function roleOption(): Option {
  return new Option("--role <role>", "what the person may do").choices(ROLES).makeOptionMandatory();
}

async function personOf(db: Database, tenantId: string, email: string): Promise<string> {
  const { listMembers } = await import("@belfry/administration/people/people");
  const members = await listMembers(db, tenantId);
  const found = members.find((one) => one.email === email.trim().toLowerCase());
  if (found !== undefined) return found.id;
  throw new CommandError(`--email: the tenant has no member ${JSON.stringify(email)}`);
}
