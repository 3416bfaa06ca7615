import { sentRow } from "@belfry/contracts/channels";
import { oneOf, orNull, text } from "@belfry/contracts/fields";
import { OUTCOME_CLASSES } from "@belfry/contracts/sending";
import { Type } from "@sinclair/typebox";
import { defineAct, PROVISION } from "../act.ts";
import { type Sendable, sendThrough } from "../templates/send-test.ts";
import { noteProviderTest, storedProviderSettings } from "./provider-rows.ts";
import { named, PROVIDER, providerAt, targetOf } from "./providers.ts";

const TEXT = "This is a test from Belfry: the provider works.";

export const testProvider = defineAct({
  name: "provider test",
  http: "POST /providers/:id/test",
  access: PROVISION,
  effect: "outside",
  summary:
    "Send one message of ours through it, active or not; prints the vendor's answer and notes whether it was accepted",
  input: Type.Object({
    ...named.properties,
    to: text({ description: "an email address, or a number such as +12025550123" }),
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
  examples: [
    {
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
  ],
  async run({ db, tenantId, services }, { id, to }) {
    const provider = await providerAt(db, { id, tenantId });
    const { channel, kind, name } = provider;
    const message: Sendable =
      sentRow(channel).content === "email"
        ? {
            channel,
            kind: "email",
            subject: "A test from Belfry",
            html: `<p>${TEXT}</p>`,
            text: TEXT,
            missing: [],
          }
        : { channel, kind: "text", text: TEXT, segments: 1, encoding: "GSM-7", missing: [] };
    // Read before they are used: what is put meanwhile is not what was tested.
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
  audit: (_, { target, output }) => ({
    action: "provider.test",
    target,
    after: { class: output.class, vendorStatus: output.vendorStatus },
  }),
});
