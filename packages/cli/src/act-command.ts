import { type Act, runAct } from "@belfry/administration/act";
import { httpOf } from "@belfry/administration/act-http";
import { actsOfNoun, type NOUNS } from "@belfry/administration/acts";
import { OptionalKind, type TSchema } from "@sinclair/typebox";
import { type Command, InvalidArgumentError, Option } from "commander";
import { NO_SESSION, runByApi } from "./api-call.ts";
import { CommandError, flagOf } from "./command-error.ts";
import {
  type Args,
  COMMAND_OVERRIDES,
  type CommandOverride,
  type CommandOverrides,
  type Flags,
  GROUPS,
  type Run,
} from "./command-overrides.ts";
import { readEnvironment } from "./environment.ts";
import {
  integerOrNone,
  integerOrWord,
  integerValue,
  quietHoursValue,
  timeValue,
} from "./flag-values.ts";
import { inputBytes, readJsonInput, readSecretInput } from "./input-file.ts";
import { printJson, printJsonPages } from "./output.ts";
import { callerOf, onDatabase, type Session } from "./session.ts";

/** How the command line gets the value of one input field of an act. */
interface Field {
  options: readonly Option[];
  /** Returns the field's value or a promise of it; undefined if it was not given. Throws `CommandError`. */
  value(flags: Flags, args: Args): unknown;
}

/** Loads the acts of a noun and returns the definition of their commands, one for each act. */
export async function actCommands(
  noun: (typeof NOUNS)[keyof typeof NOUNS],
  overrides: CommandOverrides = COMMAND_OVERRIDES,
) {
  const acts = (await actsOfNoun(noun)).filter(({ command }) => command !== false);
  return {
    define(command: Command): void {
      for (const act of acts) {
        const [, ...words] = act.name.split(" ");
        const verb = words.pop() ?? "";
        const parent = words.reduce(groupOf, command);
        defineCommand(parent.command(verb), act, overrides[act.name] ?? {});
      }
    },
  };
}

function groupOf(parent: Command, word: string): Command {
  const known = parent.commands.find((command) => command.name() === word);
  return known ?? parent.command(word).description(GROUPS[`${parent.name()} ${word}`] ?? "");
}

function defineCommand(command: Command, act: Act, own: CommandOverride): void {
  const { summary, description, access, input, flags: irregular = {} } = act;
  command.description(summary);
  if (description !== undefined) command.addHelpText("after", `\n${description}`);
  own.define?.(command);
  const environment = readEnvironment();
  const tenantOf = () => command.options.find(({ long }) => long === "--tenant");
  if (own.tenant !== undefined) command.argument(own.tenant, "the tenant's id");
  else if (access.scope === "tenant" && tenantOf() === undefined) {
    command.requiredOption("--tenant <id>", "the tenant's id");
  }
  const isCallable = access.key !== undefined || access.person === "operator";
  const http = isCallable ? httpOf(act) : undefined;
  const isTenantInPath = http?.params.includes("tenantId") === true;
  if (http !== undefined) {
    command.option("--api <url>", "by HTTP, with BELFRY_API_KEY", environment.apiUrl);
    // The API key determines the tenant, so --tenant is required only if the path contains it.
    const isByApi = () => tenantOf()?.makeOptionMandatory(isTenantInPath);
    command.on("option:api", isByApi);
    if (environment.apiUrl !== undefined) isByApi();
  }
  const fields: [name: string, Field][] = [];
  for (const [name, schema] of Object.entries(input.properties)) {
    const flag = irregular[name] ?? (irregular[name] === null ? null : regularFlag(name, schema));
    if (flag === null || own.fields?.includes(name) || (act.pages && name === "after")) continue;
    const field = flag.startsWith("-")
      ? fieldOf(
          act.pages && name === "limit" ? { ...schema, description: "at most so many" } : schema,
          flag,
        )
      : argumentOf(command, flag, schema.description);
    for (const option of field.options) command.addOption(option);
    fields.push([name, field]);
  }
  const work =
    (flags: Flags, args: Args, byApi?: (act: Act) => Run) =>
    async (session: Session): Promise<unknown> => {
      const tenant = own.tenant === undefined ? flags.tenant : args[0];
      const { tenantId = tenant, ...ownInput } = (await own.input?.(flags, session, args)) ?? {};
      const regular: Record<string, unknown> = {};
      for (const [name, { value }] of fields) regular[name] = await value(flags, args);
      const runOf = (one: Act): Run =>
        byApi?.(one) ??
        ((input) => runAct(one, callerOf(session, String(tenantId ?? ""), flags), input as never));
      const run = runOf((await own.act?.(flags)) ?? act);
      const whole = { ...regular, ...ownInput };
      if (own.run !== undefined) return await own.run(runOf, whole, flags);
      if (act.pages) return void (await printJsonPages(pagesOf(act, run, whole)));
      let output = await run(whole);
      for (let part = output as Partial<Flags>; own.added && part.next !== undefined; ) {
        part = (await run({ ...whole, after: part.next })) as Partial<Flags>;
        output = own.added(output as never, part as never);
      }
      return own.shown === undefined
        ? output
        : await own.shown(output as never, flags, args, session);
    };
  command.action(async (...given: unknown[]) => {
    const flags = given.at(-2) as Flags & { api?: string; tenant?: string };
    const args = given.slice(0, -2) as Args;
    const offline = await own.offline?.(flags);
    if (offline !== undefined) return await printJson(offline);
    const { api } = flags;
    if (http === undefined || api === undefined) return await onDatabase(work(flags, args));
    if (flags.tenant !== undefined && !isTenantInPath) {
      throw new CommandError("--tenant: leave it out with --api: the key says the tenant");
    }
    const byApi = (asked: Act) => (input: Flags) =>
      runByApi(api, environment, asked, httpOf(asked) ?? http, {
        ...input,
        tenantId: flags.tenant,
      });
    // Overrides that require a tenant get an empty one: the path or the API key determines it.
    const result = await work({ ...flags, tenant: "" }, args, byApi)(NO_SESSION);
    if (result !== undefined) await printJson(result);
  });
}

