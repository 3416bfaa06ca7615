import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";

/** Queries on `person_identities`: a person's account at a provider of OpenID Connect. */

/** Whose account it is. */
export async function personOfIdentity(db: Database, issuer: string, subject: string) {
  return await db
    .selectFrom("person_identities as i")
    .innerJoin("people as p", "p.id", "i.person_id")
    .select(["p.id", "p.email", "p.name", "p.operator", "i.by_hand as byHand"])
    .where("i.issuer", "=", issuer)
    .where("i.subject", "=", subject)
    .executeTakeFirst();
}

export type IdentifiedPerson = NonNullable<Awaited<ReturnType<typeof personOfIdentity>>>;

/**
 * The accounts that open a person's, the newest first: of each provider one at most. `byHand`: the person
 * connected it, signed in; else its address led to the person. `email` is as the provider last said it.
 */
export async function identitiesOf(db: Database, personId: string) {
  return await db
    .selectFrom("person_identities")
    .select([
      "issuer",
      "subject",
      "by_hand as byHand",
      "email",
      "created_at as createdAt",
      "last_used_at as lastUsedAt",
    ])
    .where("person_id", "=", personId)
    .orderBy("created_at", "desc")
    .execute();
}

export async function insertIdentity(
  db: Database,
  identity: {
    issuer: string;
    subject: string;
    personId: string;
    byHand: boolean;
    email: string | null;
  },
): Promise<void> {
  const { personId: person_id, byHand: by_hand, ...rest } = identity;
  await db
    .insertInto("person_identities")
    .values({ ...rest, person_id, by_hand })
    .execute();
}

export async function updateIdentity(
  db: Database,
  issuer: string,
  subject: string,
  changes: { email: string | null; byHand?: true },
): Promise<void> {
  await db
    .updateTable("person_identities")
    .set({
      email: changes.email,
      ...(changes.byHand && { by_hand: true }),
      last_used_at: sql<Date>`now()`,
    })
    .where("issuer", "=", issuer)
    .where("subject", "=", subject)
    .execute();
}

/** All of the person's; `byHandAlone`: those that the person connected, but for that of `exceptIssuer`. */
export async function deleteIdentities(
  db: Database,
  personId: string,
  {
    byHandAlone = false,
    exceptIssuer,
  }: { byHandAlone?: boolean; exceptIssuer?: string | undefined } = {},
) {
  let query = db.deleteFrom("person_identities").where("person_id", "=", personId);
  if (byHandAlone) query = query.where("by_hand", "=", true);
  if (exceptIssuer !== undefined) query = query.where("issuer", "!=", exceptIssuer);
  return await query.returning(["issuer", "email"]).execute();
}

export async function deleteIdentity(db: Database, personId: string, issuer: string) {
  return await db
    .deleteFrom("person_identities")
    .where("person_id", "=", personId)
    .where("issuer", "=", issuer)
    .returning("email")
    .executeTakeFirst();
}
