import { type Act, type Caller, runAct } from "@belfry/administration/act";
import {
  disconnectMessage,
  disconnectTenantMessage,
} from "@belfry/administration/tenants/realtime-disconnect";
import { addressedMessage } from "@belfry/contracts/addressed-message";
import { encodeQueueMessage } from "@belfry/contracts/queue-message";
import { eventsSubject } from "@belfry/contracts/streams";
import { OptionalKind, type TSchema } from "@sinclair/typebox";
import { type Command, InvalidArgumentError, Option } from "commander";
import { CommandError } from "./command-error.ts";
import { commandLineActor } from "./command-line-actor.ts";
import { integerValue } from "./flag-values.ts";
import { publishIfPossible, publishOnce } from "./publish-once.ts";
import { onDatabase, type Session } from "./session.ts";

type Flags = Readonly<Record<string, unknown>>;

/** How one field of an act's input is given on the command line. */
interface Field {
  options: readonly Option[];
  /** undefined: it was not given. Throws `CommandError`. */
  value(flags: Flags): unknown;
}

/** The commands of a noun: one for each act that the module exports, in its order. */
export function actsOf(load: () => Promise<object>) {
  return async () => {
    const acts = Object.values(await load()).filter(isAct);
    return {
      define(noun: Command): void {
        for (const act of acts) defineCommand(noun, act);
      },
    };
  };
}

function isAct(value: unknown): value is Act {
  return typeof value === "object" && value !== null && "access" in value && "run" in value;
}

function defineCommand(noun: Command, act: Act): void {
  const { name, summary, description, access, input, flags: irregular = {} } = act;
  const command = noun.command(name.slice(name.indexOf(" ") + 1)).description(summary);
  if (description !== undefined) command.addHelpText("after", `\n${description}`);
  if (access.scope === "tenant") command.requiredOption("--tenant <id>", "the tenant's id");
  const fields = Object.entries(input.properties).flatMap(([field, schema]) =>
    irregular[field] === null
      ? []
      : [[field, fieldOf(schema, irregular[field] ?? regularFlag(field, schema))] as const],
  );
  for (const [, { options }] of fields) for (const option of options) command.addOption(option);
  command.action(
    onDatabase(async (session, flags: Flags) => {
      const given = Object.fromEntries(fields.map(([field, { value }]) => [field, value(flags)]));
      return await runAct(act, callerOf(session, flags), given);
    }),
  );
}

/** Whoever has the database may do everything. */
function callerOf({ db, pool, keys, ...session }: Session, { tenant = "" }: Flags): Caller {
  const disconnected = (owner: { tenantId: string; userId?: string }) => async (prefix: string) =>
    owner.userId === undefined
      ? await disconnectTenantMessage(db, owner.tenantId, prefix)
      : await disconnectMessage(db, { ...owner, userId: owner.userId }, prefix);
  return {
    ...{ db, tenantId: String(tenant), actor: commandLineActor(), may: () => true },
    services: {
      ...{ pool, keys },
      allowPrivateAddresses: session.allowPrivateAddresses,
      allowPrivateWebhooks: session.allowPrivateWebhooks,
      // Where NATS is away or not known, the dispatcher finds the event by itself, minutes later.
      publishEvent: (id, traceId) =>
        publishIfPossible(async (prefix) => ({
          subject: eventsSubject(prefix, "express"),
          message: encodeQueueMessage([{ id, traceId }]),
        })),
      publishNotification: (notification) =>
        publishIfPossible(async (prefix) => {
          const { testMessage } = await import("@belfry/administration/templates/push-test");
          return testMessage(prefix, notification);
        }),
      announcePreferences: ({ tenantId, userId }) =>
        publishIfPossible(async (prefix) =>
          addressedMessage(prefix, tenantId, { version: 1, kind: "preferences", userId }),
        ),
      disconnect: (owner) => publishOnce(disconnected(owner)),
    },
  };
}

/** `eventType` of text is `--event-type <type>`. */
function regularFlag(field: string, { type }: TSchema): string {
  const words = field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).split(" ");
  const flag = `--${words.join("-")}`;
  if (type === "boolean") return flag;
  if (type === "object") return `${flag} <text>`;
  return type === "integer" ? `${flag} <n>` : `${flag} <${words.at(-1)}>`;
}

function fieldOf(schema: TSchema, flags: string): Field {
  const { description = "", type } = schema;
  const isRequired = !(OptionalKind in schema);
  const option = new Option(flags, description);
  const named = option.attributeName();
  const [flag] = flags.split(" ");
  if (flags.endsWith("<on|off>")) option.argParser(onOrOff);
  if (type === "integer") option.argParser(integerValue);
  if (flags === flag) {
    const no = new Option(`--no-${flag.slice(2)}`, "the opposite");
    return { options: [option, no], value: (given) => given[named] };
  }
  if (Array.isArray(type) && type.includes("null")) {
    const no = `--no-${flag?.slice(2)}`;
    return {
      options: [option, new Option(no, "none")],
      value({ [named]: given }) {
        if (given === undefined && isRequired) {
          throw new CommandError(`${flag}: give ${flag}, or ${no}`);
        }
        return given === false ? null : given;
      },
    };
  }
  if (type === "object") {
    const inLanguage = new Option(
      `${flag}-in <locale=text>`,
      "the same in a language, as de=Angebote; again for more",
    ).argParser(textInLanguage);
    return {
      options: [option, inLanguage],
      value({ [named]: text, [inLanguage.attributeName()]: texts }) {
        return text === undefined ? texts : { ...(texts as object), "": text };
      },
    };
  }
  return { options: [option.makeOptionMandatory(isRequired)], value: (given) => given[named] };
}

function onOrOff(text: string): boolean {
  if (text !== "on" && text !== "off") throw new InvalidArgumentError("It must be on or off.");
  return text === "on";
}

function textInLanguage(text: string, before: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("It must be as de=Angebote.");
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}
