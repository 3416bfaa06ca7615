import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";

/** Queries on `password_resets`: links by which a person sets a new password. Only their SHA-256 is here. */

/** Who makes or has made a link, and by which right. */
export interface ResetMaker {
  /** null: the command line. */
  personId: string | null;
  /** The tenant as whose owner; null: as an operator, for anybody. */
  ownerOf: string | null;
}

export interface ResetRow {
  personId: string;
  maker: ResetMaker;
}

/** The link that there was for the person ends. */
export async function putReset(
  db: Database,
  reset: ResetRow & { sha256: Buffer; expiresAt: Date },
): Promise<void> {
  const link = {
    sha256: reset.sha256,
    made_by: reset.maker.personId,
    by_owner_of: reset.maker.ownerOf,
    expires_at: reset.expiresAt,
  };
  await db
    .insertInto("password_resets")
    .values({ person_id: reset.personId, ...link })
    .onConflict((conflict) =>
      conflict.column("person_id").doUpdateSet({ ...link, created_at: sql<Date>`now()` }),
    )
    .execute();
}

/** A link that has neither been used nor ended at `now`. */
export async function openReset(
  db: Database,
  sha256: Buffer,
  now: Date,
): Promise<ResetRow | undefined> {
  const row = await db
    .selectFrom("password_resets")
    .select(["person_id as personId", "made_by as madeBy", "by_owner_of as ownerOf"])
    .where("sha256", "=", sha256)
    .where("expires_at", ">", now)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { personId, madeBy, ownerOf } = row;
  return { personId, maker: { personId: madeBy, ownerOf } };
}

/** True for one caller only, whatever the number of them. */
export async function takeReset(db: Database, sha256: Buffer, now: Date): Promise<boolean> {
  const result = await db
    .deleteFrom("password_resets")
    .where("sha256", "=", sha256)
    .where("expires_at", ">", now)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export async function deleteReset(db: Database, personId: string): Promise<void> {
  await db.deleteFrom("password_resets").where("person_id", "=", personId).execute();
}

export async function deleteEndedResets(db: Database, now: Date): Promise<void> {
  await sql`
    delete from password_resets where sha256 in (
      select sha256 from password_resets where expires_at <= ${now} for update skip locked)`.execute(
    db,
  );
}
