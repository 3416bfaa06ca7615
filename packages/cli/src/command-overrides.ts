import { basename } from "node:path";
import type { Act } from "@belfry/administration/act";
import type { ProviderAddress } from "@belfry/administration/providers/providers";
import type { SecretsReport } from "@belfry/administration/providers/rotate-secrets";
import { ADDRESSES } from "@belfry/contracts/addresses";
import type { ProviderChannel } from "@belfry/contracts/channels";
import { UUID } from "@belfry/contracts/identifiers";
import { WEBHOOK_TYPES } from "@belfry/contracts/webhook-payload";
import type { Command } from "commander";
import { CommandError } from "./command-error.ts";
import { BASE_URL } from "./environment.ts";
import { ANY_PROVIDER_CHANNEL, providerChannelValue } from "./flag-values.ts";
import { inputBytes, readBytes, readInput, readJsonInput, readSecretInput } from "./input-file.ts";
import { printJson } from "./output.ts";
import type { Session } from "./session.ts";

export type Flags = Readonly<Record<string, unknown>>;
export type Args = readonly (string | undefined)[];

/** Runs one act, on the database or by HTTP. */
export type Run = (input: Flags) => Promise<unknown>;

/** The parts of a command that do not follow from the fields of its act. */
export interface CommandOverride {
  /** The argument that names the tenant, such as `<id>`. It replaces `--tenant`. */
  tenant?: string;
  /** Fields whose values come from `input`. The other fields have their default flags. */
  fields?: readonly string[];
  /** Defines the command's own arguments and options. */
  define?(command: Command): unknown;
  /** Returns fields of the act's input, including `tenantId` if `define` adds its own option for the tenant. */
  input?(flags: Flags, session: Session, args: Args): Promise<Flags>;
  /** Returns the command's output without a database; undefined means that the command runs the act. */
  offline?(flags: Flags): Promise<unknown>;
  /** Returns the act to run if the flags select another one than the command's own. */
  act?(flags: Flags): Promise<Act | undefined>;
  /** Runs a command that consists of several acts. The result is printed. */
  run?(runOf: (act: Act) => Run, input: Flags, flags: Flags): Promise<unknown>;
  /**
   * For a change that is made in several calls: merges the next output into the sum. Called as long as an output has a
   * `next`.
   */
  added?(sum: never, part: never): unknown;
  /** Returns the value to print in place of the output; undefined prints nothing. */
  shown?(output: never, flags: Flags, args: Args, session: Session): unknown;
}

/** Overrides by the act's name. */
export type CommandOverrides = Readonly<Record<string, CommandOverride>>;

/** Help for each word between the noun and the verb. */
export const GROUPS: Readonly<Record<string, string>> = {
  "tenant key": "A tenant's API keys, one by one",
  "operator key": "Platform keys: for programs that do what an operator may",
  "template draft": "Texts that are not published yet",
  "sms inbound": "Answers that are no STOP or START",
  "user preference": "A single preference of a user",
};

const SIGNED = "holds the secret that every trigger must be signed with";
const TENANT = { tenant: "<id>" };
const TENANT_OF_KEY = { tenant: "<tenantId>" };
/** Adds the flag of commands that print a link. */
const LINK: CommandOverride = { define: (command) => void command.option(...BASE_URL) };

/** The flag that names a broadcast's users by a file. */
const USERS_FILE = [
  "--user-ids-file <file>",
  "a user id per line, in place of topics; - for standard input",
] as const;

async function usersOf(path: unknown): Promise<string[] | undefined> {
  if (path === undefined) return undefined;
  const lines = (await readInput("--user-ids-file", String(path))).split("\n");
  return lines.map((line) => line.trim()).filter((line) => line !== "");
}

/** Adds `--tenant` to commands that search all tenants if it is not given. */
const ANY_TENANT: CommandOverride = {
  define: (command) => void command.option("--tenant <id>", "look in one tenant only"),
};

/** Selects a provider account by its id alone, or by the flags. */
const PROVIDER: CommandOverride = {
  fields: ["id"],
  define: (command) =>
    void command
      .argument("[id]", "the account's id, as in the list")
      .option("--tenant <id>", "the tenant's id")
      .option("--channel <channel>", ANY_PROVIDER_CHANNEL, providerChannelValue)
      .option("--kind <kind>", "where the tenant has several on the channel")
      .option("--name <name>", "where it has several of one kind"),
  async input(flags, { db }, [given]) {
    const { providerAt } = await import("@belfry/administration/providers/providers");
    const { id, tenantId } = await providerAt(db, providerAddress(given, flags));
    return { id, tenantId };
  },
};

const untestedToo = (command: Command, verb: string) =>
  command.addHelpText(
    "after",
    `\nBy this command it is ${verb} even without a test: see provider test.`,
  );

/** Returns the file's bytes in base64. */
async function attachmentData(file: string): Promise<string> {
  const { MAX_ATTACHMENT_BYTES } = await import("@belfry/contracts/attachments");
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of inputBytes("FILE", file)) {
    bytes += part.length;
    if (bytes > MAX_ATTACHMENT_BYTES) throw new CommandError("FILE: is larger than 10 MiB");
    parts.push(part);
  }
  return Buffer.concat(parts).toString("base64");
}

