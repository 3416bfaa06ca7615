import { type Database, isOutage, type Runner } from "@belfry/database/connection";
import { sql } from "kysely";
import { uuidv7 } from "uuidv7";
import { type Actor, writeNote } from "../audited.ts";
import { Conflict, InvalidInput, NotFound, preparedAndSaved, TooLate } from "../input-error.ts";
import { prepareBundle, saveBundle } from "./bundle.ts";
import { readBundle } from "./bundle-files.ts";
import { noteOf, type Plan } from "./bundle-plan.ts";
import { promotedBundle } from "./environments.ts";
import type { TextFiles } from "./template-paths.ts";

interface BundleWork {
  db: Database;
  /** Called if a bundle cannot be applied now and will be tried again. */
  onPostponed?(error: unknown): void;
}

/** A worker that has not renewed its claim for this time counts as dead. */
const CLAIM_SECONDS = 60;
const RENEW_EVERY_MS = 10_000;
const AGAIN_AFTER_SECONDS = 15;
/** Most tries. A bundle that needs more kills its worker each time, or always fails with the same error. */
const MAX_TRIES = 5;

/**
 * Compiles and applies the bundles and promotions that are stored for the background, the oldest first, until none is
 * left or the signal is aborted. All replicas may run it; a tenant has only one stored at a time. A claim that is not
 * renewed expires, so that another process continues the work of one that died. Returns the number that ended.
 */
export async function workBundles(work: BundleWork, signal: AbortSignal): Promise<number> {
  let count = 0;
  while (!signal.aborted) {
    const claimed = await claimBundle(work.db);
    if (claimed === undefined) break;
    if (await workBundle(work, claimed, signal)) count += 1;
  }
  return count;
}

/** Returns whether `workBundles` has work. It costs a tenth of a claim, because the statement is prepared. */
export async function isBundleDue(pool: Runner): Promise<boolean> {
  const { rows } = await pool.query<{ isDue: boolean }>({
    name: "is_bundle_due",
    text: `select exists (select from bundle_applies
             where state in ('waiting', 'running') and due_at <= now()) as "isDue"`,
  });
  return rows[0]!.isDue;
}

interface ClaimedBundle extends Actor {
  id: string;
  tenantId: string;
  kind: "bundle" | "promotion";
  mayShareSensitive: boolean;
  dryRun: boolean;
  wantedPlan: string | null;
  files: string | null;
  plan: string;
  tries: number;
  worker: string;
}

async function claimBundle(db: Database): Promise<ClaimedBundle | undefined> {
  const { rows } = await sql<ClaimedBundle>`
    update bundle_applies
    set state = 'running', worker = ${uuidv7()}, tries = tries + 1, compiled = 0,
        started_at = coalesce(started_at, now()), due_at = now() + ${CLAIM_SECONDS} * interval '1 second'
    where id = (
      select id from bundle_applies where state in ('waiting', 'running') and due_at <= now()
      order by requested_at limit 1 for no key update skip locked
    )
    returning id, tenant_id as "tenantId", kind, may_share_sensitive as "mayShareSensitive", dry_run as "dryRun",
              wanted_plan as "wantedPlan", files, plan, tries, worker, person_id as "personId", person, address`.execute(
    db,
  );
  return rows[0];
}

/** Works on one bundle or promotion. Returns true if this has ended it. */
async function workBundle(
  { db, onPostponed }: BundleWork,
  claimed: ClaimedBundle,
  signal: AbortSignal,
): Promise<boolean> {
  let compiled = 0;
  let isLost = false;
  const renewing = setInterval(() => {
    renewClaim(db, claimed, compiled).then(
      (isMine) => {
        isLost ||= !isMine;
      },
      // If renewing fails, the claim may expire, and another process takes over.
      () => undefined,
    );
  }, RENEW_EVERY_MS);
  try {
    if (claimed.tries > MAX_TRIES) {
      const message = `the work was begun ${MAX_TRIES} times and never came to its end`;
      return await failBundle(db, claimed, [message]);
    }
    await applyBundleOf(db, claimed, (count) => {
      compiled = count;
      if (signal.aborted || isLost) throw new ClaimLost();
    });
    return true;
  } catch (error) {
    if (error instanceof InvalidInput) {
      return await failBundle(
        db,
        claimed,
        error.faults.map(({ message }) => message),
      );
    }
    const isRefused = [Conflict, NotFound, TooLate].some((one) => error instanceof one);
    if (isRefused) return await failBundle(db, claimed, [(error as Error).message]);
    if (!(error instanceof ClaimLost)) onPostponed?.(error);
    await releaseClaim(db, claimed, error);
    return false;
  } finally {
    clearInterval(renewing);
  }
}

