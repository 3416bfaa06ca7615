import { replayWebhook } from "@belfry/administration/webhooks/replay-webhook";
import { resendWebhookMessage } from "@belfry/administration/webhooks/resend-webhook-message";
import { firstTryOf, testWebhook } from "@belfry/administration/webhooks/test-webhook";
import { messageAttempts, webhookAttempts } from "@belfry/administration/webhooks/webhook-attempts";
import { webhookMessages } from "@belfry/administration/webhooks/webhook-messages";
import { webhookNote, webhookReplayed } from "@belfry/administration/webhooks/webhook-notes";
import type { Command } from "commander";
import { integerValue } from "./flag-values.ts";
import { onDatabase } from "./session.ts";
import { TENANT, WEBHOOK, type WebhookFlags } from "./webhook-flags.ts";

interface ListFlags extends WebhookFlags {
  status?: string;
  message?: string;
  after?: string;
  limit?: number;
}

interface ReplayFlags extends WebhookFlags {
  since: string;
  until?: string;
  all?: boolean;
  after?: string;
}

/** `webhook messages|attempts|resend|replay|test`. */
export function addWebhookMessageCommands(webhook: Command, statuses: readonly string[]): void {
  const list = (name: string, description: string) =>
    webhook
      .command(name)
      .description(description)
      .requiredOption(...TENANT)
      .requiredOption(...WEBHOOK)
      .option("--status <status>", `of messages that are ${statuses.join(", ")}`)
      .option("--limit <n>", "at most so many, 1 to 500 (default: 50)", integerValue)
      .option("--after <next>", "the next of the page before");

  list("messages", "What an endpoint was or is to be told, the newest first").action(
    onDatabase(({ db }, { tenant, webhook: webhookId, ...page }: ListFlags) =>
      webhookMessages(db, { tenantId: tenant, webhookId, ...page }),
    ),
  );

  list("attempts", "Calls of an endpoint, with what it answered: the newest message's first")
    .option("--message <id>", "of one message and its copies only")
    .action(
      onDatabase(
        async (
          { db },
          { tenant: tenantId, webhook: webhookId, message: messageId, ...page }: ListFlags,
        ) => {
          const of = { tenantId, webhookId };
          return messageId === undefined
            ? await webhookAttempts(db, { ...of, ...page })
            : { attempts: await messageAttempts(db, { ...of, messageId }) };
        },
      ),
    );

  webhook
    .command("resend")
    .description("Send a message again, whatever became of it; its webhook-id stays")
    .requiredOption(...TENANT)
    .requiredOption(...WEBHOOK)
    .requiredOption("--message <id>", "the message's id")
    .action(
      onDatabase(
        async (
          { audited },
          { tenant: tenantId, webhook: webhookId, message: messageId }: Required<ListFlags>,
        ) => {
          return await audited(
            (transaction) => resendWebhookMessage(transaction, { tenantId, webhookId, messageId }),
            ({ url, ...after }) => webhookNote("resend", tenantId, url, { after }),
          );
        },
      ),
    );

  webhook
    .command("replay")
    .description(
      "Send again what did not arrive of a window, the oldest first; at most 10,000 a call, and then `more`",
    )
    .requiredOption(...TENANT)
    .requiredOption(...WEBHOOK)
    .requiredOption("--since <time>", "messages of then or later, as 2026-11-20T09:30:00+01:00")
    .option("--until <time>", "messages of before; left out: until now")
    .option("--all", "also those that have arrived")
    .option("--after <next>", "the next of the call before")
    .action(
      onDatabase(
        async ({ audited }, { tenant: tenantId, webhook: webhookId, ...window }: ReplayFlags) => {
          const input = { tenantId, webhookId, ...window };
          return await audited(
            (transaction) => replayWebhook(transaction, input),
            (done) => webhookReplayed(input, done),
          );
        },
      ),
    );

  webhook
    .command("test")
    .description("Send a message of type webhook.test, and print how its first try went")
    .requiredOption(...TENANT)
    .requiredOption(...WEBHOOK)
    .option("--no-wait", "do not wait for the try, up to 20 s")
    .action(
      onDatabase(
        async (
          { audited, db },
          { tenant: tenantId, webhook: webhookId, wait }: WebhookFlags & { wait: boolean },
        ) => {
          const told = await audited(
            (transaction) => testWebhook(transaction, { tenantId, webhookId }),
            ({ url, ...after }) => webhookNote("test", tenantId, url, { after }),
          );
          const { messageId } = told;
          if (!wait) return told;
          // null: not within 20 s. Is webhook-sender running?
          const attempt = await firstTryOf(db, { tenantId, webhookId, messageId });
          return { ...told, attempt: attempt ?? null };
        },
      ),
    );
}
