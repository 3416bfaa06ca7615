import { listMemberships } from "@belfry/administration/people/person-rows";
import type { SessionHolder } from "@belfry/administration/people/sessions";
import { tenantById } from "@belfry/administration/tenants/tenant-rows";
import { PLATFORM, TENANT_ID } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import type { Role } from "./access.ts";

export interface Membership {
  id: string;
  name: string;
  active: boolean;
}

export interface Memberships {
  /** The tenant and what the person is there; undefined when that is nothing. */
  of(
    person: SessionHolder,
    tenantId: string,
  ): Promise<{ tenant: Membership; role: Role } | undefined>;
}

export function createMemberships(db: Database): Memberships {
  return {
    async of(person, tenantId) {
      if (person.operator) {
        if (tenantId === PLATFORM) {
          return { tenant: { id: PLATFORM, name: "Platform", active: true }, role: "operator" };
        }
        const tenant = TENANT_ID.test(tenantId) ? await tenantById(db, tenantId) : undefined;
        return tenant === undefined ? undefined : { tenant, role: "operator" };
      }
      const all = await listMemberships(db, person.personId);
      const found = all.find((one) => one.tenantId === tenantId);
      if (found === undefined) return undefined;
      const { tenantName: name, tenantActive: active, role } = found;
      return { tenant: { id: tenantId, name, active }, role };
    },
  };
}