/** Stops the work because the process ends or another process has the claim. */
class ClaimLost extends Error {}

/** Applies a bundle or promotion. The same transaction marks it as done, so that it is never applied twice. */
async function applyBundleOf(
  db: Database,
  claimed: ClaimedBundle,
  onCompiled: (count: number) => void,
): Promise<void> {
  const { tenantId, personId, person, address, kind, files, dryRun, wantedPlan } = claimed;
  const actor = { personId, person, address };
  const context = { db, tenantId, actor, may: () => claimed.mayShareSensitive };
  const input = { dryRun, ...(wantedPlan !== null && { plan: wantedPlan }) };
  await preparedAndSaved(
    async () => {
      const given =
        kind === "promotion"
          ? await promotedBundle(context)
          : readBundle(JSON.parse(files ?? "{}") as TextFiles);
      return await prepareBundle(context, given, input, onCompiled);
    },
    async (prepared) =>
      await db.transaction().execute(async (transaction) => {
        const { output } = await saveBundle({ ...context, db: transaction }, input, prepared);
        const action = kind === "promotion" ? "environment.promote" : "bundle.apply";
        const told = noteOf(action, output);
        await writeNote(transaction, actor, told && { tenantId, ...told });
        if (!(await endBundle(transaction, claimed, "done", output))) throw new ClaimLost();
      }),
  );
}

async function failBundle(
  db: Database,
  claimed: ClaimedBundle,
  faults: readonly string[],
): Promise<boolean> {
  const plan = { ...(JSON.parse(claimed.plan) as Plan), faults: [...faults] };
  return await endBundle(db, claimed, "failed", plan);
}

/** Stores the end. Returns false if another process has the claim. */
async function endBundle(
  db: Database,
  claimed: ClaimedBundle,
  state: "done" | "failed",
  plan: Plan,
): Promise<boolean> {
  const { numUpdatedRows } = await claimOf(db, claimed)
    .set({ state, plan: JSON.stringify(plan), files: null, ended_at: sql<Date>`now()` })
    .set(state === "done" ? { compiled: sql<number>`total` } : {})
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

async function renewClaim(
  db: Database,
  claimed: ClaimedBundle,
  compiled: number,
): Promise<boolean> {
  const { numUpdatedRows } = await claimOf(db, claimed)
    .set({ compiled, due_at: inSeconds(CLAIM_SECONDS) })
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Queues the bundle again. Only an error in the data counts as a try; an outage or a stopped process does not. */
async function releaseClaim(db: Database, claimed: ClaimedBundle, error: unknown): Promise<void> {
  const isStopped = error instanceof ClaimLost;
  await claimOf(db, claimed)
    .set({
      state: "waiting",
      due_at: inSeconds(isStopped ? 0 : AGAIN_AFTER_SECONDS),
      tries: claimed.tries - (isStopped || isOutage(error) ? 1 : 0),
    })
    .execute();
}

function claimOf(db: Database, { id, tenantId, worker }: ClaimedBundle) {
  return db
    .updateTable("bundle_applies")
    .where("tenant_id", "=", tenantId)
    .where("id", "=", id)
    .where("worker", "=", worker)
    .where("state", "=", "running");
}

function inSeconds(seconds: number) {
  return sql<Date>`now() + ${seconds} * interval '1 second'`;
}
