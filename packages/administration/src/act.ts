import { isDeepStrictEqual } from "node:util";
import { listed } from "@belfry/contracts/channels";
import { field } from "@belfry/contracts/fields";
import type { KeyNeed } from "@belfry/contracts/key-roles";
import { faultsOf } from "@belfry/contracts/problems";
import { bumpConfigurationVersion } from "@belfry/database/configuration-version";
import type { Database, Pool } from "@belfry/database/connection";
import type { SecretKeys } from "@belfry/database/secrets";
import { type Static, type TObject, type TSchema, Type } from "@sinclair/typebox";
import { type Actor, type AuditNote, writeNote } from "./audited.ts";
import { InvalidInput, preparedAndSaved } from "./input-error.ts";
import { refuseLocked } from "./tenants/tenant-rows.ts";

/** The least that a person must be to run an act: each may do what those before may. */
export const PERSON_ROLES = ["viewer", "editor", "owner", "operator"] as const;
type PersonRole = (typeof PERSON_ROLES)[number];

export interface Access {
  /**
   * The owner of the data. A tenant comes from the caller, never from the input. A platform act on one tenant has the
   * tenant's `id` in its input.
   */
  scope: "tenant" | "platform";
  person: PersonRole;
  /** The access that an API key needs: see `KEYS_THAT_MAY`. Absent: no key may run it. */
  key?: KeyNeed;
}

/** Looking things up in a tenant. */
export const LOOK: Access = { scope: "tenant", person: "viewer", key: "manage" };
/** Acts of an editor, and of a tenant's pipeline. */
export const EDIT: Access = { scope: "tenant", person: "editor", key: "manage" };
/** Sends a message by hand, as an editor may. A key that only writes templates sends nothing. */
export const SEND: Access = { scope: "tenant", person: "editor", key: "send" };
/** Acts that give access to all mail of the tenant. */
export const PROVISION: Access = { scope: "tenant", person: "owner", key: "provision" };
/** Acts of the platform, for operators only. */
export const OPERATE: Access = { scope: "platform", person: "operator" };

/**
 * - `read` changes nothing;
 * - `change` runs in one transaction with its audit entry;
 * - `outside` reaches somebody else, such as a vendor, and cannot be taken back: no transaction is held meanwhile;
 * - `steps` takes many transactions, and writes its own audit entries.
 */
type Effect = "read" | "change" | "outside" | "steps";

interface Example<I extends TObject, O extends TSchema> {
  input: Static<I>;
  output: Static<O>;
}

/** The description of an act. The command line, the management API and the Admin UI derive from it. */
interface Description<I extends TObject, O extends TSchema> {
  /** Noun and verb, as `category put`: the command, and the operation's id. */
  name: string;
  /**
   * Method and path below `/api/v1/manage`, or a whole path that begins with `/api/v1/`; absent: no HTTP API has it.
   * The path's parameters are fields. The others are the query of a GET or DELETE, and else the body.
   */
  http?: string;
  /** Fields that are in a header in place of query or body, each with the header's name in lower case. */
  headers?: Readonly<Record<string, string>>;
  access: Access;
  /** Most bytes of a request's body; default: 1 MiB. */
  maxBodyBytes?: number;
  /** Changes what a bundle holds, or what its mails show: a locked environment refuses it. */
  inBundle?: true;
  /** A tool for assistants. Never of an act whose output has a secret, that deletes, or changes what is in force. */
  tool?: true;
  /** One line: the command's help and the operation's title. */
  summary: string;
  description?: string;
  /** Each property is a field with its check: see `contracts/fields.ts`. */
  input: I;
  /** The output. A paged list has `pageOf(Item)`, and `pageFields` in its input. */
  output: O;
  pages?: true;
  example?: Example<I, O>;
  /** Tells of which outputs the work goes on in the background: HTTP answers 202 with them. */
  underWay?: { is(output: Static<O>): boolean; example: Static<O> };
  /**
   * How the command line names a field where the rule does not fit: `--default <on|off>` for a switch of two
   * words, `<id>` or `[id]` for an argument, null for none.
   */
  flags?: Readonly<Partial<Record<keyof I["properties"] & string, string | null>>>;
  /** The command line has none: another command leads there, or only programs need it. */
  command?: false;
}

