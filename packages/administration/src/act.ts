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

/**
 * Roles of people, lowest first. Each role has the rights of the roles before it. An act names the lowest allowed role.
 */
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

/** Access of acts that only read data of a tenant. */
export const LOOK: Access = { scope: "tenant", person: "viewer", key: "manage" };
/** Access of acts for editors and for a tenant's deployment pipeline. */
export const EDIT: Access = { scope: "tenant", person: "editor", key: "manage" };
/** Access of acts that send a message by hand, as editors may. A key that may only write templates may not send. */
export const SEND: Access = { scope: "tenant", person: "editor", key: "send" };
/** Access of acts that can let somebody read all of the tenant's mail. */
export const PROVISION: Access = { scope: "tenant", person: "owner", key: "provision" };
/** Access of acts on the platform, for operators only. */
export const OPERATE: Access = { scope: "platform", person: "operator" };

/**
 * How an act works with the database:
 * - `read` changes nothing;
 * - `change` runs in one transaction with its audit entry;
 * - `outside` calls another system, such as a vendor, which cannot be undone: it runs without a transaction;
 * - `steps` uses many transactions and writes its own audit entries.
 */
type Effect = "read" | "change" | "outside" | "steps";

interface Example<I extends TObject, O extends TSchema> {
  input: Static<I>;
  output: Static<O>;
}

