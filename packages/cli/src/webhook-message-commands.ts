import type { Command } from "commander";
import { auditedCommand } from "./audited-command.ts";
import { integerValue } from "./flag-values.ts";
import { printJson } from "./output.ts";
import { withDatabase } from "./session.ts";
import { TENANT, WEBHOOK, type WebhookFlags, webhookNotes } from "./webhook-flags.ts";

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
    ({ tenant, webhook: webhookId, ...page }: ListFlags) =>
      withDatabase(async ({ db }) => {
        const { webhookMessages } = await import(
          "@belfry/administration/webhooks/webhook-messages"
        );
        await printJson(await webhookMessages(db, { tenantId: tenant, webhookId, ...page }));
      }),
  );

  list("attempts", "Calls of an endpoint, with what it answered: the newest message's first")
    .option("--message <id>", "of one message and its copies only")
    .action(({ tenant: tenantId, webhook: webhookId, message: messageId, ...page }: ListFlags) =>
      withDatabase(async ({ db }) => {
        const { messageAttempts, webhookAttempts } = await import(
          "@belfry/administration/webhooks/webhook-attempts"
        );
        const of = { tenantId, webhookId };
        await printJson(
          messageId === undefined
            ? await webhookAttempts(db, { ...of, ...page })
            : { attempts: await messageAttempts(db, { ...of, messageId }) },
        );
      }),
    );

  webhook
    .command("resend")
    .description("Send a message again, whatever became of it; its webhook-id stays")
    .requiredOption(...TENANT)
    .requiredOption(...WEBHOOK)
    .requiredOption("--message <id>", "the message's id")
    .action(({ tenant: tenantId, webhook: webhookId, message: messageId }: Required<ListFlags>) =>
      withDatabase(async ({ db }) => {
        const { resendWebhookMessage } = await import(
          "@belfry/administration/webhooks/resend-webhook-message"
        );
        const { webhookNote } = await webhookNotes();
        const resent = await auditedCommand(
          db,
          (transaction) => resendWebhookMessage(transaction, { tenantId, webhookId, messageId }),
          ({ url, ...after }) => webhookNote("resend", tenantId, url, { after }),
        );
        await printJson(resent);
      }),
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
    .action(({ tenant: tenantId, webhook: webhookId, ...window }: ReplayFlags) =>
      withDatabase(async ({ db }) => {
        const { replayWebhook } = await import("@belfry/administration/webhooks/replay-webhook");
        const { webhookReplayed } = await webhookNotes();
        const input = { tenantId, webhookId, ...window };
        const replayed = await auditedCommand(
          db,
          (transaction) => replayWebhook(transaction, input),
          (done) => webhookReplayed(input, done),
        );
        await printJson(replayed);
      }),
    );

  webhook
    .command("test")
    .description("Send a message of type webhook.test, and print how its first try went")
    .requiredOption(...TENANT)
    .requiredOption(...WEBHOOK)
    .option("--no-wait", "do not wait for the try, up to 20 s")
    .action(({ tenant: tenantId, webhook: webhookId, wait }: WebhookFlags & { wait: boolean }) =>
      withDatabase(async ({ db }) => {
        const { firstTryOf, testWebhook } = await import(
          "@belfry/administration/webhooks/test-webhook"
        );
        const { webhookNote } = await webhookNotes();
        const told = await auditedCommand(
          db,
          (transaction) => testWebhook(transaction, { tenantId, webhookId }),
          ({ url, ...after }) => webhookNote("test", tenantId, url, { after }),
        );
        const { messageId } = told;
        if (!wait) return await printJson(told);
        // null: not within 20 s. Is webhook-sender running?
        const attempt = await firstTryOf(db, { tenantId, webhookId, messageId });
        await printJson({ ...told, attempt: attempt ?? null });
      }),
    );
}
