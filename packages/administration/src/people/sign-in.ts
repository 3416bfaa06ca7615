import type { Database } from "@belfry/database/connection";
import { newAccessToken, tokenHash } from "./access-token.ts";
import { verifyPassword } from "./password.ts";
import { lockPersonOfEpoch, personForSignIn } from "./person-rows.ts";
import type { HashClient } from "./scrypt-queue.ts";
import { deleteEndedSessions, findSession, insertSession, touchSession } from "./sessions.ts";
import { totpOf } from "./totp-rows.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
export const SESSION_SECONDS = (30 * DAY_MS) / 1000;
const IDLE_MS = 7 * DAY_MS;
const TOUCH_EVERY_MS = 60_000;
const MAX_USER_AGENT = 200;

export type { SessionHolder } from "./sessions.ts";

/** Where a session begins. */
export interface SessionPlace {
  address: string;
  userAgent: string;
  /** How long it lasts; by default `SESSION_SECONDS`. */
  seconds?: number;
}

/** Who has given the right password, as long as the person's ways to sign in are those of `epoch`. */
export interface PasswordGiven {
  personId: string;
  epoch: number;
}

/** Undefined: wrong address and wrong password look and take the same. Throws `TooBusy`. */
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
 * Begins the session of who has given the password. `code`: the person has two-factor authentication, and
 * nothing has begun; `stale`: while the password was looked at it was changed, say.
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

/** Begins a session; the token goes into the browser's cookie and nowhere else. */
export async function beginSession(
  db: Database,
  personId: string,
  place: SessionPlace,
  now = new Date(),
): Promise<string> {
  const { token, sha256 } = newAccessToken();
  await deleteEndedSessions(db);
  await insertSession(db, {
    personId,
    sha256,
    address: place.address,
    userAgent: place.userAgent.slice(0, MAX_USER_AGENT),
    expiresAt: new Date(now.getTime() + (place.seconds ?? SESSION_SECONDS) * 1000),
  });
  return token;
}

/** Whose session the token is; undefined when it has ended, or was idle for a week. */
export async function sessionHolder(db: Database, token: string, now = new Date()) {
  const idleSince = new Date(now.getTime() - IDLE_MS);
  const holder = await findSession(db, tokenHash(token), idleSince);
  if (holder !== undefined && now.getTime() - holder.lastSeenAt.getTime() > TOUCH_EVERY_MS) {
    await touchSession(db, holder.sessionId);
  }
  return holder;
}
