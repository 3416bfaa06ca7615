import { hash } from "node:crypto";
import { clientNetwork } from "@belfry/contracts/client-network";
import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";

/**
 * Bounds guessing, over all replicas together: signing in by address, by account and by both; the rest
 * by whoever asks. Each returns the seconds to wait; 0: the try may be made, and is counted.
 */

const WINDOW_SECONDS = 15 * 60;
/** Window for one person's wrong codes, from all addresses: a code has only six digits. */
const CODE_WINDOW_SECONDS = 60 * 60;
/** Rows that are kept, some 10 MB: beyond it the oldest are forgotten. */
const MAX_ROWS = 50_000;
/** The account's own bound is wide: nobody can lock another out from a few addresses. */
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

/** A try to sign in: its address and its account. */
interface SignInTry {
  address: string;
  email: string;
}

export async function takeSignIn(db: Database, { address, email }: SignInTry): Promise<number> {
  const network = clientNetwork(address);
  return await take(db, [
    bound("address", network),
    bound("account", email),
    bound("both", `${network} ${email}`),
  ]);
}

/** A success is no guess: its try is taken back, and those of this address for this account are forgotten. */
export async function forgiveSignIn(db: Database, { address, email }: SignInTry): Promise<void> {
  const network = clientNetwork(address);
  await giveTryBack(db, bound("address", network).key);
  await giveTryBack(db, bound("account", email).key);
  await forgetTries(db, bound("both", `${network} ${email}`).key);
}

/** Uncounts a try whose password was not checked. */
export async function takeSignInBack(db: Database, { address, email }: SignInTry): Promise<void> {
  const network = clientNetwork(address);
  await giveTryBack(db, bound("address", network).key);
  await giveTryBack(db, bound("account", email).key);
  await giveTryBack(db, bound("both", `${network} ${email}`).key);
}

/**
 * For links that invite or set a password, and for whoever comes back from the provider of OpenID Connect: each makes
 * us ask it.
 */
export async function takeFrom(db: Database, what: "join" | "reset" | "oidc", address: string) {
  return await take(db, [bound(what, clientNetwork(address))]);
}

export async function forgiveFrom(db: Database, what: "join" | "reset" | "oidc", address: string) {
  await giveTryBack(db, bound(what, clientNetwork(address)).key);
}

/** For the current password, asked before it is changed: a session that was left open is no way to it. */
export async function takePasswordChange(db: Database, personId: string): Promise<number> {
  return await take(db, [bound("password", personId)]);
}

/** For a code of the authenticator app, or a recovery code. */
export async function takeCode(db: Database, personId: string): Promise<number> {
  return await take(db, [bound("code", personId)], CODE_WINDOW_SECONDS);
}

/** The wrong ones before it stay counted: whoever guesses does not profit from the person's own sign-ins. */
export async function forgiveCode(db: Database, personId: string): Promise<void> {
  await giveTryBack(db, bound("code", personId).key);
}

/** After a wrong code: whether it was the last one that is looked at; true once a window, to be told of. */
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

/** Queries on `sign_in_tries`. */

interface TryBound {
  key: Buffer;
  /** Tries within the window. */
  most: number;
}

/**
 * Counts a try against every bound, unless one of them is full already. Returns the seconds to wait; 0:
 * the try may be made. One statement, whose upserts go one after the other over all replicas: never more
 * than `most` are let through. Bounds of equal meaning must have equal places, or two callers could
 * wait for each other.
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
      -- Others came first between the look and the count.
      (select max(extract(epoch from t.ends_at - clock_timestamp()))
       from taken t join given g on g.key = t.key where t.count > g.most),
      0))::integer as seconds`.execute(db);
  return rows[0]?.seconds ?? 0;
}

/** Until a bound that is full has room again; 0: it is not full. */
async function secondsUntilFree(db: Database, { key, most }: TryBound): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select ceil(extract(epoch from ends_at - clock_timestamp()))::integer as seconds
    from sign_in_tries
    where key = ${key} and count >= ${most} and ends_at > clock_timestamp()`.execute(db);
  return rows[0]?.seconds ?? 0;
}

/** Takes one try back. */
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

/** Deletes what has ended, and of the rest the oldest beyond `most`. */
export async function deleteOldTries(db: Database, most: number): Promise<void> {
  await sql`
    delete from sign_in_tries where key in (
      select key from sign_in_tries
      where ends_at <= greatest(now(), (
        select t.ends_at from sign_in_tries t order by t.ends_at desc offset ${most} limit 1))
      for update skip locked
    )`.execute(db);
}