interface ReadDefinition<I extends TObject, O extends TSchema> extends Description<I, O> {
  run(context: ActContext, input: Static<I>): Promise<Static<O>> | Static<O>;
}

interface ActDefinition<
  I extends TObject,
  O extends TSchema,
  Result extends { output: Static<O> },
  Prepared,
> extends Description<I, O> {
  /** Default: `change`. */
  effect?: Effect;
  /** It changes what services read as configuration: all of them see it within 5 s. */
  configures?: true;
  /**
   * Before the transaction, and again where something else was saved in between (`StaleCompilation`): what takes
   * long, such as compiling a template.
   */
  prepare?(context: ActContext, input: Static<I>): Promise<Prepared>;
  run(context: ActContext, input: Static<I>, prepared: Prepared): Promise<Result>;
  /**
   * Returns the notes for the audit log, in the caller's tenant where a note names no other; undefined: nothing changed. A
   * note whose `before` and `after` are equal is not written either. Secrets are masked, so `after` has to name a new one.
   */
  audit?(input: Static<I>, result: Result): Note | readonly Note[] | undefined;
  /** Once the change is committed: a hint to others. Best effort. */
  after?(context: ActContext, input: Static<I>, result: Result): Promise<void> | void;
}

/** One use case, defined once: see `defineAct` and `defineRead`. */
export interface Act<
  I extends TObject = TObject,
  O extends TSchema = TSchema,
  // biome-ignore lint/suspicious/noExplicitAny: an act of any result
  Result extends { output: Static<O> } = any,
  // biome-ignore lint/suspicious/noExplicitAny: the same
  Prepared = any,
> extends ActDefinition<I, O, Result, Prepared> {
  effect: Effect;
}

export type Note = Omit<AuditNote, "tenantId"> & Partial<Pick<AuditNote, "tenantId">>;

/** A test in a user's inbox, as it is stored. */
export interface TestNotification {
  id: string;
  tenantId: string;
  userId: string;
  eventType: string;
  /** Begins with `Test: `. */
  title: string;
  body: string;
  channelName: string;
  offset: number;
  createdAt: Date;
  url: string | null;
  /** JSON. */
  actions: string | null;
}

/** Services that acts need beside the database. The command line, the API and the Admin UI each bring their own. */
export interface ActServices {
  pool: Pool;
  keys(): Promise<SecretKeys>;
  /** Returns the public address of the Admin UI, without a / at the end. */
  adminUrl(): Promise<string>;
  /** Returns the public address of ingest-api for links in mails, without a / at the end. */
  publicUrl(): Promise<string>;
  /** Hands the id of an accepted event to the dispatcher. */
  publishEvent(id: string, traceId: string): Promise<void>;
  /** To the user's open browsers. */
  publishNotification(notification: TestNotification): Promise<void>;
  /** Tells the user's open browsers that the preferences changed. */
  announcePreferences(owner: { tenantId: string; userId: string }): Promise<void> | void;
  /** Closes the user's open connections; without a user those of the whole tenant. */
  disconnect(owner: { tenantId: string; userId?: string }): Promise<void>;
  allowPrivateAddresses(): Promise<boolean>;
  allowPrivateWebhooks(): Promise<boolean>;
}

export interface ActContext {
  /** In a change: its transaction. */
  db: Database;
  /** `""` in acts of the platform. */
  tenantId: string;
  actor: Actor;
  services: ActServices;
  /** Whether the caller has an access, for an act with a part that fewer people may run. */
  may(access: Access): boolean;
  /** The most to compile while the caller waits; more is compiled in the background. Default: no bound. */
  compileAtOnce?: { templates: number; bytes: number };
  /** Aborted when nobody waits for the output any more. A read of many steps begins no further one then. */
  signal?: AbortSignal;
}

/** Bounds for callers by HTTP. It takes a slow machine some 20 s, and clients and proxies wait a minute at most. */
export const COMPILED_AT_ONCE = { templates: 100, bytes: 1024 * 1024 };

/** The caller of an act. */
export type Caller = ActContext;

/** The input as a door hands it over: what is not given may be undefined. */
export type Given<T> = { [K in keyof T]: T[K] | (undefined extends T[K] ? undefined : never) };

