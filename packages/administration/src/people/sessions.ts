import { hash, randomBytes } from "node:crypto";
import { UUID } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { decryptSecret, encryptSecret, type SecretKeys } from "@belfry/database/secrets";
import { sql } from "kysely";
import { uuidv7 } from "uuidv7";
import { verifyPassword } from "./password.ts";
import { lockPersonOfEpoch, personForSignIn } from "./person-rows.ts";
import type { HashClient } from "./scrypt-queue.ts";
import { totpOf } from "./totp-rows.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
export const SESSION_SECONDS = (30 * DAY_MS) / 1000;
const IDLE_MS = 7 * DAY_MS;
const TOUCH_EVERY_MS = 60_000;
const MAX_USER_AGENT = 200;

/** The client that begins a session. */
export interface SessionPlace {
  address: string;
  userAgent: string;
  /** Lifetime of the session in seconds. Default: `SESSION_SECONDS`. */
  seconds?: number;
}

/** A person who gave the right password. Valid while the person's ways to sign in are those of `epoch`. */
export interface PasswordGiven {
  personId: string;
  epoch: number;
}

/**
 * Checks an email address and a password. Returns undefined if either is wrong; both cases look the same and take the
 * same time. Throws `TooBusy`.
 */
export async function checkPassword(
  db: Database,
  email: string,
  password: string,
  client: HashClient,
) {
  const person = await personForSignIn(db, email.trim().toLowerCase());
  const isRight = await verifyPassword(password, person?.password ?? undefined, client);
  return isRight && person !== undefined ? { personId: person.id, epoch: person.epoch } : undefined;
}

/**
 * Begins a session after `checkPassword`. Returns `code` without a session if the person has two-factor authentication,
 * and `stale` if the person's ways to sign in have changed since the password was checked.
 */
export async function signInByPassword(
  db: Database,
  { personId, epoch }: PasswordGiven,
  place: SessionPlace,
): Promise<{ token: string } | "code" | "stale"> {
  return await db.transaction().execute(async (transaction) => {
    if ((await lockPersonOfEpoch(transaction, personId, epoch)) === undefined) return "stale";
    const isAsked = (await totpOf(transaction, personId))?.confirmedAt != null;
    return isAsked ? "code" : { token: await beginSession(transaction, personId, place) };
  });
}

/** Begins a session and deletes expired ones. The returned token is stored in the browser's cookie only. */
export async function beginSession(
  db: Database,
  personId: string,
  place: SessionPlace,
  now = new Date(),
): Promise<string> {
  const { token, sha256 } = newAccessToken();
  await sql`
    delete from sessions where id in (
      select id from sessions where expires_at < now() for update skip locked)`.execute(db);
  await db
    .insertInto("sessions")
    .values({
      id: uuidv7(),
      person_id: personId,
      sha256,
      address: place.address,
      user_agent: place.userAgent.slice(0, MAX_USER_AGENT),
      expires_at: new Date(now.getTime() + (place.seconds ?? SESSION_SECONDS) * 1000),
    })
    .execute();
  return token;
}

/** Returns the holder of the token's session; undefined if it has ended or was idle for a week. */
export async function sessionHolder(db: Database, token: string, now = new Date()) {
  const idleSince = new Date(now.getTime() - IDLE_MS);
  const holder = await findSession(db, tokenHash(token), idleSince);
  if (holder !== undefined && now.getTime() - holder.lastSeenAt.getTime() > TOUCH_EVERY_MS) {
    const last_seen_at = sql<Date>`now()`;
    await db
      .updateTable("sessions")
      .set({ last_seen_at })
      .where("id", "=", holder.sessionId)
      .execute();
  }
  return holder;
}

/**
 * Finds the person of a session by the token's SHA-256; the token itself is not stored. Ignores sessions that have
 * expired or were last used before `idleSince`.
 */
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
      "p.language",
      "s.last_seen_at as lastSeenAt",
    ])
    .where("s.sha256", "=", sha256)
    .where("s.expires_at", ">", sql<Date>`now()`)
    .where("s.last_seen_at", ">", idleSince)
    .executeTakeFirst();
}

/** A session and its person. */
export type SessionHolder = NonNullable<Awaited<ReturnType<typeof findSession>>>;

export async function isSession(db: Database, id: string): Promise<boolean> {
  const row = await db.selectFrom("sessions").select("id").where("id", "=", id).executeTakeFirst();
  return row !== undefined;
}

/** Returns a person's sessions that have not expired, the last used first. */
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

/** Ends one session of a person, or all but one. Returns the number of ended sessions. */
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

/** The token of a session or an invitation. The browser stores the token (256 bits), the database its SHA-256. */
export interface AccessToken {
  token: string;
  sha256: Buffer;
}

export function newAccessToken(): AccessToken {
  const token = randomBytes(32).toString("base64url");
  return { token, sha256: tokenHash(token) };
}

export function tokenHash(token: string): Buffer {
  return hash("sha256", token, "buffer");
}

/**
 * The longest time between the request that makes the content and the page that shows it: a redirect on a slow
 * connection.
 */
const MAX_AGE_SECONDS = 300;

/**
 * Stores content that the next page of a session shows once, such as a new key. Returns the id with which the page
 * requests it. The content is encrypted. It is deleted with the first request or with the session, and expires after
 * five minutes.
 */
export async function keepToShow(
  db: Database,
  keys: SecretKeys,
  sessionId: string,
  content: object,
): Promise<string> {
  const id = uuidv7();
  const sealed = await encryptSecret(keys, ownerOf(sessionId, id), JSON.stringify(content));
  await sql`
    delete from shown_once where id in (
      select id from shown_once where expires_at < now() for update skip locked)`.execute(db);
  await db
    .insertInto("shown_once")
    .values({
      id,
      session_id: sessionId,
      content: sealed,
      expires_at: sql<Date>`now() + make_interval(secs => ${MAX_AGE_SECONDS})`,
    })
    .execute();
  return id;
}

/** Returns the stored content to the first request of the same session; undefined afterwards. */
export async function takeToShow(db: Database, keys: SecretKeys, sessionId: string, id: string) {
  if (!UUID.test(id)) return undefined;
  const row = await db
    .deleteFrom("shown_once")
    .where("id", "=", id)
    .where("session_id", "=", sessionId)
    .where("expires_at", ">", sql<Date>`now()`)
    .returning("content")
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return JSON.parse(await decryptSecret(keys, ownerOf(sessionId, id), row.content));
}

/**
 * Returns the owner for the encryption. With the session's id in it, a row that is moved to another session does not
 * decrypt.
 */
function ownerOf(sessionId: string, id: string): string {
  return `shown-once:${sessionId}:${id}`;
}
