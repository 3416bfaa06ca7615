import { flag, orNull, text } from "@belfry/contracts/fields";
import type { Database } from "@belfry/database/connection";
import { Type } from "@sinclair/typebox";
import { sql } from "kysely";
import { type Access, defineAct, defineRead, EDIT, LOOK, note, optional } from "../act.ts";
import { invalid, NotFound, refuseFaults } from "../input-error.ts";
import { holdTenant, requireTenant } from "../tenants/tenant-rows.ts";
import { type Place, prepareBundle, saveBundle } from "./bundle.ts";
import { type Bundle, bundleOf } from "./bundle-files.ts";
import { IN_BACKGROUND, noteOf, options, PLANNED, Plan } from "./bundle-plan.ts";

const OF_TENANT_BY_OPERATOR: Access = { scope: "tenant", person: "operator" };

const Environment = Type.Object(
  {
    tenantId: Type.String(),
    name: Type.String({ description: "The tenant's" }),
    family: Type.Union([Type.String(), Type.Null()]),
    environment: Type.Union([Type.String(), Type.Null()]),
    promotesFrom: Type.Union([Type.String(), Type.Null()], {
      description: "The tenant whose templates are promoted into it",
    }),
    locked: Type.Boolean({ description: "Only a bundle or a promotion changes its templates" }),
  },
  { title: "Environment" },
);
const STAGING = {
  tenantId: "tnt_shopstaging",
  name: "Shop, staging",
  family: "shop",
  environment: "staging",
  promotesFrom: null,
  locked: false,
};
const PRODUCTION = {
  tenantId: "tnt_shop",
  name: "Shop",
  family: "shop",
  environment: "production",
  promotesFrom: STAGING.tenantId,
  locked: true,
};

export const setEnvironment = defineAct({
  name: "environment set",
  http: "PUT /tenants/:tenantId/environment",
  access: OF_TENANT_BY_OPERATOR,
  configures: true,
  summary: "Make a tenant an environment of a product; fields that are left out keep their values",
  description:
    "Environments of one family are tenants of one product, such as staging and production. Users, keys, providers and limits are apart. Templates, layout and categories are promoted from one into the other. A locked environment refuses every other change of them.",
  input: Type.Object({
    family: optional(orNull(text()), "what the environments have in common"),
    environment: optional(orNull(text()), "which one it is, as staging"),
    promotesFrom: optional(
      orNull(text()),
      "id of the tenant of the family that is promoted into it",
    ),
    locked: optional(flag(), "only a bundle or a promotion changes templates"),
  }),
  output: Environment,
  example: {
    input: {
      family: "shop",
      environment: "production",
      promotesFrom: STAGING.tenantId,
      locked: true,
    },
    output: PRODUCTION,
  },
  flags: { environment: "--name <name>", locked: "--locked <on|off>" },
  async run({ db, tenantId }, changes) {
    // The checks read other tenants of the family, so only one such change runs at a time.
    await sql`select pg_advisory_xact_lock(hashtext('belfry environments'))`.execute(db);
    await holdTenant(db, tenantId);
    const before = await environmentOf(db, tenantId);
    const after = { ...before, ...changes };
    refuseFaults(await faultsOf(db, after));
    await db
      .updateTable("tenants")
      .set({
        family: after.family,
        environment: after.environment,
        promotes_from: after.promotesFrom,
        locked: after.locked,
      })
      .where("id", "=", tenantId)
      .execute();
    return { output: after, before, after };
  },
  audit: (_, { before, after }) => note("tenant.environment", after.name, { before, after }),
});

export const listEnvironments = defineRead({
  name: "environment list",
  http: "GET /environments",
  access: LOOK,
  summary: "The environments of the tenant's family, its own among them",
  input: Type.Object({}),
  output: Type.Array(Environment),
  example: { input: {}, output: [PRODUCTION, STAGING] },
  async run({ db, tenantId }) {
    await requireTenant(db, tenantId);
    const own = await environmentOf(db, tenantId);
    if (own.family === null) return [own];
    const all = await environments(db).where("family", "=", own.family).execute();
    return all;
  },
});

/** Returns a tenant's environment. Throws `NotFound`. */
export async function environmentOf(db: Database, tenantId: string) {
  const found = await environments(db).where("id", "=", tenantId).executeTakeFirst();
  if (found === undefined) throw new NotFound("tenantId", "no such tenant");
  return found;
}

function environments(db: Database) {
  return db
    .selectFrom("tenants")
    .select(["id as tenantId", "name", "family", "environment"])
    .select(["promotes_from as promotesFrom", "locked"])
    .orderBy("environment")
    .orderBy("id");
}

async function faultsOf(db: Database, after: Awaited<ReturnType<typeof environmentOf>>) {
  const { tenantId, family, environment, promotesFrom } = after;
  if ((family === null) !== (environment === null)) {
    throw invalid("environment", "goes with a family: give both or neither");
  }
  const others =
    family === null ? [] : await environments(db).where("family", "=", family).execute();
  const taken = others.some((one) => one.tenantId !== tenantId && one.environment === environment);
  const source = others.find((one) => one.tenantId === promotesFrom);
  const takers = await environments(db).where("promotes_from", "=", tenantId).execute();
  const left = takers.find((one) => one.family !== family);
  return [
    left
      ? { field: "family", message: `is still that of ${left.name}, which promotes from it` }
      : undefined,
    taken
      ? { field: "environment", message: "is that of another tenant of the family" }
      : undefined,
    promotesFrom !== null && (source === undefined || promotesFrom === tenantId)
      ? { field: "promotesFrom", message: "must be another tenant of the same family" }
      : undefined,
  ];
}

export const promoteEnvironment = defineAct({
  name: "environment promote",
  http: "POST /environment/promotion",
  access: EDIT,
  summary: "Publish in an environment what the environment before it has published",
  description:
    "A promotion is a bundle from one tenant into the other: all of it, or nothing. A large one is compiled in the background, as `bundle apply` tells.",
  input: Type.Object(options),
  output: Plan,
  example: { input: { dryRun: true }, output: { ...PLANNED, applied: false } },
  underWay: IN_BACKGROUND,
  prepare: async (context, input) => prepareBundle(context, await promotedBundle(context), input),
  run: saveBundle,
  audit: (_, { output }) => noteOf("environment.promote", output),
});

/**
 * Returns the plan and the changes of a promotion into the tenant, with the texts before and after. Throws
 * `InvalidInput`.
 */
export async function promotionDiff(context: Place) {
  const given = await promotedBundle(context);
  const { plan, parts } = await prepareBundle(context, given, { dryRun: true });
  return {
    plan,
    parts: parts.filter(({ before, after }) => after !== undefined && after !== before),
  };
}

/** Returns what the source of promotions has published. Throws `InvalidInput` if the tenant promotes from no other. */
export async function promotedBundle({
  db,
  tenantId,
}: Pick<Place, "db" | "tenantId">): Promise<Bundle> {
  const { promotesFrom } = await environmentOf(db, tenantId);
  if (promotesFrom === null) throw invalid("promotesFrom", "is not set: nothing is promoted here");
  return await bundleOf(db, promotesFrom);
}
