import { hash } from "node:crypto";
import { clientNetwork } from "@belfry/contracts/client-network";
import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";

/** Window for all tries except codes. */
const WINDOW_SECONDS = 15 * 60;
/** Window for one person's wrong codes, from all addresses: a code has only six digits. */
const CODE_WINDOW_SECONDS = 60 * 60;
/** Most rows of `sign_in_tries`, some 10 MB. Beyond it the oldest are deleted. */
const MAX_ROWS = 50_000;
/**
 * Most tries in a window, over all replicas. The bound of an account is wide, so that nobody can lock out another
 * person from a few addresses.
 */
const MOST = {
  address: 50,
  account: 100,
  both: 10,
  join: 50,
  reset: 50,
  oidc: 50,
  password: 10,
  code: 10,
  "code-told": 1,
};

/** An attempt to sign in to the account `email` from the IP address `address`. */
interface SignInTry {
  address: string;
  email: string;
}

/** Counts an attempt to sign in. Returns the seconds to wait; 0 if the attempt is allowed. */
export async function takeSignIn(db: Database, { address, email }: SignInTry): Promise<number> {
  const network = clientNetwork(address);
  return await take(db, [
    bound("address", network),
    bound("account", email),
    bound("both", `${network} ${email}`),
  ]);
}

/** Uncounts a successful attempt, and deletes the count of attempts from this network for this account. */
export async function forgiveSignIn(db: Database, { address, email }: SignInTry): Promise<void> {
  const network = clientNetwork(address);
  await giveTryBack(db, bound("address", network).key);
  await giveTryBack(db, bound("account", email).key);
  await forgetTries(db, bound("both", `${network} ${email}`).key);
}

/** Uncounts an attempt whose password was not checked. */
export async function takeSignInBack(db: Database, { address, email }: SignInTry): Promise<void> {
  const network = clientNetwork(address);
  await giveTryBack(db, bound("address", network).key);
  await giveTryBack(db, bound("account", email).key);
  await giveTryBack(db, bound("both", `${network} ${email}`).key);
}

/**
 * Counts a use of an invitation link or a reset link, or a return from the provider of OpenID Connect, which makes
 * Belfry call the provider. Returns the seconds to wait; 0 if the use is allowed.
 */
export async function takeFrom(db: Database, what: "join" | "reset" | "oidc", address: string) {
  return await take(db, [bound(what, clientNetwork(address))]);
}

export async function forgiveFrom(db: Database, what: "join" | "reset" | "oidc", address: string) {
  await giveTryBack(db, bound(what, clientNetwork(address)).key);
}

/**
 * Counts a check of the current password before it is changed, so that nobody can guess it from an open session.
 * Returns the seconds to wait; 0 if the check is allowed.
 */
export async function takePasswordChange(db: Database, personId: string): Promise<number> {
  return await take(db, [bound("password", personId)]);
}

/**
 * Counts a code of the authenticator app or a recovery code. Returns the seconds to wait; 0 if the code may be checked.
 */
export async function takeCode(db: Database, personId: string): Promise<number> {
  return await take(db, [bound("code", personId)], CODE_WINDOW_SECONDS);
}

/**
 * Uncounts a correct code. Earlier wrong codes stay counted, so that an attacker does not profit from the person's own
 * sign-ins.
 */
export async function forgiveCode(db: Database, personId: string): Promise<void> {
  await giveTryBack(db, bound("code", personId).key);
}

/**
 * Call it after a wrong code. Returns true if no further code is checked in this window, but only once in a window, for
 * the audit log.
 */
export async function wasLastCode(db: Database, personId: string): Promise<boolean> {
  const seconds = await secondsUntilFree(db, bound("code", personId));
  return seconds > 0 && (await takeTry(db, [bound("code-told", personId)], seconds)) === 0;
}

async function take(db: Database, bounds: readonly TryBound[], windowSeconds = WINDOW_SECONDS) {
  const seconds = await takeTry(db, bounds, windowSeconds);
  if (seconds === 0) await deleteOldTries(db, MAX_ROWS);
  return seconds;
}

function bound(what: keyof typeof MOST, of: string): TryBound {
  return { key: hash("sha256", `${what} ${of}`, "buffer"), most: MOST[what] };
}

interface TryBound {
  key: Buffer;
  /** Most tries within the window. */
  most: number;
}

/**
 * Counts a try against every bound, unless one of them is already full. Returns the seconds to wait; 0 if the try is
 * allowed. One statement runs its upserts one after another over all replicas, so that never more than `most` tries are
 * allowed. It sorts the keys, so that two calls do not deadlock.
 */
export async function takeTry(db: Database, bounds: readonly TryBound[], windowSeconds: number) {
  const keys = bounds.map(({ key }) => key);
  const { rows } = await sql<{ seconds: number }>`
    with given (key, most) as materialized (
      select * from unnest(${keys}::bytea[], ${bounds.map(({ most }) => most)}::integer[])
    ),
    full_ones (seconds) as materialized (
      select max(extract(epoch from t.ends_at - clock_timestamp()))
      from sign_in_tries t join given g on g.key = t.key
      where t.key = any (${keys}::bytea[]) and t.ends_at > clock_timestamp() and t.count >= g.most
    ),
    taken as (
      insert into sign_in_tries as t (key, count, ends_at)
      select key, 1, clock_timestamp() + ${windowSeconds} * interval '1 second'
      from given where (select seconds from full_ones) is null order by key
      on conflict (key) do update set
        count = case when t.ends_at <= clock_timestamp() then 1 else t.count + 1 end,
        ends_at = case when t.ends_at <= clock_timestamp() then excluded.ends_at else t.ends_at end
      returning t.key, t.count, t.ends_at
    )
    select ceil(coalesce(
      (select seconds from full_ones),
      -- Other attempts were counted between the check and this update.
      (select max(extract(epoch from t.ends_at - clock_timestamp()))
       from taken t join given g on g.key = t.key where t.count > g.most),
      0))::integer as seconds`.execute(db);
  return rows[0]?.seconds ?? 0;
}

/** Returns the seconds until a full bound has room again; 0 if it is not full. */
async function secondsUntilFree(db: Database, { key, most }: TryBound): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select ceil(extract(epoch from ends_at - clock_timestamp()))::integer as seconds
    from sign_in_tries
    where key = ${key} and count >= ${most} and ends_at > clock_timestamp()`.execute(db);
  return rows[0]?.seconds ?? 0;
}

/** Subtracts one try. */
async function giveTryBack(db: Database, key: Buffer): Promise<void> {
  await db
    .updateTable("sign_in_tries")
    .set({ count: sql<number>`count - 1` })
    .where("key", "=", key)
    .where("count", ">", 0)
    .execute();
}

async function forgetTries(db: Database, key: Buffer): Promise<void> {
  await db.deleteFrom("sign_in_tries").where("key", "=", key).execute();
}

/** Deletes the rows whose window has ended, and the oldest of the others beyond `most`. */
export async function deleteOldTries(db: Database, most: number): Promise<void> {
  await sql`
    delete from sign_in_tries where key in (
      select key from sign_in_tries
      where ends_at <= greatest(now(), (
        select t.ends_at from sign_in_tries t order by t.ends_at desc offset ${most} limit 1))
      for update skip locked
    )`.execute(db);
}
