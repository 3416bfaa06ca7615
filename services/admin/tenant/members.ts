import { NotFound } from "@belfry/administration/input-error";
import {
  type InvitedRole,
  invite,
  listInvitations,
  withdrawInvitation,
} from "@belfry/administration/people/invitations";
import {
  identitiesRemoved,
  invitationWithdrawn,
  memberInvited,
  memberRemoved,
  memberRoleChanged,
  resetLinkMade,
} from "@belfry/administration/people/member-notes";
import { makeResetLink } from "@belfry/administration/people/password-resets";
import {
  changeRole,
  removeMember,
  TENANT_ROLES,
  type TenantRole,
} from "@belfry/administration/people/people";
import { listMembers } from "@belfry/administration/people/person-rows";
import { removeIdentities } from "@belfry/administration/people/remove-identities";
import { removeTwoFactor } from "@belfry/administration/people/two-factor";
import { twoFactorRemoved } from "@belfry/administration/people/two-factor-notes";
import type { Database } from "@belfry/database/connection";
import { type Answer, orFaults, page, redirect } from "../drawing/answer.ts";
import type { PageDeps } from "../page-deps.ts";
import type { InTenant } from "../router.ts";

/** The people of a tenant. */
export function memberPages({ route, db, config, once }: PageDeps): void {
  const show = async ({ tenant }: InTenant, extra: object = {}): Promise<Answer> =>
    page("members", "Members", {
      members: await listMembers(db, tenant.id),
      invitations: await listInvitations(db, tenant.id),
      roles: TENANT_ROLES,
      values: { email: "", role: "owner" },
      faults: {},
      link: undefined,
      // Not "fault": what a page is given, the fields in it have, too.
      refused: undefined,
      ...extra,
    });

  route("GET /tenants/:tenantId/members", async (context) =>
    show(context, await once.take(context)),
  );

  route("POST /tenants/:tenantId/members/invite", async (context) => {
    const { tenant, form, actor, audited, person, role, base } = context;
    const values = { email: form.get("email") ?? "", role: form.get("role") ?? "" };
    return await orFaults(
      async () => {
        const { token } = await audited(
          (transaction) =>
            invite(transaction, {
              tenantId: tenant.id,
              role: values.role as InvitedRole,
              email: values.email,
              invitedBy: actor.personId,
              byOperator: role === "operator",
            }),
          ({ invitation }) => memberInvited(invitation),
        );
        const link = `${config.baseUrl}/join/${token}`;
        return await once.show(person, `${base}/members`, { link, invited: values.email });
      },
      (faults) => show(context, { values, faults }),
    );
  });

  /** What is wrong with a member stands above them all. */
  const orFault = (context: InTenant, change: () => Promise<Answer>) =>
    orFaults(change, (_, [fault]) => show(context, { refused: fault?.message }));

  route("POST /tenants/:tenantId/members/:personId/role", (context) =>
    orFault(context, async () => {
      const { tenant, params, form, audited, base } = context;
      await audited(
        (transaction) =>
          changeRole(
            transaction,
            tenant.id,
            params.personId ?? "",
            (form.get("role") ?? "") as TenantRole,
          ),
        (change) => memberRoleChanged(tenant.id, change),
      );
      return redirect(`${base}/members`, "saved");
    }),
  );

  route("POST /tenants/:tenantId/members/:personId/remove", (context) =>
    orFault(context, async () => {
      const { tenant, params, audited, base } = context;
      await audited(
        (transaction) => removeMember(transaction, tenant.id, params.personId ?? ""),
        (member) => memberRemoved(tenant.id, member),
      );
      return redirect(`${base}/members`, "removed");
    }),
  );

  route("POST /tenants/:tenantId/members/:personId/reset-link", (context) =>
    orFault(context, async () => {
      const { tenant, params, audited, person, role, base } = context;
      // In a tenant's pages, too, an operator acts as one.
      const ownerOf = role === "operator" ? null : tenant.id;
      const maker = { personId: person.personId, ownerOf };
      const { token, person: of } = await audited(
        async (transaction) =>
          makeResetLink(transaction, await memberOf(transaction, tenant.id, params), maker),
        (made) => resetLinkMade(tenant.id, made),
      );
      const resetLink = `${config.baseUrl}/reset/${token}`;
      return await once.show(person, `${base}/members`, { resetLink, resetFor: of.email });
    }),
  );

  route("POST /tenants/:tenantId/members/:personId/remove-two-factor", (context) =>
    orFault(context, async () => {
      const { tenant, params, actor, audited, base } = context;
      await audited(
        async (transaction) =>
          removeTwoFactor(
            transaction,
            await memberOf(transaction, tenant.id, params),
            actor.personId,
          ),
        twoFactorRemoved,
      );
      return redirect(`${base}/members`, "two-factor-removed");
    }),
  );

  route("POST /tenants/:tenantId/members/:personId/disconnect-identity", (context) =>
    orFault(context, async () => {
      const { tenant, params, actor, audited, base } = context;
      await audited(
        async (transaction) =>
          removeIdentities(
            transaction,
            await memberOf(transaction, tenant.id, params),
            actor.personId,
          ),
        identitiesRemoved,
      );
      return redirect(`${base}/members`, "identity-disconnected");
    }),
  );

  route("POST /tenants/:tenantId/invitations/:invitationId/withdraw", async (context) => {
    const { tenant, params, audited, base } = context;
    await audited(
      (transaction) => withdrawInvitation(transaction, tenant.id, params.invitationId ?? ""),
      invitationWithdrawn,
    );
    return redirect(`${base}/members`, "withdrawn");
  });
}

/** Throws `NotFound`: in a tenant's pages there is nobody else. */
async function memberOf(db: Database, tenantId: string, { personId }: InTenant["params"]) {
  const member = (await listMembers(db, tenantId)).find(({ id }) => id === personId);
  if (member === undefined) throw new NotFound("person", "is no member");
  return member.id;
}
