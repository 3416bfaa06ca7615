import { firstTryOf } from "@belfry/administration/webhooks/send-webhook-message";
import { changeWebhook } from "@belfry/administration/webhooks/webhooks";
import { WEBHOOK_TYPES } from "@belfry/contracts/webhooks";
import type { OwnPart } from "./act-command.ts";
import { CommandError } from "./command-error.ts";

export const parts: Readonly<Record<string, OwnPart>> = {
  "webhook put": {
    fields: ["url"],
    define: (command) =>
      void command
        .option("--url <url>", "https, at a public host; with --webhook: its new URL")
        .option("--webhook <id>", "change this one, whatever its URL is")
        .addHelpText("after", `\nTypes: ${WEBHOOK_TYPES.join(", ")}.`),
    act: ({ webhook }) => (webhook === undefined ? undefined : changeWebhook),
    async input({ url, webhook }) {
      if (url === undefined && webhook === undefined) {
        throw new CommandError("--url: give --url, or --webhook and what is to change");
      }
      return { url, webhookId: webhook };
    },
  },
  "webhook replay": {
    fields: ["since", "until"],
    // No time that is so long ago: a replay names its moments.
    define: (command) =>
      void command
        .requiredOption("--since <time>", "of messages of this time and later")
        .option("--until <time>", "of messages before this time; default: now"),
    input: async ({ since, until }) => ({ since, until }),
  },
  "webhook test": {
    define: (command) => void command.option("--no-wait", "do not wait for the try, up to 20 s"),
    async shown(told: { messageId: string; url: string }, flags, _, { db }) {
      if (flags.wait === false) return told;
      const of = { tenantId: String(flags.tenant), webhookId: String(flags.webhook) };
      // null: not within 20 s. Is webhook-sender running?
      return { ...told, attempt: (await firstTryOf(db, { ...of, ...told })) ?? null };
    },
  },
};