/** Reads a list page by page, up to the given limit. */
async function* pagesOf(act: Act, run: Run, given: Flags): AsyncGenerator<unknown[]> {
  const most = Number(act.input.properties.limit?.maximum);
  let left = given.limit === undefined ? Number.POSITIVE_INFINITY : Number(given.limit);
  let after: string | undefined;
  do {
    const input = { ...given, limit: Math.min(left, most), after };
    const page = (await run(input)) as { items: unknown[]; next?: string };
    yield page.items;
    left -= page.items.length;
    after = page.next;
  } while (after !== undefined && left > 0);
}

/** Returns the default flag of a field: `eventType` becomes `--event-type <type>`, `userId` becomes `--user <id>`. */
function regularFlag(field: string, { writeOnly, ...schema }: TSchema): string {
  const type = [schema.type].flat()[0];
  const flag = flagOf(field);
  if (field.endsWith("Id")) return `${flag} <id>`;
  if (writeOnly) return `${flag}-file <file>`;
  if (type === "boolean") return flag;
  if (type === "object") return `${flag} <text>`;
  return type === "integer" ? `${flag} <n>` : `${flag} <${flag.split("-").at(-1)}>`;
}

function argumentOf(command: Command, spec: string, description = ""): Field {
  const at = command.registeredArguments.length;
  command.argument(spec, description);
  return { options: [], value: (_, args) => args[at] };
}

function fieldOf(schema: TSchema, flags: string): Field {
  const { type, writeOnly } = schema;
  const kinds = (schema.anyOf ?? [schema]) as TSchema[];
  const types = kinds.flatMap((kind) => kind.type ?? []);
  const description = schema.description ?? kinds[0]?.description ?? "";
  const isRequired = !(OptionalKind in schema);
  const option = new Option(flags, description);
  const named = option.attributeName();
  const [flag, spec = ""] = flags.split(" ");
  // In `<n|none>` the word means null, in `<list|all>` it means an empty list.
  const [, kind = "", word] = /^<(.+)\|(\w+)>$/.exec(spec) ?? [];
  if (word !== undefined && kind !== "on") {
    const none = type === "array" ? [] : null;
    const parse = VALUES[kind] ?? (types.includes("array") ? namesValue : undefined);
    if (parse) option.argParser((text) => (text === word ? text : parse(text, word)));
    return {
      options: [option.makeOptionMandatory(isRequired)],
      value: ({ [named]: given }) => (given === word ? none : given),
    };
  }
  if (schema.contentMediaType !== undefined) {
    option.description += "; - for standard input";
    return {
      options: [option.makeOptionMandatory(isRequired)],
      value: ({ [named]: path }) =>
        path === undefined ? undefined : inputBytes(`${flag}`, String(path)),
    };
  }
  if (writeOnly) {
    const read = type === "object" ? readJsonInput : readSecretInput;
    option.description = `${description}; - for standard input`;
    return {
      options: [option.makeOptionMandatory(isRequired)],
      value: async ({ [named]: path }) =>
        path === undefined ? undefined : await read(String(flag), String(path)),
    };
  }
  if (flags.endsWith("<on|off>")) option.argParser((text) => onOrOff(text));
  if (types.includes("integer")) option.argParser(integerValue);
  if (types.includes("array") && !option.variadic) option.argParser(namesValue);
  if (schema.enum !== undefined) option.choices(schema.enum);
  if (schema.format === "date-time") {
    option.argParser((text) => timeValue(text).toISOString());
  }
  if (flags === flag) {
    const no = new Option(`--no-${flag.slice(2)}`, "the opposite");
    return { options: [option, no], value: (given) => given[named] };
  }
  if (types.includes("null")) {
    const isInteger = types.includes("integer");
    if (isInteger) option.argParser(integerOrNone);
    const no = `--no-${flag?.slice(2)}`;
    return {
      options: [option, new Option(no, "none")],
      value({ [named]: given }) {
        if (given === undefined && isRequired) {
          throw new CommandError(`${flag}: give ${flag}, or ${no}`);
        }
        return given === false || (isInteger && given === "none") ? null : given;
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

/** Parses `a,b`. An empty text gives an empty list. */
function namesValue(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  return names.filter((name) => name !== "");
}

/** Parsers of values by the placeholder, such as `n` in `<n|none>`. Other values remain texts. */
const VALUES: Readonly<Record<string, (text: string, word: string) => unknown>> = {
  n: integerOrWord,
  "from-to": quietHoursValue,
  "on|off": (text, word) => onOrOff(text, `on, off or ${word}`),
};

function onOrOff(text: string, words = "on or off"): boolean {
  if (text !== "on" && text !== "off") throw new InvalidArgumentError(`It must be ${words}.`);
  return text === "on";
}

function textInLanguage(text: string, before: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("It must be as de=Angebote.");
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}
