import { MESSAGE_STATUSES } from "@belfry/contracts/webhook-endpoints";
import { MAX_WEBHOOKS, PREVIOUS_SECRET_HOURS, WEBHOOK_TYPES } from "@belfry/contracts/webhooks";
import { Command } from "commander";
import { auditedCommand } from "./audited-command.ts";
import { printJson } from "./output.ts";
import { type Session, withDatabase } from "./session.ts";
import { TENANT, WEBHOOK, type WebhookFlags, webhookNotes } from "./webhook-flags.ts";
import { addWebhookMessageCommands } from "./webhook-message-commands.ts";

interface PutFlags {
  tenant: string;
  webhook?: string;
  url?: string;
  types?: string[];
  description?: string;
  active?: boolean;
}

export function webhookCommand(): Command {
  const webhook = new Command("webhook").description(
    "Endpoints of tenants that are told what became of their events",
  );

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
    .action((flags: PutFlags) => withDatabase((session) => put(session, flags)));

  webhook
    .command("list")
    .description("A tenant's endpoints, the oldest first, and how each is doing")
    .requiredOption(...TENANT)
    .action(({ tenant }: { tenant: string }) =>
      withDatabase(async ({ db }) => {
        const { listWebhooks } = await import("@belfry/administration/webhooks/webhooks");
        await printJson(await listWebhooks(db, tenant));
      }),
    );

  webhook
    .command("delete")
    .description("Delete an endpoint with its messages: nothing is sent to it any more")
    .requiredOption(...TENANT)
    .requiredOption(...WEBHOOK)
    .action(({ tenant: tenantId, webhook: webhookId }: WebhookFlags) =>
      withDatabase(async ({ db }) => {
        const { deleteWebhook } = await import("@belfry/administration/webhooks/webhooks");
        const { webhookDeleted } = await webhookNotes();
        const deleted = await auditedCommand(
          db,
          (transaction) => deleteWebhook(transaction, { tenantId, webhookId }),
          (before) => webhookDeleted(tenantId, before),
        );
        await printJson(deleted);
      }),
    );

  webhook
    .command("rotate-secret")
    .description(
      `Make a new secret, printed this once; the one before signs beside it for ${PREVIOUS_SECRET_HOURS} hours`,
    )
    .requiredOption(...TENANT)
    .requiredOption(...WEBHOOK)
    .action(({ tenant: tenantId, webhook: webhookId }: WebhookFlags) =>
      withDatabase(async (session) => {
        const { rotateWebhookSigningSecret } = await import(
          "@belfry/administration/webhooks/webhooks"
        );
        const { signingSecretRotated } = await webhookNotes();
        const keys = await session.keys();
        const rotated = await auditedCommand(
          session.db,
          (transaction) => rotateWebhookSigningSecret(transaction, { tenantId, webhookId }, keys),
          (done) => signingSecretRotated(tenantId, done),
        );
        await printJson(rotated);
      }),
    );

  addWebhookMessageCommands(webhook, MESSAGE_STATUSES);
  return webhook;
}

async function put(session: Session, flags: PutFlags): Promise<void> {
  const { tenant: tenantId, webhook: webhookId, url, types, description, active } = flags;
  const { changeWebhook, putWebhook } = await import("@belfry/administration/webhooks/webhooks");
  const { webhookChanged } = await webhookNotes();
  const allowPrivateAddresses = await session.allowPrivateWebhooks();
  const settings = { tenantId, types, description, active };
  let change: (db: Session["db"]) => ReturnType<typeof putWebhook>;
  if (webhookId !== undefined) {
    change = (db) => changeWebhook(db, { ...settings, webhookId, url }, { allowPrivateAddresses });
  } else if (url !== undefined) {
    const deps = { keys: await session.keys(), allowPrivateAddresses };
    change = (db) => putWebhook(db, { ...settings, url }, deps);
  } else {
    const { CommandError } = await import("./command-error.ts");
    throw new CommandError("--url: give --url, or --webhook and what is to change");
  }
  const { after } = await auditedCommand(session.db, change, (done) =>
    webhookChanged(tenantId, done),
  );
  await printJson(after);
}

/** Empty: all. */
function typesOrAll(text: string): string[] {
  return text === "all" ? [] : text.split(",").map((type) => type.trim());
}
