import {
  signingSecretRotated,
  webhookChanged,
  webhookDeleted,
} from "@belfry/administration/webhooks/webhook-notes";
import {
  changeWebhook,
  deleteWebhook,
  listWebhooks,
  putWebhook,
  rotateWebhookSigningSecret,
} from "@belfry/administration/webhooks/webhooks";
import { MESSAGE_STATUSES } from "@belfry/contracts/webhook-endpoints";
import { MAX_WEBHOOKS, PREVIOUS_SECRET_HOURS, WEBHOOK_TYPES } from "@belfry/contracts/webhooks";
import type { Command } from "commander";
import { CommandError } from "./command-error.ts";
import { onDatabase, type Session } from "./session.ts";
import { TENANT, WEBHOOK, type WebhookFlags } from "./webhook-flags.ts";
import { addWebhookMessageCommands } from "./webhook-message-commands.ts";

interface PutFlags {
  tenant: string;
  webhook?: string;
  url?: string;
  types?: string[];
  description?: string;
  active?: boolean;
}

export function define(webhook: Command): void {
  webhook
    .command("put")
    .description(
      `Make an endpoint, or change the one with this URL; prints its secret once, where it was made. At most ${MAX_WEBHOOKS} a tenant`,
    )
    .requiredOption(...TENANT)
    .option("--url <url>", "https, at a public host; with --webhook: its new URL")
    .option("--webhook <id>", "change this one, whatever its URL is")
    .option(
      "--types <types>",
      "what it is told of, comma-separated; all: everything, what is added later too (the default)",
      typesOrAll,
    )
    .option("--description <text>", "for people, up to 255 characters; empty: none")
    .option("--active", "send to it, and end a pause or a disabling (default for a new one)")
    .option("--no-active", "send nothing to it")
    .addHelpText("after", `\nTypes: ${WEBHOOK_TYPES.join(", ")}.`)
    .action(onDatabase(put));

  webhook
    .command("list")
    .description("A tenant's endpoints, the oldest first, and how each is doing")
    .requiredOption(...TENANT)
    .action(onDatabase(({ db }, { tenant }: { tenant: string }) => listWebhooks(db, tenant)));

  webhook
    .command("delete")
    .description("Delete an endpoint with its messages: nothing is sent to it any more")
    .requiredOption(...TENANT)
    .requiredOption(...WEBHOOK)
    .action(
      onDatabase(async ({ audited }, { tenant: tenantId, webhook: webhookId }: WebhookFlags) => {
        return await audited(
          (transaction) => deleteWebhook(transaction, { tenantId, webhookId }),
          (before) => webhookDeleted(tenantId, before),
        );
      }),
    );

  webhook
    .command("rotate-secret")
    .description(
      `Make a new secret, printed this once; the one before signs beside it for ${PREVIOUS_SECRET_HOURS} hours`,
    )
    .requiredOption(...TENANT)
    .requiredOption(...WEBHOOK)
    .action(
      onDatabase(async (session, { tenant: tenantId, webhook: webhookId }: WebhookFlags) => {
        const keys = await session.keys();
        return await session.audited(
          (transaction) => rotateWebhookSigningSecret(transaction, { tenantId, webhookId }, keys),
          (done) => signingSecretRotated(tenantId, done),
        );
      }),
    );

  addWebhookMessageCommands(webhook, MESSAGE_STATUSES);
}

async function put(session: Session, flags: PutFlags) {
  const { tenant: tenantId, webhook: webhookId, url, types, description, active } = flags;
  const allowPrivateAddresses = await session.allowPrivateWebhooks();
  const settings = { tenantId, types, description, active };
  let change: (db: Session["db"]) => ReturnType<typeof putWebhook>;
  if (webhookId !== undefined) {
    change = (db) => changeWebhook(db, { ...settings, webhookId, url }, { allowPrivateAddresses });
  } else if (url !== undefined) {
    const deps = { keys: await session.keys(), allowPrivateAddresses };
    change = (db) => putWebhook(db, { ...settings, url }, deps);
  } else {
    throw new CommandError("--url: give --url, or --webhook and what is to change");
  }
  const { after } = await session.audited(change, (done) => webhookChanged(tenantId, done));
  return after;
}

/** Empty: all. */
function typesOrAll(text: string): string[] {
  return text === "all" ? [] : text.split(",").map((type) => type.trim());
}
