import type { Database } from "@belfry/database/connection";

/**
 * Returns the person's authenticator app. `secret` is encrypted. While `confirmedAt` is null, the session `sessionId`
 * is setting it up.
 */
export async function totpOf(db: Database, personId: string) {
  return await db
    .selectFrom("person_totp")
    .select([
      "secret",
      "confirmed_at as confirmedAt",
      "session_id as sessionId",
      "created_at as createdAt",
    ])
    .where("person_id", "=", personId)
    .executeTakeFirst();
}

/**
 * Stores an app that is being set up, and replaces an earlier unconfirmed one. Returns false if one is already
 * confirmed.
 */
export async function putUnconfirmedTotp(
  db: Database,
  totp: { personId: string; sessionId: string; secret: string; createdAt: Date },
): Promise<boolean> {
  const { personId, sessionId: session_id, secret, createdAt: created_at } = totp;
  await db
    .deleteFrom("person_totp")
    .where("person_id", "=", personId)
    .where("confirmed_at", "is", null)
    .execute();
  const result = await db
    .insertInto("person_totp")
    .values({ person_id: personId, session_id, secret, created_at })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Confirms the app that this session set up. Returns false if the session is no longer setting one up. */
export async function confirmTotp(
  db: Database,
  totp: { personId: string; sessionId: string; step: number; now: Date },
): Promise<boolean> {
  const result = await db
    .updateTable("person_totp")
    .set({ confirmed_at: totp.now, session_id: null, last_step: totp.step })
    .where("person_id", "=", totp.personId)
    .where("session_id", "=", totp.sessionId)
    .where("confirmed_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/**
 * Uses up the code of a 30-second step and of all earlier steps. Only one of several callers gets true: a code works
 * once.
 */
export async function takeStep(db: Database, personId: string, step: number): Promise<boolean> {
  const result = await db
    .updateTable("person_totp")
    .set({ last_step: step })
    .where("person_id", "=", personId)
    .where("confirmed_at", "is not", null)
    .where("last_step", "<", step)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Deletes the confirmed app, and with it the recovery codes. Returns false if there was none. */
export async function deleteTotp(db: Database, personId: string): Promise<boolean> {
  const result = await db
    .deleteFrom("person_totp")
    .where("person_id", "=", personId)
    .where("confirmed_at", "is not", null)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Replaces the person's recovery codes. Only their SHA-256 is stored. */
export async function putRecoveryCodes(db: Database, personId: string, hashes: readonly Buffer[]) {
  await db.deleteFrom("recovery_codes").where("person_id", "=", personId).execute();
  await db
    .insertInto("recovery_codes")
    .values(hashes.map((sha256) => ({ person_id: personId, sha256 })))
    .execute();
}

/** Uses up a recovery code. Only one of several callers gets true. */
export async function takeRecoveryCode(db: Database, personId: string, sha256: Buffer) {
  const result = await db
    .deleteFrom("recovery_codes")
    .where("person_id", "=", personId)
    .where("sha256", "=", sha256)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export async function countRecoveryCodes(db: Database, personId: string): Promise<number> {
  const { count } = await db
    .selectFrom("recovery_codes")
    .select((eb) => eb.fn.countAll<string>().as("count"))
    .where("person_id", "=", personId)
    .executeTakeFirstOrThrow();
  return Number(count);
}
