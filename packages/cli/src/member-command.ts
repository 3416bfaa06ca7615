import {
  invite,
  listInvitations,
  withdrawInvitation,
} from "@belfry/administration/people/invitations";
import {
  invitationWithdrawn,
  memberInvited,
  memberRemoved,
  memberRoleChanged,
} from "@belfry/administration/people/member-notes";
import { changeRole, removeMember, type TenantRole } from "@belfry/administration/people/people";
import { listMembers } from "@belfry/administration/people/person-rows";
import { showTenant } from "@belfry/administration/tenants/tenants";
import type { Database } from "@belfry/database/connection";
import { type Command, Option } from "commander";
import { adminUrl, BASE_URL } from "./admin-url.ts";
import { CommandError } from "./command-error.ts";
import { onDatabase } from "./session.ts";

interface MemberFlags {
  tenant: string;
  email: string;
}

const ROLES = ["owner", "editor", "viewer"] satisfies TenantRole[];
const TENANT = ["--tenant <id>", "the tenant's id"] as const;
const EMAIL = ["--email <address>", "of the person, as `member list` shows it"] as const;

/** A tenant's people in the Admin UI: what its owners do there, an operator does here. */
export function define(member: Command): void {
  member
    .command("list")
    .description("Its members with their roles, and open invitations")
    .requiredOption(...TENANT)
    .action(
      onDatabase(async ({ db }, { tenant }: { tenant: string }) => {
        const { id } = await showTenant(db, tenant);
        return {
          members: await listMembers(db, id),
          invitations: await listInvitations(db, id),
        };
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
      onDatabase(
        async (
          { audited },
          { tenant, email, role, baseUrl }: MemberFlags & { role: TenantRole; baseUrl?: string },
        ) => {
          const url = await adminUrl(baseUrl);
          const input = { tenantId: tenant, role, email, invitedBy: null, byOperator: true };
          const { token, invitation } = await audited(
            (transaction) => invite(transaction, input),
            (made) => memberInvited(made.invitation),
          );
          const { id, email: invited, expiresAt } = invitation;
          return { id, link: `${url}/join/${token}`, email: invited, role, expiresAt };
        },
      ),
    );

  member
    .command("withdraw")
    .description("Withdraw an invitation: its link stops working")
    .requiredOption(...TENANT)
    .requiredOption("--invitation <id>", "its id, as `member list` shows it")
    .action(
      onDatabase(
        async ({ audited }, { tenant, invitation }: { tenant: string; invitation: string }) => {
          const gone = await audited(
            (transaction) => withdrawInvitation(transaction, tenant, invitation),
            invitationWithdrawn,
          );
          return { id: gone.id, email: gone.email, role: gone.role, withdrawn: true };
        },
      ),
    );

  member
    .command("role")
    .description("Change a member's role; the last owner stays an owner")
    .requiredOption(...TENANT)
    .requiredOption(...EMAIL)
    .addOption(roleOption())
    .action(
      onDatabase(
        async ({ audited }, { tenant, email, role }: MemberFlags & { role: TenantRole }) => {
          const { after } = await audited(
            async (transaction) =>
              changeRole(transaction, tenant, await personOf(transaction, tenant, email), role),
            (change) => memberRoleChanged(tenant, change),
          );
          return after;
        },
      ),
    );

  member
    .command("remove")
    .description("Remove a person from the tenant; the last owner cannot be removed")
    .requiredOption(...TENANT)
    .requiredOption(...EMAIL)
    .action(
      onDatabase(async ({ audited }, { tenant, email }: MemberFlags) => {
        const removed = await audited(
          async (transaction) =>
            removeMember(transaction, tenant, await personOf(transaction, tenant, email)),
          (gone) => memberRemoved(tenant, gone),
        );
        return { ...removed, removed: true };
      }),
    );
}

function roleOption(): Option {
  return new Option("--role <role>", "what the person may do").choices(ROLES).makeOptionMandatory();
}

async function personOf(db: Database, tenantId: string, email: string): Promise<string> {
  const members = await listMembers(db, tenantId);
  const found = members.find((one) => one.email === email.trim().toLowerCase());
  if (found !== undefined) return found.id;
  throw new CommandError(`--email: the tenant has no member ${JSON.stringify(email)}`);
}
