import { deleteTenant } from "@belfry/administration/erasure/delete-tenant";
import {
  DEFAULT_OVERLAP_SECONDS,
  rotateApiKey,
} from "@belfry/administration/tenants/rotate-api-key";
import { rotateWebhookSecret } from "@belfry/administration/tenants/rotate-webhook-secret";
import {
  keyRotated,
  tenantActivated,
  tenantCreated,
  tenantUpdated,
  webhookSecretCreated,
} from "@belfry/administration/tenants/tenant-notes";
import {
  createTenant,
  listTenants,
  setTenantActive,
  showTenant,
  updateTenant,
} from "@belfry/administration/tenants/tenants";
import { DEFAULT_DAILY_CAP, DEFAULT_PER_MINUTE, MAX_LIVE_API_KEYS } from "@belfry/contracts/bounds";
import { CHANNELS, type Channel } from "@belfry/contracts/channels";
import type { KeyRole } from "@belfry/contracts/key-roles";
import type { QuietHours } from "@belfry/contracts/quiet-hours";
import type { Command } from "commander";
import { commandLineActor } from "./command-line-actor.ts";
import {
  channelsOrAll,
  integerOrDefault,
  integerOrNone,
  integerValue,
  keyRoleValue,
  linkSchemesOrNone,
  quietHoursOrNone,
} from "./flag-values.ts";
import { readSecretInput } from "./input-file.ts";
import { addKeyCommands } from "./key-command.ts";
import { onDatabase, type Session } from "./session.ts";

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
  linkSchemes?: string[];
  webhookSecretFile?: string;
  /** false: `--no-webhook-secret`. */
  webhookSecret?: boolean;
}

export function define(tenant: Command): void {
  settingFlags(tenant.command("create"))
    .description("Make a tenant; prints its API key, this once")
    .requiredOption("--name <name>", "its name, 1 to 255 characters")
    .option("--key-name <name>", "what people call its API key")
    .addHelpText(
      "after",
      `\nWithout flags: ${DEFAULT_PER_MINUTE} a minute, ${DEFAULT_DAILY_CAP} a day, all channels.`,
    )
    .action(
      onDatabase(async (session, flags: TenantFlags & { name: string; keyName?: string }) => {
        const { name, keyName } = flags;
        const input = { ...(await tenantInput(flags)), name, keyName };
        const keys = await keysFor(input, session);
        return await session.audited(
          (transaction) => createTenant(transaction, input, keys),
          tenantCreated,
        );
      }),
    );

  tenant
    .command("list")
    .description("All tenants, oldest first")
    .action(onDatabase((session) => listTenants(session.db)));

  tenant
    .command("show <id>")
    .description("One tenant with its live API keys (their prefixes and names)")
    .action(onDatabase((session, id: string) => showTenant(session.db, id)));

  settingFlags(tenant.command("update <id>"))
    .description("Change the given settings; applies within 5 s")
    .option("--name <name>", "its name, 1 to 255 characters")
    .option("--no-webhook-secret", "triggers need no signature any more")
    .action(
      onDatabase(async (session, id: string, flags: TenantFlags) => {
        const input = await tenantInput(flags);
        const keys = await keysFor(input, session);
        const { after } = await session.audited(
          async (transaction) => ({
            before: await showTenant(transaction, id),
            after: await updateTenant(transaction, id, input, keys),
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
      .action(
        onDatabase(async (session, id: string) => {
          const { after } = await session.audited(
            async (transaction) => ({
              before: await showTenant(transaction, id),
              after: await setTenantActive(transaction, id, active),
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
    .action(
      onDatabase(
        async (
          { audited },
          id: string,
          flags: { overlapSeconds?: number; name?: string; role?: KeyRole },
        ) => {
          const { overlapSeconds = DEFAULT_OVERLAP_SECONDS, name, role } = flags;
          return await audited(
            (transaction) => rotateApiKey(transaction, id, overlapSeconds, { name, role }),
            (after) => keyRotated(after, overlapSeconds),
          );
        },
      ),
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
    .action(
      onDatabase(
        async (
          session,
          id: string,
          flags: { webhookSecretFile: string; overlapSeconds?: number },
        ) => {
          const { webhookSecretFile, overlapSeconds = 0 } = flags;
          const webhookSecret = await readSecretInput("--webhook-secret-file", webhookSecretFile);
          const input = { webhookSecret, overlapSeconds };
          const keys = await session.keys();
          return await session.audited(
            (transaction) => rotateWebhookSecret(transaction, id, input, keys),
            webhookSecretCreated,
          );
        },
      ),
    );

  tenant
    .command("delete <id>")
    .description("Delete it with all that its events left, in small batches; cannot be undone")
    .action(onDatabase(({ db }, id: string) => deleteTenant(db, id, commandLineActor())));

  addKeyCommands(tenant);
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
      "--link-schemes <list|none>",
      "schemes of deep links that its mails may lead to, as myapp,shop",
      linkSchemesOrNone,
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
    linkSchemes: flags.linkSchemes,
    webhookSecret,
  };
}

function daysOf(flag: number | "default" | undefined): number | null | undefined {
  return flag === "default" ? null : flag;
}

async function keysFor(input: { webhookSecret?: string | null | undefined }, session: Session) {
  return typeof input.webhookSecret === "string" ? await session.keys() : undefined;
}
