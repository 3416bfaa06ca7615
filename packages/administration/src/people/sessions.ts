import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import { uuidv7 } from "uuidv7";

/** Queries on `sessions`: a browser in which a person is signed in. Only the token's SHA-256 is here. */

export async function insertSession(
  db: Database,
  session: {
    personId: string;
    sha256: Buffer;
    address: string;
    userAgent: string;
    expiresAt: Date;
  },
): Promise<string> {
  const id = uuidv7();
  const { personId: person_id, userAgent: user_agent, expiresAt: expires_at, ...rest } = session;
  await db
    .insertInto("sessions")
    .values({ id, person_id, user_agent, expires_at, ...rest })
    .execute();
  return id;
}

/** The holder of a live session; one that was idle since `idleSince` is none. */
export async function findSession(db: Database, sha256: Buffer, idleSince: Date) {
  return await db
    .selectFrom("sessions as s")
    .innerJoin("people as p", "p.id", "s.person_id")
    .select([
      "s.id as sessionId",
      "p.id as personId",
      "p.email",
      "p.name",
      "p.operator",
      "s.last_seen_at as lastSeenAt",
    ])
    .where("s.sha256", "=", sha256)
    .where("s.expires_at", ">", sql<Date>`now()`)
    .where("s.last_seen_at", ">", idleSince)
    .executeTakeFirst();
}

/** Whose session it is, with what the person may do everywhere. */
export type SessionHolder = NonNullable<Awaited<ReturnType<typeof findSession>>>;

export async function isSession(db: Database, id: string): Promise<boolean> {
  const row = await db.selectFrom("sessions").select("id").where("id", "=", id).executeTakeFirst();
  return row !== undefined;
}

export async function touchSession(db: Database, id: string): Promise<void> {
  await db
    .updateTable("sessions")
    .set({ last_seen_at: sql<Date>`now()` })
    .where("id", "=", id)
    .execute();
}

/** A person's live sessions, the last used first. */
export async function listSessions(db: Database, personId: string) {
  return await db
    .selectFrom("sessions")
    .select([
      "id",
      "address",
      "user_agent as userAgent",
      "created_at as createdAt",
      "last_seen_at as lastSeenAt",
    ])
    .where("person_id", "=", personId)
    .where("expires_at", ">", sql<Date>`now()`)
    .orderBy("last_seen_at", "desc")
    .execute();
}

/** Ends one session of a person, or all but the one that is excepted. Returns how many. */
export async function deleteSessions(
  db: Database,
  personId: string,
  which: { id: string } | { except: string | undefined },
): Promise<number> {
  let query = db.deleteFrom("sessions").where("person_id", "=", personId);
  if ("id" in which) query = query.where("id", "=", which.id);
  else if (which.except !== undefined) query = query.where("id", "!=", which.except);
  return Number((await query.executeTakeFirst()).numDeletedRows);
}

export async function deleteEndedSessions(db: Database): Promise<void> {
  await sql`
    delete from sessions where id in (
      select id from sessions where expires_at < now() for update skip locked)`.execute(db);
}
