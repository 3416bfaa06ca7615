import { UUID } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { decryptSecret, encryptSecret, type SecretKeys } from "@belfry/database/secrets";
import { sql } from "kysely";
import { uuidv7 } from "uuidv7";

/** From the request that made it to the page that shows it: a redirect, and a slow connection. */
const MAX_AGE_SECONDS = 300;

/**
 * Keeps what the next page of a session shows once, such as a key that was just made; returns the id to
 * ask for it. It is encrypted, and gone with the first look, the session, or after five minutes.
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

/** What was kept, for the first who asks in the same session; undefined from then on. */
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

/** A row that was moved to another session does not open there. */
function ownerOf(sessionId: string, id: string): string {
  return `shown-once:${sessionId}:${id}`;
}
