import { DEFAULT_DAILY_CAP, DEFAULT_PER_MINUTE, MAX_LIVE_API_KEYS } from "@belfry/contracts/bounds";
import { CHANNELS, type Channel } from "@belfry/contracts/channels";
import type { KeyRole } from "@belfry/contracts/key-roles";
import type { QuietHours } from "@belfry/contracts/quiet-hours";
import { Command } from "commander";
import { auditedCommand } from "./audited-command.ts";
import { commandLineActor } from "./command-line-actor.ts";
import {
  channelsOrAll,
  integerOrDefault,
  integerOrNone,
  integerValue,
  keyRoleValue,
  quietHoursOrNone,
} from "./flag-values.ts";
import { readSecretInput } from "./input-file.ts";
import { keyCommand } from "./key-command.ts";
import { printJson } from "./output.ts";
import { type Session, withDatabase } from "./session.ts";

interface TenantFlags {
  name?: string;
  perMinute?: number;
  dailyCap?: number | "none";
  channels?: Channel[];
  dedupIncludesVariables?: boolean;
  eventRetentionDays?: number | "default";
  notificationRetentionDays?: number | "default";
  defaultLocale?: string;
  timezone?: string;
  quietHours?: QuietHours | "none";
  webhookSecretFile?: string;
  /** false: `--no-webhook-secret`. */
  webhookSecret?: boolean;
}

export function tenantCommand(): Command {
  const tenant = new Command("tenant").description("Tenants, their limits, API keys and secrets");

  settingFlags(tenant.command("create"))
    .description("Make a tenant; prints its API key, this once")
    .requiredOption("--name <name>", "its name, 1 to 255 characters")
    .option("--key-name <name>", "what people call its API key")
    .addHelpText(
      "after",
      `\nWithout flags: ${DEFAULT_PER_MINUTE} a minute, ${DEFAULT_DAILY_CAP} a day, all channels.`,
    )
    .action((flags: TenantFlags & { name: string; keyName?: string }) =>
      run(async (session, tenants) => {
        const { name, keyName } = flags;
        const input = { ...(await tenantInput(flags)), name, keyName };
        const keys = await keysFor(input, session);
        return await auditedCommand(
          session.db,
          (transaction) => tenants.createTenant(transaction, input, keys),
          (await notesOf()).tenantCreated,
        );
      }),
    );

  tenant
    .command("list")
    .description("All tenants, oldest first")
    .action(() => run((session, tenants) => tenants.listTenants(session.db)));

  tenant
    .command("show <id>")
    .description("One tenant with its live API keys (their prefixes and names)")
    .action((id: string) => run((session, tenants) => tenants.showTenant(session.db, id)));

  settingFlags(tenant.command("update <id>"))
    .description("Change the given settings; applies within 5 s")
    .option("--name <name>", "its name, 1 to 255 characters")
    .option("--no-webhook-secret", "triggers need no signature any more")
    .action((id: string, flags: TenantFlags) =>
      run(async (session, tenants) => {
        const input = await tenantInput(flags);
        const keys = await keysFor(input, session);
        const { tenantUpdated } = await notesOf();
        const { after } = await auditedCommand(
          session.db,
          async (transaction) => ({
            before: await tenants.showTenant(transaction, id),
            after: await tenants.updateTenant(transaction, id, input, keys),
          }),
          (change) => tenantUpdated(change.before, change.after, input.webhookSecret),
        );
        return after;
      }),
    );

  for (const [name, active, description] of [
    ["activate", true, "Answer its calls again; what was skipped meanwhile is not revived"],
    ["deactivate", false, "Answer its calls 401 and skip what it has waiting"],
  ] as const) {
    tenant
      .command(`${name} <id>`)
      .description(description)
      .action((id: string) =>
        run(async (session, tenants) => {
          const { tenantActivated } = await notesOf();
          const { after } = await auditedCommand(
            session.db,
            async (transaction) => ({
              before: await tenants.showTenant(transaction, id),
              after: await tenants.setTenantActive(transaction, id, active),
            }),
            (change) => tenantActivated(change.before.active, change.after),
          );
          return after;
        }),
      );
  }

  tenant
    .command("rotate-key <id>")
    .description("Make a new API key, printed this once; the keys before it end after the overlap")
    .option(
      "--overlap-seconds <n>",
      `how long the keys before go on working, 0 to 2592000 (default: 86400, a day); at most ${MAX_LIVE_API_KEYS} live keys`,
      integerValue,
    )
    .option("--name <name>", "what people call the new key; default: as the newest before it")
    .option(
      "--role <role>",
      "of which keys, where there are several roles; those of other roles stay",
      keyRoleValue,
    )
    .action((id: string, flags: { overlapSeconds?: number; name?: string; role?: KeyRole }) =>
      withDatabase(async ({ db }) => {
        const { DEFAULT_OVERLAP_SECONDS, rotateApiKey } = await import(
          "@belfry/administration/tenants/rotate-api-key"
        );
        const { keyRotated } = await notesOf();
        const { overlapSeconds = DEFAULT_OVERLAP_SECONDS, name, role } = flags;
        const rotated = await auditedCommand(
          db,
          (transaction) => rotateApiKey(transaction, id, overlapSeconds, { name, role }),
          (after) => keyRotated(after, overlapSeconds),
        );
        await printJson(rotated);
      }),
    );

  tenant
    .command("rotate-webhook-secret <id>")
    .description("Set the secret that signs its triggers; the one before ends after the overlap")
    .requiredOption("--webhook-secret-file <file>", "holds the new secret, or - for standard input")
    .option(
      "--overlap-seconds <n>",
      "how long the one before is taken besides, 0 to 2592000 (default: 0)",
      integerValue,
    )
    .action((id: string, flags: { webhookSecretFile: string; overlapSeconds?: number }) =>
      withDatabase(async (session) => {
        const { rotateWebhookSecret } = await import(
          "@belfry/administration/tenants/rotate-webhook-secret"
        );
        const { webhookSecretFile, overlapSeconds = 0 } = flags;
        const webhookSecret = await readSecretInput("--webhook-secret-file", webhookSecretFile);
        const input = { webhookSecret, overlapSeconds };
        const keys = await session.keys();
        const rotated = await auditedCommand(
          session.db,
          (transaction) => rotateWebhookSecret(transaction, id, input, keys),
          (await notesOf()).webhookSecretCreated,
        );
        await printJson(rotated);
      }),
    );

  tenant
    .command("delete <id>")
    .description("Delete it with all that its events left, in small batches; cannot be undone")
    .action((id: string) =>
      withDatabase(async ({ db }) => {
        const { deleteTenant } = await import("@belfry/administration/erasure/delete-tenant");
        await printJson(await deleteTenant(db, id, commandLineActor()));
      }),
    );

  tenant.addCommand(keyCommand());
  return tenant;
}

