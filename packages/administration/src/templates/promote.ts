import { Type } from "@sinclair/typebox";
import { defineAct, EDIT } from "../act.ts";
import { invalid } from "../input-error.ts";
import { environmentOf } from "../tenants/environments.ts";
import { noteOf, options, PLANNED, type Place, Plan, prepareBundle, saveBundle } from "./bundle.ts";
import { type Bundle, bundleOf } from "./bundle-files.ts";

export const promoteEnvironment = defineAct({
  name: "environment promote",
  http: "POST /environment/promotion",
  access: EDIT,
  effect: "change",
  summary: "Publish here what the environment that it promotes from has published",
  description: "A promotion is a bundle from one tenant into the other: all of it, or nothing.",
  input: Type.Object(options),
  output: Plan,
  examples: [{ input: { dryRun: true }, output: { ...PLANNED, applied: false } }],
  prepare: async (context, input) => prepareBundle(context, await promotedBundle(context), input),
  run: saveBundle,
  audit: (_, { output }) => noteOf("environment.promote", output),
});

/** What a promotion into the tenant would change, with the texts before and after. Throws `InvalidInput`. */
export async function promotionDiff(context: Place) {
  const given = await promotedBundle(context);
  const { plan, parts } = await prepareBundle(context, given, { dryRun: true });
  return {
    plan,
    parts: parts.filter(({ before, after }) => after !== undefined && after !== before),
  };
}

async function promotedBundle({ db, tenantId }: Place): Promise<Bundle> {
  const { promotesFrom } = await environmentOf(db, tenantId);
  if (promotesFrom === null) throw invalid("promotesFrom", "is not set: nothing is promoted here");
  return await bundleOf(db, promotesFrom);
}