/** The description of an act. The command line, the management API and the Admin UI derive from it. */
interface Description<I extends TObject, O extends TSchema> {
  /** Noun and verb, such as `category put`: the name of the command and the id of the operation. */
  name: string;
  /**
   * Method and path: relative to `/api/v1/manage`, or a full path that begins with `/api/`. Absent: the act is not
   * available over HTTP. Path parameters are input fields. The other fields are in the query of a GET or DELETE, and
   * otherwise in the body.
   */
  http?: string;
  /** Fields that are in a header in place of query or body, each with the header's name in lower case. */
  headers?: Readonly<Record<string, string>>;
  access: Access;
  /** Maximum size of a request's body in bytes; default: 1 MiB. */
  maxBodyBytes?: number;
  /** Set if the act changes what a bundle contains or what its mails show. A locked environment refuses such acts. */
  inBundle?: true;
  /**
   * Set if assistants may use the act as a tool. Never set if it outputs a secret, deletes data or changes live
   * settings.
   */
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
  /** `is` tells whether the work continues in the background after an output. HTTP then answers 202. */
  underWay?: { is(output: Static<O>): boolean; example: Static<O> };
  /**
   * Command-line names of fields that do not get the default option name: `--default <on|off>` for a choice of two
   * words, `--add <id...>` for a list of words, `<id>` or `[id]` for a positional argument, null for a field without an
   * option.
   */
  flags?: Readonly<Partial<Record<keyof I["properties"] & string, string | null>>>;
  /** Set if there is no command for the act, because another command includes it or only programs need it. */
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
  /** Set if the act changes the configuration that services read. All of them load the change within 5 s. */
  configures?: true;
  /**
   * Does slow work, such as compiling a template, before the transaction. Runs again if `run` throws `StaleCompilation`
   * because something else was saved in the meantime.
   */
  prepare?(context: ActContext, input: Static<I>): Promise<Prepared>;
  run(context: ActContext, input: Static<I>, prepared: Prepared): Promise<Result>;
  /**
   * Returns the notes for the audit log, or undefined if nothing changed. A note without a tenant gets the caller's. A
   * note with equal `before` and `after` is not written. Secrets are masked, so an old and a new secret look equal. If
   * a secret changes, `after` must have a field that says so.
   */
  audit?(input: Static<I>, result: Result): Note | readonly Note[] | undefined;
  /** Runs after the commit, for example to notify other processes. Best effort. */
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

/** A test notification in a user's inbox, as it is stored. */
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

/** Services that acts need, apart from the database. The command line, the API and the Admin UI bring their own. */
export interface ActServices {
  pool: Pool;
  keys(): Promise<SecretKeys>;
  /** Returns the public address of the Admin UI, without a / at the end. */
  adminUrl(): Promise<string>;
  /** Returns the public address of ingest-api for links in mails, without a / at the end. */
  publicUrl(): Promise<string>;
  /** Hands the id of an accepted event to the dispatcher. */
  publishEvent(id: string, traceId: string): Promise<void>;
  /** Sends a notification to the user's open browsers. */
  publishNotification(notification: TestNotification): Promise<void>;
  /** Notifies the user's open browsers that the preferences changed. */
  announcePreferences(owner: { tenantId: string; userId: string }): Promise<void> | void;
  /** Closes the user's open connections, or those of the whole tenant if `userId` is absent. */
  disconnect(owner: { tenantId: string; userId?: string }): Promise<void>;
  allowPrivateAddresses(): Promise<boolean>;
  allowPrivateWebhooks(): Promise<boolean>;
}

export interface ActContext {
  /** The database. In `run` of a change it is the transaction. */
  db: Database;
  /** `""` in acts of the platform. */
  tenantId: string;
  actor: Actor;
  services: ActServices;
  /** Whether the caller has this access. Acts call it for parts that need more rights than the act itself. */
  may(access: Access): boolean;
  /** Maximum to compile while the caller waits; a larger compilation runs in the background. Default: no limit. */
  compileAtOnce?: { templates: number; bytes: number };
  /** Aborted when nobody waits for the output any more. A read of many steps then stops before the next step. */
  signal?: AbortSignal;
}

/**
 * `compileAtOnce` for HTTP calls. A slow machine compiles this in about 20 s; clients and proxies wait up to a minute.
 */
export const COMPILED_AT_ONCE = { templates: 100, bytes: 1024 * 1024 };

export type Caller = ActContext;

/** The input as the command line, the API or the Admin UI passes it: an optional field may be undefined. */
export type Given<T> = { [K in keyof T]: T[K] | (undefined extends T[K] ? undefined : never) };

/**
 * Defines an act that changes something. `run` returns the output together with what `audit` and `after` need. It
 * throws `InvalidInput`, `NotFound`, `Conflict` or `TooLate`.
 */
export function defineAct<
  I extends TObject,
  O extends TSchema,
  Result extends { output: Static<O> },
  Prepared,
>(act: ActDefinition<I, O, Result, Prepared>): Act<I, O, Result, Prepared> {
  return { effect: "change", ...act };
}

/** Defines an act that changes nothing. `run` returns the output. It throws the same errors as in `defineAct`. */
export function defineRead<I extends TObject, O extends TSchema>(
  act: ReadDefinition<I, O>,
): Act<I, O, { output: Static<O> }, undefined> {
  const run = async (context: ActContext, input: Static<I>) => ({
    output: await act.run(context, input),
  });
  return { ...act, effect: "read", run };
}

/**
 * Creates a note for the audit log: the action, such as `category.create`, its target, and the values before and after.
 */
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
 * Runs an act; nothing else may run one. Checks the caller's access and the input, and writes the audit entry in the
 * transaction of the change. Throws `NotAllowed`, `InvalidInput` with all faults, including unknown fields, and the
 * errors of the act.
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
    const owner = { tenantId: tenantId === "" ? null : tenantId };
    for (const entry of [act.audit?.(input, result) ?? []].flat()) {
      if (entry.before && isDeepStrictEqual(entry.before, entry.after)) continue;
      await writeNote(to, actor, { ...owner, ...entry });
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
 * Whether the audit log leaves out this call. Backends send, cancel and set preferences all day. The log records only
 * what people do and what programs configure.
 */
export function isUnaudited({ key }: Access, { isProgram }: Actor): boolean {
  return isProgram === true && (key === "users" || key === "trigger");
}

/** A field whose value is one of a few words. */
export function choice<const T extends string>(words: readonly T[], description: string) {
  return field<T>({ type: "string", enum: [...words], description }, (value) =>
    words.includes(value as T) ? undefined : `must be ${listed(words, "or")}`,
  );
}

/** A field that may be left out. */
export function optional<T extends TSchema>(schema: T, description?: string) {
  return Type.Optional(description === undefined ? schema : { ...schema, description });
}