const MAX_DEAD_NAMED = 100;

/** Selects dead letters by ids or by flags. One of them is required: without either, the command fails. */
const DEAD_LETTERS: CommandOverride = {
  fields: ["ids"],
  define(command) {
    ANY_TENANT.define?.(command);
    command
      .argument("[id...]")
      .option("--all", "of every tenant and class, unless other flags choose");
  },
  async input({ tenant, all, dryRun: _, ...filter }, _session, [given]) {
    const ids = given as unknown as string[];
    if (ids.length > 0) {
      if (all === true) throw new CommandError("ID: give IDs or a filter, not both");
      return { ids };
    }
    if (all !== true && tenant === undefined && Object.keys(filter).length === 0) {
      throw new CommandError("ID: say which: IDs, a filter such as --tenant or --class, or --all");
    }
    return {};
  },
  added: (sum: DeadPart, part: DeadPart) => ({
    ...part,
    count: sum.count + part.count,
    ids: [...sum.ids, ...part.ids].slice(0, MAX_DEAD_NAMED),
    refused: sum.refused,
  }),
};

interface DeadPart {
  count: number;
  ids: string[];
  refused: unknown[];
}

const SUPPRESSED: CommandOverride = {
  fields: ["addresses"],
  define: (command) =>
    command
      .option(
        "--address <address>",
        Object.values(ADDRESSES)
          .map(({ form }) => form)
          .join(", or "),
      )
      .option("--address-file <file>", "one address a line, or - for standard input"),
  async input({ address, addressFile }) {
    if ((address === undefined) === (addressFile === undefined)) {
      throw new CommandError("--address: give --address or --address-file");
    }
    if (address !== undefined) return { addresses: [String(address)] };
    const text = await readInput("--address-file", String(addressFile));
    const lines = text.split("\n").map((line) => line.trim());
    return { addresses: lines.filter((line) => line !== "") };
  },
};

