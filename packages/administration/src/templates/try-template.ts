import { channelsWith, IN_APP } from "@belfry/contracts/channels";
import { orNull } from "@belfry/contracts/fields";
import type { SendOutcome } from "@belfry/contracts/sending";
import { Type } from "@sinclair/typebox";
import { defineAct, note, optional, SEND } from "../act.ts";
import { previewSource, renderTemplate, VARIABLES } from "./preview-template.ts";
import { sendPushTest, sendRenderedTest } from "./send-test.ts";
import { written } from "./setting-kinds.ts";
import { ADDRESS, CONTENT, LOCALE, localeOf, TEXTS } from "./template-input.ts";
import { SETTING_FIELDS } from "./template-settings.ts";
import { ORDER, readTemplate, targetOf } from "./templates.ts";

type Tested = { tenantId: string; eventType: string; channel: string } & (
  | { userId: string; published: boolean }
  | ({ providerId: string; kind: string } & SendOutcome)
);
const SENT: Tested = {
  ...ORDER,
  tenantId: "acme",
  providerId: "0198f3a1-7c2e-7b1d-9a54-2f3d4c5b6a79",
  kind: "sandbox",
  class: "accepted",
  reason: "accepted",
  messageId: "m-1",
  vendorStatus: null,
  vendorAnswer: null,
  retryAfterSeconds: null,
};

export const testTemplate = defineAct({
  name: "template test",
  http: "POST /templates/:eventType/:channel/test",
  access: SEND,
  effect: "outside",
  summary:
    "Send a published template to one person, as a test: through the provider that would send it, or into an inbox. " +
    "It counts towards the tenant's limits, and few are allowed in 15 minutes",
  description: "With content, this text is sent instead of what is published.",
  input: Type.Object({
    ...ADDRESS,
    ...LOCALE,
    ...TEXTS,
    content: optional(CONTENT.content),
    plainCharacters: SETTING_FIELDS.plainCharacters,
    digest: SETTING_FIELDS.digest,
    targetChannel: SETTING_FIELDS.targetChannel,
    variables: VARIABLES,
    to: written(
      `an email address, a number such as +12025550123, a chat address such as slack:C024BE91L, or (${channelsWith("notification").join(", ")}) a user's id`,
    ),
  }),
  output: Type.Unsafe<Tested>(
    Type.Object({
      tenantId: Type.String(),
      ...ADDRESS,
      userId: optional(Type.String(), "In whose inbox it is"),
      published: optional(Type.Boolean(), "false: it is shown when the page is reloaded"),
      providerId: optional(Type.String(), "The provider that got it"),
      kind: optional(Type.String()),
      class: optional(Type.String(), "accepted, or how it was refused"),
      reason: optional(Type.String()),
      messageId: optional(orNull(Type.String()), "The vendor's"),
      vendorStatus: optional(orNull(Type.Integer())),
      vendorAnswer: optional(orNull(Type.String())),
      retryAfterSeconds: optional(orNull(Type.Number())),
    }),
  ),
  example: { input: { ...ORDER, to: "+12025550123" }, output: SENT },
  flags: { to: "--to <recipient>" },
  async run({ db, tenantId, services }, { to, variables = {}, content, ...input }) {
    const { eventType, channel } = input;
    const address = { tenantId, eventType, channel };
    const locale = localeOf(input);
    const rendered =
      content === undefined
        ? await renderTemplate(db, address, variables, locale)
        : await previewSource(db, tenantId, { ...input, content }, variables);
    if (rendered.kind === "notification" && channel === IN_APP) {
      const { targetChannel } = content === undefined ? await readTemplate(db, address) : input;
      const test = { tenantId, eventType, userId: to, targetChannel: targetChannel ?? undefined };
      const { userId, published } = await sendPushTest(
        db,
        test,
        rendered,
        services.publishNotification,
      );
      return { output: { ...address, userId, published }, told: { userId } };
    }
    const { provider, outcome } = await sendRenderedTest(db, tenantId, rendered, to, {
      keys: await services.keys(),
      allowPrivateAddresses: await services.allowPrivateAddresses(),
    });
    return {
      output: { ...address, providerId: provider.id, kind: provider.kind, ...outcome },
      told: { class: outcome.class },
    };
  },
  // Logs the outcome, without content.
  audit: ({ eventType, channel }, { told }) =>
    note("template.test", targetOf({ eventType, channel }), { after: told }),
});
