import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import { uuidv7 } from "uuidv7";

/** Roles in ascending order. Each role includes the rights of the roles before it. */
export const TENANT_ROLES = ["viewer", "editor", "owner"] as const;
export type TenantRole = (typeof TENANT_ROLES)[number];

interface MembershipToPut {
  personId: string;
  tenantId: string;
  role: TenantRole;
  byOidc?: boolean;
}

/** Inserts a person and returns the id. `email` must be in lower case. */
export async function insertPerson(
  db: Database,
  person: {
    email: string;
    name: string;
    password: string | null;
    operator: boolean;
    /** Default: false; see `endUntrustedSignIn`. */
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

/** Finds a person by email address with the stored password. Use it for signing in only. */
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

/**
 * Locks the person, so that changes of the person's ways to sign in run one after another. Returns false if there is no
 * such person.
 */
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

/** Locks the person. Until the transaction ends, nobody can add a membership of the person. */
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

/** Returns the stored hash. Undefined also if the person signs in only by OpenID Connect. */
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

/** Makes sign-ins in progress fail. Call it after every change of what a person needs for signing in. */
export async function endPendingSignIns(db: Database, id: string): Promise<void> {
  await db
    .updateTable("people")
    .set({ sign_in_epoch: sql<number>`sign_in_epoch + 1` })
    .where("id", "=", id)
    .execute();
}

/**
 * Returns all operators and locks their rows, so that two changes cannot together leave the platform without an
 * operator.
 */
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

/** Returns the tenants that a person belongs to, by name. */
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

/** Returns the people of a tenant, by name. */
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
 * Makes a person a member or changes a member's role. A membership is assigned by a person or, with `byOidc`, by a
 * group of the provider of OpenID Connect. A group never replaces a person's assignment: returns false if there is one.
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

/** Deletes a membership. Returns false if there is none or, with `byOidc`, if a person has assigned it meanwhile. */
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

/** Returns a person's memberships, and for each whether a group or a person has assigned it. */
export async function groupMembershipsOf(db: Database, personId: string) {
  return await db
    .selectFrom("memberships")
    .select(["tenant_id as tenantId", "role", "by_oidc as byOidc"])
    .where("person_id", "=", personId)
    .execute();
}

/** Whether signing in by password requires a code. */
const TWO_FACTOR = sql<boolean>`exists (
  select from person_totp t where t.person_id = people.id and t.confirmed_at is not null)`.as(
  "twoFactor",
);

/** Whether the person can sign in with a connected account at a provider of OpenID Connect. */
const CONNECTED = sql<boolean>`exists (
  select from person_identities i where i.person_id = people.id)`.as("connected");

function selectPeople(db: Database) {
  return db
    .selectFrom("people")
    .select(["id", "email", "name", "operator", "created_at as createdAt"]);
}