/** Libraries load with the work, not at the start. */
async function notesOf() {
  return await import("@belfry/administration/tenants/tenant-notes");
}

type Tenants = typeof import("@belfry/administration/tenants/tenants");

async function run(work: (session: Session, tenants: Tenants) => Promise<unknown>): Promise<void> {
  await withDatabase(async (session) => {
    await printJson(await work(session, await import("@belfry/administration/tenants/tenants")));
  });
}

function settingFlags(command: Command): Command {
  return command
    .option("--per-minute <n>", "triggers admitted in any 60 s", integerValue)
    .option("--daily-cap <n|none>", "events accepted per UTC day", integerOrNone)
    .option(
      "--channels <list|all>",
      `channels it may use, as ${CHANNELS[0]},${CHANNELS.at(-1)}`,
      channelsOrAll,
    )
    .option("--dedup-includes-variables", "variables count for the automatic dedup key")
    .option("--no-dedup-includes-variables", "they do not (the default)")
    .option(
      "--event-retention-days <n|default>",
      "keep events and their deliveries so many days, 1 to 3650; default: as the installation",
      integerOrDefault,
    )
    .option(
      "--notification-retention-days <n|default>",
      "the same for the in-app history",
      integerOrDefault,
    )
    .option(
      "--default-locale <locale>",
      "how templates without a language write dates, numbers and money, as en or de-AT",
    )
    .option("--timezone <name|none>", "IANA name, as Europe/Berlin, for dates; none: UTC")
    .option(
      "--quiet-hours <from-to|none>",
      "as 22:00-06:00: of users without their own, by the clock of their zone",
      quietHoursOrNone,
    )
    .option(
      "--webhook-secret-file <file>",
      "holds the secret that every trigger must be signed with, or - for standard input",
    );
}

async function tenantInput(flags: TenantFlags) {
  const file = flags.webhookSecretFile;
  const webhookSecret =
    file !== undefined
      ? await readSecretInput("--webhook-secret-file", file)
      : flags.webhookSecret === false
        ? null
        : undefined;
  return {
    name: flags.name,
    perMinute: flags.perMinute,
    dailyCap: flags.dailyCap === "none" ? null : flags.dailyCap,
    deliveryChannels: flags.channels,
    dedupIncludesVariables: flags.dedupIncludesVariables,
    eventRetentionDays: daysOf(flags.eventRetentionDays),
    notificationRetentionDays: daysOf(flags.notificationRetentionDays),
    defaultLocale: flags.defaultLocale,
    timezone: flags.timezone === "none" ? null : flags.timezone,
    quietHours: flags.quietHours === "none" ? null : flags.quietHours,
    webhookSecret,
  };
}

function daysOf(flag: number | "default" | undefined): number | null | undefined {
  return flag === "default" ? null : flag;
}

async function keysFor(input: { webhookSecret?: string | null | undefined }, session: Session) {
  return typeof input.webhookSecret === "string" ? await session.keys() : undefined;
}