export const COMMAND_OVERRIDES: CommandOverrides = {
  "broadcast create": {
    fields: ["userIds", "variables"],
    define: (command) =>
      void command
        .option(...USERS_FILE)
        .option("--variables-file <file>", "a JSON object for everybody; - for standard input"),
    input: async ({ userIdsFile, variablesFile: path }) => ({
      userIds: await usersOf(userIdsFile),
      variables:
        path === undefined ? undefined : await readJsonInput("--variables-file", String(path)),
    }),
  },
  "broadcast estimate": {
    fields: ["userIds"],
    define: (command) => void command.option(...USERS_FILE),
    input: async ({ userIdsFile }) => ({ userIds: await usersOf(userIdsFile) }),
  },
  "user put": {
    fields: ["attributes"],
    define: (command) =>
      void command.option(
        "--attributes-file <file>",
        "a JSON object that templates read as user; - for standard input",
      ),
    input: async ({ attributesFile: path }) => ({
      attributes:
        path === undefined ? undefined : await readJsonInput("--attributes-file", String(path)),
    }),
  },
  "tenant create": secretFile(SIGNED),
  "tenant update": secretFile(SIGNED, { removable: true }),
  "tenant rotate-key": TENANT,
  "tenant rotate-webhook-secret": {
    ...TENANT,
    ...secretFile("holds the new secret; default: one is made, and printed this once"),
  },
  "tenant remove-webhook-secret": TENANT,
  "tenant key create": TENANT_OF_KEY,
  "tenant key list": TENANT_OF_KEY,
  "tenant key revoke": TENANT_OF_KEY,
  "member invite": LINK,
  "member reset-link": LINK,
  "operator reset-link": LINK,
  "operator invite": {
    ...LINK,
    async input({ email }, { db }) {
      const { listOperators } = await import("@belfry/administration/people/person-rows");
      if (email !== undefined || (await listOperators(db)).length === 0) return {};
      throw new CommandError("--email: say whom, as there is an operator already");
    },
  },
  "audit list": {
    async input({ before }) {
      if (before === undefined || UUID.test(String(before))) return {};
      throw new CommandError("--before: must be the next of a page");
    },
  },
  "image upload": {
    fields: ["name", "data"],
    define: (command) =>
      void command
        .requiredOption("--file <file>", "PNG, JPEG, GIF or WebP; - for standard input")
        .option("--name <name>", "the name by which people find it; default: the file's"),
    async input({ file, name }) {
      const bytes = await readBytes("--file", String(file));
      return { name: name ?? basename(String(file)), data: Buffer.from(bytes).toString("base64") };
    },
  },
  "attachment upload": {
    fields: ["name", "type", "data"],
    define: (command) =>
      void command
        .argument("<file>", "up to 10 MiB; - for standard input")
        .requiredOption("--type <type>", "its content type, as application/pdf")
        .option("--name <name>", "as its reader sees it; default: the file's"),
    async input({ type, name }, _session, [file = ""]) {
      const data = await attachmentData(file);
      return { name: name ?? basename(file), type, data };
    },
  },
  "provider put": {
    fields: ["active", "untested"],
    define: (command) =>
      void untestedToo(command, "used").option("--inactive", "store without using it"),
    input: async ({ inactive }) => ({ active: inactive !== true, untested: true }),
  },
  "provider show": PROVIDER,
  "provider rename": PROVIDER,
  "provider test": PROVIDER,
  "provider delete": PROVIDER,
  "provider activate": {
    fields: ["id", "untested"],
    define: (command) => void PROVIDER.define?.(untestedToo(command, "activated")),
    input: async (...given) => ({ ...(await PROVIDER.input?.(...given)), untested: true }),
  },
  "provider deactivate": PROVIDER,
  "provider make-first": PROVIDER,
  "provider move-up": PROVIDER,
  "event show": ANY_TENANT,
  "event search": ANY_TENANT,
  "event cancel": {
    async input({ cancelKey, eventId }) {
      if ((cancelKey === undefined) === (eventId === undefined)) {
        throw new CommandError("--cancel-key: give either --cancel-key or --event-id");
      }
      return {};
    },
  },
  "event move": {
    fields: ["sendAt"],
    define(command) {
      const form = "ISO 8601 with an offset, as 2026-11-20T09:30:00+01:00";
      command.requiredOption("--send-at <time>", form);
    },
    input: async ({ sendAt }) => ({ sendAt }),
  },
  // With access to the database, a message's id is enough to find its tenant.
  "outbox show": {
    define: (command) => command.option("--tenant <id>", "the tenant's id"),
    async input({ tenant }, { db }, [id = ""]) {
      const { tenantOfMessage } = await import("@belfry/administration/events/outbox");
      return { tenantId: tenant ?? (await tenantOfMessage(db, id)) };
    },
  },
  "dead list": ANY_TENANT,
  "dead show": ANY_TENANT,
  "dead replay": DEAD_LETTERS,
  "dead discard": DEAD_LETTERS,
  "suppression add": SUPPRESSED,
  "suppression remove": SUPPRESSED,
  "topic change": {
    async input({ add, remove }) {
      if (add !== undefined || remove !== undefined) return {};
      throw new CommandError("--add: give --add, or --remove");
    },
  },
  "webhook put": {
    fields: ["url"],
    define: (command) =>
      void command
        .option("--url <url>", "https, at a public host; with --webhook: its new URL")
        .option("--webhook <id>", "change this one, whatever its URL is")
        .addHelpText("after", `\nTypes: ${WEBHOOK_TYPES.join(", ")}.`),
    async act({ webhook }) {
      if (webhook === undefined) return undefined;
      return (await import("@belfry/administration/webhooks/webhooks")).changeWebhook;
    },
    async input({ url, webhook }) {
      if (url === undefined && webhook === undefined) {
        throw new CommandError("--url: give --url, or --webhook and what is to change");
      }
      return { url, webhookId: webhook };
    },
  },
  "webhook replay": {
    fields: ["since", "until"],
    // Replaces the default flags, which also accept a relative time such as 24h: a replay names exact times.
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
      const { firstTryOf } = await import("@belfry/administration/webhooks/send-webhook-message");
      const of = { tenantId: String(flags.tenant), webhookId: String(flags.webhook) };
      // null if the attempt did not end within 20 s, for example because webhook-sender is not running.
      return { ...told, attempt: (await firstTryOf(db, { ...of, ...told })) ?? null };
    },
  },
  "secrets rotate": {
    /** Prints the report and fails if a secret could not be re-encrypted. */
    async shown(report: SecretsReport) {
      const { dryRun, outdated, unreadable } = report;
      const faults = unreadable.map(({ owner, reason }) => `${owner}: ${reason}`);
      if (outdated > 0 && !dryRun) {
        faults.push(`${outdated} were being changed all the time: rotate again`);
      }
      if (faults.length === 0) return report;
      await printJson(report);
      throw new CommandError(`not every secret could be re-encrypted\n${faults.join("\n")}`);
    },
  },
};

/** Returns an override that reads a secret from a file, because the list of processes shows the values of flags. */
function secretFile(description: string, { removable = false } = {}): CommandOverride {
  return {
    fields: ["webhookSecret"],
    define(command) {
      command.option("--webhook-secret-file <file>", `${description}, or - for standard input`);
      if (!removable) return;
      command.option("--no-webhook-secret", "triggers need no signature any more");
    },
    async input({ webhookSecretFile: file, webhookSecret }) {
      if (typeof file !== "string") return webhookSecret === false ? { webhookSecret: null } : {};
      return { webhookSecret: await readSecretInput("--webhook-secret-file", file) };
    },
  };
}

function providerAddress(id: string | undefined, flags: Flags): ProviderAddress {
  const { tenant, channel, kind, name } = flags as {
    tenant?: string;
    channel?: ProviderChannel;
    kind?: string;
    name?: string;
  };
  if (id !== undefined) return { id, ...(tenant === undefined ? {} : { tenantId: tenant }) };
  if (tenant === undefined) throw new CommandError("--tenant is required (or the provider's ID)");
  if (channel === undefined) throw new CommandError("--channel is required");
  return { tenantId: tenant, channel, kind, name };
}
