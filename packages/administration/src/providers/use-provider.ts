import { flag } from "@belfry/contracts/fields";
import { Type } from "@sinclair/typebox";
import { defineAct, PROVISION } from "../act.ts";
import { invalid } from "../input-error.ts";
import { isoTimes } from "../iso-times.ts";
import { findProviders, updateProvider } from "./provider-rows.ts";
import {
  changeProvider,
  named,
  PROVIDER,
  Provider,
  placeProvider,
  targetOf,
  UNTESTED,
} from "./providers.ts";

const common = { access: PROVISION, effect: "change", output: Provider } as const;
const EXAMPLE = { input: { id: PROVIDER.id }, output: { ...PROVIDER, active: true } };

function noteOf(verb: string, { before, after }: { before: Provider; after: Provider }) {
  const of = ({ active, position }: Provider) => ({ active, position });
  const change = { before: of(before), after: of(after) };
  return { action: `provider.${verb}`, target: targetOf(after), ...change };
}

function refuseUntested({ active, testedAt }: Provider): void {
  if (!active && testedAt === null) throw invalid("provider", UNTESTED);
}

export const activateProvider = defineAct({
  ...common,
  name: "provider activate",
  http: "POST /providers/:id/activate",
  summary: "Send through it from now on",
  description: "A test of its settings must have been accepted, unless `untested` is given.",
  input: Type.Object({
    ...named.properties,
    untested: Type.Optional(flag({ description: "although no test of its settings was accepted" })),
  }),
  examples: [EXAMPLE],
  run: async ({ db, tenantId }, { id, untested }) =>
    await changeProvider(db, { id, tenantId }, async (transaction, before) => {
      if (!untested) refuseUntested(before);
      await updateProvider(transaction, before, { active: true });
    }),
  audit: (_, change) => noteOf("activate", change),
});

export const deactivateProvider = defineAct({
  ...common,
  name: "provider deactivate",
  http: "POST /providers/:id/deactivate",
  summary: "Send nothing through it from now on",
  input: named,
  examples: [{ input: { id: PROVIDER.id }, output: PROVIDER }],
  run: async ({ db, tenantId }, { id }) =>
    await changeProvider(db, { id, tenantId }, (transaction, before) =>
      updateProvider(transaction, before, { active: false }),
    ),
  audit: (_, change) => noteOf("deactivate", change),
});

export const makeProviderFirst = defineAct({
  ...common,
  name: "provider make-first",
  http: "POST /providers/:id/make-first",
  summary:
    "Send through it before all others from now on; one that is not in use must have passed a test",
  input: named,
  examples: [EXAMPLE],
  run: async ({ db, tenantId }, { id }) =>
    await changeProvider(db, { id, tenantId }, async (transaction, before) => {
      refuseUntested(before);
      await updateProvider(transaction, before, { active: true });
      await placeProvider(transaction, before, 0);
    }),
  audit: (_, change) => noteOf("make-first", change),
});

export const moveProviderUp = defineAct({
  ...common,
  name: "provider move-up",
  http: "POST /providers/:id/move-up",
  summary: "Move it one place nearer to the first; prints its channel's providers in their order",
  input: named,
  output: Type.Array(Provider),
  examples: [{ input: { id: PROVIDER.id }, output: [PROVIDER] }],
  async run({ db, tenantId }, { id }) {
    let order: Provider[] = [];
    const { before } = await changeProvider(db, { id, tenantId }, async (transaction, before) => {
      const ofChannel = { tenantId, channel: before.channel };
      const place = (await findProviders(transaction, ofChannel)).findIndex((one) => one.id === id);
      if (place > 0) await placeProvider(transaction, before, place - 1);
      order = (await findProviders(transaction, ofChannel)).map(isoTimes);
    });
    return { output: order, before };
  },
  audit: (_, { output, before }) => ({
    action: "provider.move",
    target: targetOf(before),
    after: { order: output.map(({ name }) => name) },
  }),
});
