import { listInvitations } from "@belfry/administration/people/invitations";
import {
  changeRole,
  inviteMember,
  makeMemberResetLink,
  memberOf,
  removeMember,
  withdrawMemberInvitation,
} from "@belfry/administration/people/members";
import { disconnectIdentities, removeTotp } from "@belfry/administration/people/operators";
import {
  listMembers,
  TENANT_ROLES,
  type TenantRole,
} from "@belfry/administration/people/person-rows";
import { type Answer, orFaults, page, redirect } from "../page/answer.ts";
import { faultWords } from "../page/fault-words.ts";
import { say } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";

/** Registers the page of a tenant's members. */
export function memberPages({ route, db, once }: PageDeps): void {
  const show = async ({ tenant }: InTenant, extra: object = {}): Promise<Answer> =>
    page("members", say`Members`, {
      members: await listMembers(db, tenant.id),
      invitations: await listInvitations(db, tenant.id),
      roles: TENANT_ROLES,
      values: { role: "owner" },
      ...extra,
    });

  route("GET /tenants/:tenantId/members", async (context) =>
    show(context, await once.take(context)),
  );

  route("POST /tenants/:tenantId/members/invite", async (context) => {
    const { form, run, person, base } = context;
    const values = { email: form.get("email") ?? "", role: form.get("role") ?? "" };
    return await orFaults(
      async () => {
        const { email, role } = values;
        const { link, mailed } = await run(inviteMember, { email, role: role as TenantRole });
        return await once.show(person, `${base}/members`, { link, mailed, invited: email });
      },
      (faults) => show(context, { values, faults }),
    );
  });

  /** Makes a change, or shows its fault above the list of members. */
  const orFault = (context: InTenant, change: () => Promise<Answer>) =>
    orFaults(change, (_, [fault]) =>
      show(context, { refused: fault && faultWords(fault.message) }),
    );

  route("POST /tenants/:tenantId/members/:personId/role", (context) =>
    orFault(context, async () => {
      const role = (context.form.get("role") ?? "") as TenantRole;
      await context.run(changeRole, { person: context.params.personId ?? "", role });
      return redirect(`${context.base}/members`, "saved");
    }),
  );

  route("POST /tenants/:tenantId/members/:personId/remove", (context) =>
    orFault(context, async () => {
      await context.run(removeMember, { person: context.params.personId ?? "" });
      return redirect(`${context.base}/members`, "removed");
    }),
  );

  route("POST /tenants/:tenantId/members/:personId/reset-link", (context) =>
    orFault(context, async () => {
      const { params, run, person, base } = context;
      const made = await run(makeMemberResetLink, { person: params.personId ?? "" });
      const shown = { resetLink: made.link, resetFor: made.email, mailed: made.mailed };
      return await once.show(person, `${base}/members`, shown);
    }),
  );

  /**
   * Returns the person of the path. Throws `NotFound` for people of other tenants, even if the caller is an operator.
   */
  const member = async ({ tenant, params }: InTenant) => ({
    person: (await memberOf(db, tenant.id, params.personId ?? "")).id,
  });

  route("POST /tenants/:tenantId/members/:personId/remove-two-factor", (context) =>
    orFault(context, async () => {
      await context.run(removeTotp, await member(context));
      return redirect(`${context.base}/members`, "two-factor-removed");
    }),
  );

  route("POST /tenants/:tenantId/members/:personId/disconnect-identity", (context) =>
    orFault(context, async () => {
      await context.run(disconnectIdentities, await member(context));
      return redirect(`${context.base}/members`, "identity-disconnected");
    }),
  );

  route("POST /tenants/:tenantId/invitations/:invitationId/withdraw", async (context) => {
    const { params, run, base } = context;
    await run(withdrawMemberInvitation, { invitation: params.invitationId ?? "" });
    return redirect(`${base}/members`, "withdrawn");
  });
}
