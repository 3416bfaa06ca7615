import { type Content, sentRow } from "@belfry/contracts/channels";
import type { ChatBlock } from "@belfry/contracts/chat";
import { flag, oneOf, orNull, text } from "@belfry/contracts/fields";
import { OUTCOME_CLASSES } from "@belfry/contracts/sending";
import { Type } from "@sinclair/typebox";
import { defineAct, note, optional, PROVISION } from "../act.ts";
import { invalid } from "../input-error.ts";
import { sendThrough } from "../templates/send-test.ts";
import {
  findProviders,
  noteProviderTest,
  Provider,
  storedProviderSettings,
  updateProvider,
} from "./provider-rows.ts";
import {
  changeProvider,
  named,
  PROVIDER,
  placeProvider,
  providerAt,
  targetOf,
  UNTESTED,
} from "./providers.ts";

const common = { access: PROVISION, configures: true, output: Provider } as const;
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
  summary: "Activate a provider: messages are sent through it",
  description: "A test of its settings must have been accepted, unless `untested` is given.",
  input: Type.Object({
    ...named.properties,
    untested: optional(flag(), "although no test of its settings was accepted"),
  }),
  example: EXAMPLE,
  run: (context, { id, untested }) =>
    changeProvider(context, id, async (before) => {
      if (!untested) refuseUntested(before);
      await updateProvider(context.db, before, { active: true });
    }),
  audit: (_, change) => noteOf("activate", change),
});

export const deactivateProvider = defineAct({
  ...common,
  name: "provider deactivate",
  http: "POST /providers/:id/deactivate",
  summary: "Deactivate a provider: nothing more is sent through it",
  input: named,
  example: { input: { id: PROVIDER.id }, output: PROVIDER },
  run: (context, { id }) =>
    changeProvider(context, id, (before) => updateProvider(context.db, before, { active: false })),
  audit: (_, change) => noteOf("deactivate", change),
});

export const makeProviderFirst = defineAct({
  ...common,
  name: "provider make-first",
  http: "POST /providers/:id/make-first",
  summary: "Make a provider the first one; an inactive one must have passed a test",
  input: named,
  example: EXAMPLE,
  run: (context, { id }) =>
    changeProvider(context, id, async (before) => {
      refuseUntested(before);
      await updateProvider(context.db, before, { active: true });
      await placeProvider(context.db, before, 0);
    }),
  audit: (_, change) => noteOf("make-first", change),
});

export const moveProviderUp = defineAct({
  ...common,
  name: "provider move-up",
  http: "POST /providers/:id/move-up",
  summary: "Move a provider one place up; prints its channel's providers in their order",
  input: named,
  output: Type.Array(Provider),
  example: { input: { id: PROVIDER.id }, output: [PROVIDER] },
  async run(context, { id }) {
    const { db, tenantId } = context;
    let was: Provider[] = [];
    let order: Provider[] = [];
    const { before } = await changeProvider(context, id, async (before) => {
      const ofChannel = { tenantId, channel: before.channel };
      was = await findProviders(db, ofChannel);
      const place = was.findIndex((one) => one.id === id);
      if (place > 0) await placeProvider(db, before, place - 1);
      order = await findProviders(db, ofChannel);
    });
    return { output: order, before, was };
  },
  audit: (_, { output, before, was }) => {
    const of = (providers: Provider[]) => ({ order: providers.map(({ name }) => name) });
    return note("provider.move", targetOf(before), { before: of(was), after: of(output) });
  },
});

const TITLE = "A test from Belfry";
const TEXT = "This is a test from Belfry: the provider works.";
const PARAGRAPH: ChatBlock[] = [{ kind: "paragraph", runs: [{ text: TEXT }] }];
/** The message of a test, by the content of its channel. */
const TESTS = {
  email: { kind: "email", subject: TITLE, html: `<p>${TEXT}</p>`, text: TEXT },
  text: { kind: "text", text: TEXT, segments: 1, encoding: "GSM-7" },
  notification: { kind: "notification", title: TITLE, body: TEXT },
  chat: { kind: "chat", blocks: PARAGRAPH },
} as const satisfies Record<Content, object>;

export const testProvider = defineAct({
  name: "provider test",
  http: "POST /providers/:id/test",
  access: PROVISION,
  effect: "outside",
  summary:
    "Send a test message through a provider, active or not; prints the vendor's answer and stores whether it was accepted",
  input: Type.Object({
    ...named.properties,
    to: text({
      description:
        "an email address, a number such as +12025550123, a chat address, or (of devices) a user's id",
    }),
  }),
  output: Type.Object({
    providerId: Type.String(),
    kind: Type.String(),
    name: Type.String(),
    class: oneOf(OUTCOME_CLASSES),
    reason: Type.String(),
    messageId: orNull(Type.String({ description: "The vendor's, when it accepted the message" })),
    vendorStatus: orNull(Type.String()),
    vendorAnswer: orNull(Type.String({ description: "Its first KB" })),
    retryAfterSeconds: orNull(Type.Integer()),
  }),
  example: {
    input: { id: PROVIDER.id, to: "ada@example.com" },
    output: {
      providerId: PROVIDER.id,
      kind: "sendgrid",
      name: "sendgrid",
      class: "accepted",
      reason: "SendGrid accepted the message",
      messageId: "a1",
      vendorStatus: "202",
      vendorAnswer: "",
      retryAfterSeconds: null,
    },
  },
  async run({ db, tenantId, services }, { id, to }) {
    const provider = await providerAt(db, { id, tenantId });
    const { channel, kind, name } = provider;
    const message = { channel, missing: [], ...TESTS[sentRow(channel).content] };
    // Read before the test, because settings that are put meanwhile were not tested.
    const settings = await storedProviderSettings(db, provider);
    const outcome = await sendThrough(db, provider, message, to, {
      keys: await services.keys(),
      allowPrivateAddresses: await services.allowPrivateAddresses(),
    });
    if (settings !== undefined) {
      const accepted = outcome.class === "accepted";
      await noteProviderTest(db, provider, { settings, accepted });
    }
    return {
      output: { providerId: provider.id, kind, name, ...outcome },
      target: targetOf(provider),
    };
  },
  audit: (_, { target, output }) =>
    note("provider.test", target, {
      after: { class: output.class, vendorStatus: output.vendorStatus },
    }),
});
