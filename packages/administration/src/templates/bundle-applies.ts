import { id, orNull, time } from "@belfry/contracts/fields";
import { UUID } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { type Static, Type } from "@sinclair/typebox";
import { uuidv7 } from "uuidv7";
import { type ActContext, defineRead, LOOK } from "../act.ts";
import { NotFound, TooLate } from "../input-error.ts";
import { isoTimes } from "../pages.ts";
import { Plan, UNDER_WAY } from "./bundle-plan.ts";
import { authorOf } from "./sensitive-copies.ts";
import type { TextFiles } from "./template-paths.ts";

const BundleProgress = Type.Object(
  {
    ...Plan.properties,
    requestedAt: time("When the call came"),
    startedAt: orNull(time("When the work began")),
    endedAt: orNull(time("When it ended; null: it is under way")),
  },
  { title: "BundleProgress" },
);
type BundleProgress = Static<typeof BundleProgress>;

export const showBundleProgress = defineRead({
  name: "bundle progress",
  http: "GET /bundle/applies/:applyId",
  access: LOOK,
  summary: "Show the progress of a bundle or promotion that is applied in the background",
  description:
    "The call that begins one answers 202 with its id. At the end the state is `done`, or `failed` with `faults`: nothing is applied then. It is kept for 30 days after its end.",
  input: Type.Object({ applyId: id({ description: "the id in the answer 202" }) }),
  output: BundleProgress,
  example: {
    input: { applyId: UNDER_WAY.id },
    output: {
      ...UNDER_WAY,
      state: "running",
      compiled: 80,
      requestedAt: "2026-11-20T09:30:00.000Z",
      startedAt: "2026-11-20T09:30:01.000Z",
      endedAt: null,
    },
  },
  flags: { applyId: "<id>" },
  async run({ db, tenantId }, { applyId }) {
    const found = UUID.test(applyId)
      ? await applies(db, tenantId).where("id", "=", applyId).executeTakeFirst()
      : undefined;
    if (found === undefined) {
      throw new NotFound("applyId", `no bundle has the id ${JSON.stringify(applyId)}`);
    }
    return progressOf(found);
  },
});

/** Returns the progress of the tenant's newest bundle or promotion; undefined if there is none. */
export async function newestBundleProgress(
  db: Database,
  tenantId: string,
): Promise<BundleProgress | undefined> {
  const found = await applies(db, tenantId).orderBy("id", "desc").limit(1).executeTakeFirst();
  return found && progressOf(found);
}

function applies(db: Database, tenantId: string) {
  return db
    .selectFrom("bundle_applies")
    .select(["id", "plan", "state", "total", "compiled", "requested_at as requestedAt"])
    .select(["started_at as startedAt", "ended_at as endedAt"])
    .where("tenant_id", "=", tenantId);
}

function progressOf({
  plan,
  ...row
}: Awaited<ReturnType<ReturnType<typeof applies>["executeTakeFirstOrThrow"]>>): BundleProgress {
  return { ...(JSON.parse(plan) as Plan), ...isoTimes(row) } as BundleProgress;
}

/**
 * Stores a bundle or a promotion to be applied in the background, and returns the plan with its id. A tenant has only
 * one at a time. Throws `TooLate` if there is another. `files` is undefined for a promotion, whose source is read when
 * it is applied.
 */
export async function storeBundle(
  { db, tenantId, actor, may }: Pick<ActContext, "db" | "tenantId" | "actor" | "may">,
  input: { dryRun?: boolean; plan?: string; files?: TextFiles },
  { plan, total }: { plan: Plan; total: number },
): Promise<{ output: Plan }> {
  const { personId, person, address } = actor;
  const made = await db
    .insertInto("bundle_applies")
    .values({
      id: uuidv7(),
      tenant_id: tenantId,
      kind: input.files === undefined ? "promotion" : "bundle",
      person_id: personId,
      person,
      address,
      may_share_sensitive: authorOf({ actor, may }).mayShareSensitive,
      dry_run: input.dryRun ?? false,
      wanted_plan: input.plan ?? null,
      files: input.files === undefined ? null : JSON.stringify(input.files),
      plan: JSON.stringify(plan),
      total,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  if (made === undefined) {
    throw new TooLate("another bundle or promotion of this tenant is under way: wait for its end");
  }
  return { output: { ...plan, id: made.id, state: "waiting", total, compiled: 0 } };
}
