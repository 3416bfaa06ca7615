import { createHash } from "node:crypto";
import { textFault } from "@belfry/contracts/identifiers";
import { KEY_OF_ANOTHER_CALL, Problem } from "@belfry/contracts/problems";
import { REPEATED_CALL_HOURS } from "@belfry/contracts/retention";
import type { Database } from "@belfry/database/connection";
import { decryptSecret, encryptSecret, type SecretKeys } from "@belfry/database/secrets";
import type { FastifyReply, FastifyRequest } from "fastify";
import { sql } from "kysely";

/** The header of management calls. Triggers use X-Idempotency-Key, and their answers are stored with the events. */
const HEADER = "idempotency-key";

export interface RepeatedCalls {
  db: Database;
  keys(): Promise<SecretKeys>;
}

/**
 * Runs a call once for each `Idempotency-Key` of a caller: for a day, the same call gets the first answer. A call that
 * was refused may be repeated. Throws a 409 Problem while the first call is running or if its result is unknown, and a
 * 422 Problem for another call with the same key.
 */
export async function onceByKey<T>(
  { db, keys }: RepeatedCalls,
  { request, reply, caller }: { request: FastifyRequest; reply: FastifyReply; caller: string },
  work: () => Promise<T>,
): Promise<T> {
  const key = request.headers[HEADER];
  if (key === undefined) return await work();
  const fault = typeof key === "string" ? textFault(key) : "must be there once";
  if (fault !== undefined || typeof key !== "string") {
    throw new Problem("validation", { message: [`Idempotency-Key ${fault}`] });
  }
  const asked = createHash("sha256")
    .update(`${request.method} ${request.url}\n`)
    .update(JSON.stringify(request.body ?? null))
    .digest();
  const mine = { caller, key };
  const claimed = await claim(db, { ...mine, request: asked });
  if (claimed === undefined) {
    try {
      const answer = await work();
      const sealed = await encryptSecret(await keys(), ownerOf(mine), JSON.stringify(answer));
      await rowOf(db.updateTable("repeated_calls").set({ answer: sealed }), mine).execute();
      return answer;
    } catch (error) {
      // A server error may have come after the change, so a repeated call is refused with 409.
      const isRefused = error instanceof Problem && error.body.statusCode < 500;
      if (isRefused) await rowOf(db.deleteFrom("repeated_calls"), mine).execute();
      throw error;
    }
  }
  if (!claimed.request.equals(asked)) {
    throw new Problem("validation", { message: [`Idempotency-Key ${KEY_OF_ANOTHER_CALL}`] });
  }
  if (claimed.answer === null) {
    const message =
      "The first call with this Idempotency-Key is under way, or ended without an answer: look what it did";
    throw new Problem("conflict", { message });
  }
  reply.header("idempotency-replayed", "true");
  return JSON.parse(await decryptSecret(await keys(), ownerOf(mine), claimed.answer));
}

interface Place {
  caller: string;
  key: string;
}

/**
 * Claims a key. Returns undefined if the caller has the key now, else the earlier call of the last day that has it. The
 * dispatcher deletes other expired keys.
 */
async function claim(db: Database, row: Place & { request: Buffer }) {
  await rowOf(db.deleteFrom("repeated_calls"), row)
    .where("created_at", "<", sql<Date>`now() - make_interval(hours => ${REPEATED_CALL_HOURS})`)
    .execute();
  const made = await db
    .insertInto("repeated_calls")
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning("caller")
    .executeTakeFirst();
  if (made !== undefined) return undefined;
  const found = await db
    .selectFrom("repeated_calls")
    .select(["request", "answer"])
    .where("caller", "=", row.caller)
    .where("key", "=", row.key)
    .executeTakeFirst();
  // The other call was refused at this moment and released the key: the 409 asks the caller to look and call again.
  return found ?? { request: row.request, answer: null };
}

function rowOf<Q extends { where(column: "caller" | "key", operator: "=", value: string): Q }>(
  query: Q,
  { caller, key }: Place,
): Q {
  return query.where("caller", "=", caller).where("key", "=", key);
}

function ownerOf({ caller, key }: Place): string {
  return `repeated-call:${caller}:${key}`;
}