/**
 * An act that changes something. `run` returns the output, and beside it what `audit` and `after` need. It throws
 * `InvalidInput`, `NotFound`, `Conflict` or `TooLate`.
 */
export function defineAct<
  I extends TObject,
  O extends TSchema,
  Result extends { output: Static<O> },
  Prepared,
>(act: ActDefinition<I, O, Result, Prepared>): Act<I, O, Result, Prepared> {
  return { effect: "change", ...act };
}

/** An act that changes nothing. `run` returns the output, and throws as that of `defineAct` does. */
export function defineRead<I extends TObject, O extends TSchema>(
  act: ReadDefinition<I, O>,
): Act<I, O, { output: Static<O> }, undefined> {
  const run = async (context: ActContext, input: Static<I>) => ({
    output: await act.run(context, input),
  });
  return { ...act, effect: "read", run };
}

/** An entry of the audit log: what was done, as `category.create`, to what, and how it was before and after. */
export function note(
  action: string,
  target: string,
  more: Omit<Note, "action" | "target"> = {},
): Note {
  return { action, target, ...more };
}

/** The caller's role does not allow the act. */
export class NotAllowed extends Error {
  override readonly name = "NotAllowed";
  readonly access: Access;

  constructor(act: string, access: Access) {
    super(`${act} is not allowed`);
    this.access = access;
  }
}

/**
 * The only way to run an act: judges the caller, checks the input, and writes the audit entry in the
 * transaction of the change. Throws `NotAllowed`, `InvalidInput` with every fault, unknown fields included, and what the
 * act throws.
 */
export async function runAct<I extends TObject, O extends TSchema>(
  act: Act<I, O>,
  caller: Caller,
  given: Given<Static<I>>,
): Promise<Static<O>> {
  return (await resultOfAct(act, caller, given)).output;
}

/** Like `runAct`, but returns the act's whole result. */
export async function resultOfAct<
  I extends TObject,
  O extends TSchema,
  Result extends { output: Static<O> },
>(act: Act<I, O, Result>, caller: Caller, given: Given<Static<I>>): Promise<Result> {
  if (!caller.may(act.access)) throw new NotAllowed(act.name, act.access);
  const input = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as Static<I>;
  const faults = faultsOf(act.input, input, "input", "");
  if (faults.length > 0) throw new InvalidInput(faults);
  const { db, tenantId, actor } = caller;
  const writeNotes = async (to: Database, result: Result) => {
    if (isUnaudited(act.access, actor)) return;
    const of = { tenantId: tenantId === "" ? null : tenantId };
    for (const told of [act.audit?.(input, result) ?? []].flat()) {
      if (told.before && isDeepStrictEqual(told.before, told.after)) continue;
      await writeNote(to, actor, { ...of, ...told });
    }
  };
  const result = await preparedAndSaved(
    async () => await act.prepare?.(caller, input),
    async (prepared) => {
      if (act.effect !== "change") {
        const done = await act.run(caller, input, prepared);
        if (act.effect === "outside") await writeNotes(db, done);
        return done;
      }
      return await db.transaction().execute(async (transaction) => {
        if (act.inBundle) await refuseLocked(transaction, tenantId);
        const done = await act.run({ ...caller, db: transaction }, input, prepared);
        if (act.configures) await bumpConfigurationVersion(transaction);
        await writeNotes(transaction, done);
        return done;
      });
    },
  );
  await act.after?.(caller, input, result);
  return result;
}

/**
 * A backend says all day what its users want, and sends and cancels. The log is about people, and about what programs
 * configure.
 */
export function isUnaudited({ key }: Access, { isProgram }: Actor): boolean {
  return isProgram === true && (key === "users" || key === "trigger");
}

/** One of a few words. */
export function choice<const T extends string>(words: readonly T[], description: string) {
  return field<T>({ type: "string", enum: [...words], description }, (value) =>
    words.includes(value as T) ? undefined : `must be ${listed(words, "or")}`,
  );
}

/** A field that may be left out. */
export function optional<T extends TSchema>(schema: T, description?: string) {
  return Type.Optional(description === undefined ? schema : { ...schema, description });
}
