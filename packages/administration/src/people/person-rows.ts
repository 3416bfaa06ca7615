import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import { uuidv7 } from "uuidv7";

/** Roles in ascending order. Each has the rights of those before it. */
export const TENANT_ROLES = ["viewer", "editor", "owner"] as const;
export type TenantRole = (typeof TENANT_ROLES)[number];

/** Queries on `people` and `memberships`. Email addresses are in lower case. */

interface MembershipToPut {
  personId: string;
  tenantId: string;
  role: TenantRole;
  byOidc?: boolean;
}

export async function insertPerson(
  db: Database,
  person: {
    email: string;
    name: string;
    password: string | null;
    operator: boolean;
    /** Default: no; see `endUntrustedSignIn`. */
    isSignInTrusted?: boolean;
  },
): Promise<string> {
  const id = uuidv7();
  const { isSignInTrusted: sign_in_trusted = false, ...rest } = person;
  await db
    .insertInto("people")
    .values({ id, ...rest, sign_in_trusted })
    .execute();
  return id;
}

/** With the stored password, for signing in only. */
export async function personForSignIn(db: Database, email: string) {
  return await db
    .selectFrom("people")
    .select(["id", "password", "sign_in_epoch as epoch"])
    .where("email", "=", email)
    .executeTakeFirst();
}

/** Finds the person by email address and locks the row, because the person's rights decide the link. */
export async function personForLinking(db: Database, email: string) {
  return await selectPeople(db).where("email", "=", email).forNoKeyUpdate().executeTakeFirst();
}

/** One change of a person's ways to sign in after the other. False: there is nobody. */
export async function lockPerson(db: Database, id: string): Promise<boolean> {
  const found = await selectPeople(db).where("id", "=", id).forNoKeyUpdate().executeTakeFirst();
  return found !== undefined;
}

/** Like `lockPerson`, but only if the person's ways to sign in are still those of `epoch`. */
export async function lockPersonOfEpoch(db: Database, id: string, epoch: number) {
  return await selectPeople(db)
    .where("id", "=", id)
    .where("sign_in_epoch", "=", epoch)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Locks the person and its memberships: nobody adds or removes one before the transaction ends. */
export async function lockPersonAndRoles(db: Database, id: string) {
  return await selectPeople(db).where("id", "=", id).forUpdate().executeTakeFirst();
}

export async function personByEmail(db: Database, email: string) {
  return await selectPeople(db).where("email", "=", email).executeTakeFirst();
}

export async function personById(db: Database, id: string) {
  return await selectPeople(db).where("id", "=", id).executeTakeFirst();
}

export type PersonRow = NonNullable<Awaited<ReturnType<typeof personById>>>;

/** Undefined too for who signs in by OpenID Connect alone. */
export async function storedPassword(db: Database, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("people")
    .select("password")
    .where("id", "=", id)
    .executeTakeFirst();
  return row?.password ?? undefined;
}

export async function updatePerson(
  db: Database,
  id: string,
  changes: {
    name?: string;
    password?: string;
    operator?: boolean;
    sign_in_trusted?: boolean;
    language?: string | null;
  },
): Promise<void> {
  await db
    .updateTable("people")
    .set({ ...changes, updated_at: sql<Date>`now()` })
    .where("id", "=", id)
    .execute();
  if (changes.password !== undefined) await endPendingSignIns(db, id);
}

/** For every change of what signing in asks for: a sign-in that has begun by then leads nowhere. */
export async function endPendingSignIns(db: Database, id: string): Promise<void> {
  await db
    .updateTable("people")
    .set({ sign_in_epoch: sql<number>`sign_in_epoch + 1` })
    .where("id", "=", id)
    .execute();
}

/** Locks them, so that two changes cannot together leave the platform without an operator. */
export async function lockOperators(db: Database) {
  return await selectPeople(db)
    .where("operator", "=", true)
    .orderBy("id")
    .forNoKeyUpdate()
    .execute();
}

export async function listOperators(db: Database) {
  return await selectPeople(db)
    .select([TWO_FACTOR, CONNECTED])
    .where("operator", "=", true)
    .orderBy("name")
    .execute();
}

/** The tenants that a person belongs to, by name. */
export async function listMemberships(db: Database, personId: string) {
  return await db
    .selectFrom("memberships as m")
    .innerJoin("tenants as t", "t.id", "m.tenant_id")
    .select(["t.id as tenantId", "t.name as tenantName", "t.active as tenantActive", "m.role"])
    .where("m.person_id", "=", personId)
    .orderBy("t.name")
    .orderBy("t.id")
    .execute();
}

/** The people of a tenant, by name. */
export async function listMembers(db: Database, tenantId: string) {
  return await db
    .selectFrom("memberships as m")
    .innerJoin("people", "people.id", "m.person_id")
    .select([
      "people.id",
      "people.email",
      "people.name",
      "people.operator",
      "people.created_at as createdAt",
      "m.role",
      "m.by_oidc as byOidc",
      TWO_FACTOR,
      CONNECTED,
    ])
    .where("m.tenant_id", "=", tenantId)
    .orderBy("people.name")
    .orderBy("people.id")
    .execute();
}

/**
 * Makes a person a member, or gives a member another role: from then on a person's word, no group's. By a
 * group (`byOidc`): false where a person gave a role meanwhile, which stays.
 */
export async function putMembership(
  db: Database,
  { personId: person_id, tenantId: tenant_id, role, byOidc: by_oidc = false }: MembershipToPut,
): Promise<boolean> {
  const result = await db
    .insertInto("memberships")
    .values({ person_id, tenant_id, role, by_oidc })
    .onConflict((conflict) => {
      const update = conflict.columns(["person_id", "tenant_id"]).doUpdateSet({ role, by_oidc });
      return by_oidc ? update.where("memberships.by_oidc", "=", true) : update;
    })
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** False where there is none; `byOidc`: or where it is a person's word by now. */
export async function deleteMembership(
  db: Database,
  tenantId: string,
  personId: string,
  { byOidc = false } = {},
): Promise<boolean> {
  let query = db
    .deleteFrom("memberships")
    .where("tenant_id", "=", tenantId)
    .where("person_id", "=", personId);
  if (byOidc) query = query.where("by_oidc", "=", true);
  const result = await query.executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** A person's memberships, with who gave them. */
export async function groupMembershipsOf(db: Database, personId: string) {
  return await db
    .selectFrom("memberships")
    .select(["tenant_id as tenantId", "role", "by_oidc as byOidc"])
    .where("person_id", "=", personId)
    .execute();
}

/** Whether signing in by password asks for a code. */
const TWO_FACTOR = sql<boolean>`exists (
  select from person_totp t where t.person_id = people.id and t.confirmed_at is not null)`.as(
  "twoFactor",
);

/** Whether an account at a provider of OpenID Connect opens the person's. */
const CONNECTED = sql<boolean>`exists (
  select from person_identities i where i.person_id = people.id)`.as("connected");

function selectPeople(db: Database) {
  return db
    .selectFrom("people")
    .select(["id", "email", "name", "operator", "created_at as createdAt"]);
}
