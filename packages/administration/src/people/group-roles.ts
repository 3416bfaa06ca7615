import { TENANT_ID } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import type { AuditNote } from "../audited.ts";
import {
  deleteMembership,
  groupMembershipsOf,
  putMembership,
  TENANT_ROLES,
  type TenantRole,
} from "./person-rows.ts";
import { endUntrustedSignIn, untrustedSignInEnded } from "./untrusted-sign-in.ts";

/** A mapping: members of the sign-in provider's group have the role in the tenant. */
export interface GroupRole {
  group: string;
  tenantId: string;
  role: TenantRole;
}

const MAX_GROUP_ROLES = 1000;
const MAX_GROUP_CHARACTERS = 255;

/** Reads `OIDC_ROLES`. Throws an error that says which entry is wrong and why. */
export function parseGroupRoles(text: string): GroupRole[] {
  if (text === "") return [];
  const list = parseJson(text);
  if (!Array.isArray(list)) throw new Error(`must be a JSON array of {${FIELDS.join(", ")}}`);
  if (list.length > MAX_GROUP_ROLES)
    throw new Error(`must have at most ${MAX_GROUP_ROLES} entries`);
  return list.map((entry, index) => {
    const fault = groupRoleFault(entry);
    if (fault !== undefined) throw new Error(`entry ${index + 1}: ${fault}`);
    return entry as GroupRole;
  });
}

/**
 * Returns the role in each tenant that the groups give. If several groups give one, the role with the most rights wins.
 */
export function rolesOfGroups(groups: readonly string[], mappings: readonly GroupRole[]) {
  const has = new Set(groups);
  const roles = new Map<string, TenantRole>();
  for (const { group, tenantId, role } of mappings) {
    if (!has.has(group)) continue;
    const before = roles.get(tenantId);
    if (before === undefined || rank(role) > rank(before)) roles.set(tenantId, role);
  }
  return roles;
}

/** Returns those of the tenants that do not exist. Groups give no role in them. */
export async function unknownTenants(db: Database, tenantIds: Iterable<string>) {
  const unknown = new Set(tenantIds);
  if (unknown.size === 0) return unknown;
  const found = await db
    .selectFrom("tenants")
    .select("id")
    .where("id", "in", [...unknown])
    .execute();
  for (const { id } of found) unknown.delete(id);
  return unknown;
}

const FIELDS = ["group", "tenantId", "role"] as const;

function groupRoleFault(entry: unknown): string | undefined {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) {
    return `must be an object of ${FIELDS.join(", ")}`;
  }
  const other = Object.keys(entry).find((name) => !(FIELDS as readonly string[]).includes(name));
  if (other !== undefined) return `${JSON.stringify(other)} is not one of ${FIELDS.join(", ")}`;
  const { group, tenantId, role } = entry as Record<string, unknown>;
  if (typeof group !== "string" || group === "" || group.length > MAX_GROUP_CHARACTERS) {
    return `group must be a text of 1 to ${MAX_GROUP_CHARACTERS} characters`;
  }
  if (typeof tenantId !== "string" || !TENANT_ID.test(tenantId)) {
    return "tenantId must be a tenant's id";
  }
  if (!TENANT_ROLES.includes(role as TenantRole)) {
    return "role must be owner, editor or viewer (operators are connected by hand)";
  }
  return undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("is not JSON");
  }
}

function rank(role: TenantRole): number {
  return TENANT_ROLES.indexOf(role);
}

/**
 * Changes the memberships that groups give to those of `roles`: adds, changes and deletes them. A membership that a
 * person gave stays as it is. A new membership ends an untrusted sign-in, except for the account of `issuer`, whose
 * groups give the membership. Returns the notes for the audit log.
 */
export async function setGroupMemberships(
  db: Database,
  person: { id: string; email: string },
  issuer: string,
  roles: ReadonlyMap<string, TenantRole>,
): Promise<AuditNote[]> {
  const before = new Map(
    (await groupMembershipsOf(db, person.id)).map((one) => [one.tenantId, one] as const),
  );
  const notes: AuditNote[] = [];
  let isGiven = false;
  const by = "group of the provider";
  const target = person.email;
  // The order is always the same, so that two concurrent sign-ins cannot deadlock.
  for (const tenantId of [...new Set([...before.keys(), ...roles.keys()])].sort()) {
    const had = before.get(tenantId);
    const role = roles.get(tenantId);
    if (had?.role === role || (had !== undefined && !had.byOidc)) continue;
    if (role === undefined) {
      if (!(await deleteMembership(db, tenantId, person.id, { byOidc: true }))) continue;
      notes.push({ tenantId, action: "member.remove", target, before: { role: had?.role, by } });
      continue;
    }
    const membership = { personId: person.id, tenantId, role, byOidc: true };
    if (!(await putMembership(db, membership))) continue;
    isGiven ||= had === undefined;
    notes.push(
      had === undefined
        ? { tenantId, action: "member.join", target, after: { role, by } }
        : {
            tenantId,
            action: "member.role",
            target,
            before: { role: had.role },
            after: { role, by },
          },
    );
  }
  const ended = isGiven && (await endUntrustedSignIn(db, person.id, { exceptIssuer: issuer }));
  const note = untrustedSignInEnded(ended || undefined);
  if (note !== undefined) notes.push(note);
  return notes;
}
