import { faultsOf } from "@belfry/contracts/schema-faults";
import type { Database } from "@belfry/database/connection";
import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { insertAuditEntry } from "./audit-log.ts";
import type { Actor, AuditNote } from "./audited.ts";
import { InvalidInput } from "./input-error.ts";

/** The least that a person must be to run an act: each may do what those before may. */
export const PERSON_ROLES = ["viewer", "editor", "owner", "operator"] as const;
export type PersonRole = (typeof PERSON_ROLES)[number];

export interface Access {
  /** Whose data it is about. The tenant comes from the caller, never from the input. */
  scope: "tenant" | "platform";
  person: PersonRole;
  /** The role of an API key; absent: no key may. */
  key?: "read" | "manage" | "provision";
}

/**
 * One use case, defined once. The command line, the management API and the Admin UI derive from it.
 * `run` throws `InvalidInput`, `NotFound`, `Conflict` or `TooLate`.
 */
export interface Act<I extends TObject = TObject, O extends TSchema = TSchema, Result = unknown> {
  /** Noun and verb, as `category put`: the command, and the operation's id. */
  name: string;
  /** Method and path below `/api/v1/manage`. */
  http: string;
  access: Access;
  /** `read` changes nothing. `change` runs in one transaction with its audit entry. */
  effect: "read" | "change";
  /** One line: the command's help and the operation's title. */
  summary: string;
  description?: string;
  /** Each property is a field with its check: see `contracts/fields.ts`. */
  input: I;
  output: O;
  examples: readonly { input: Static<I>; output: Static<O> }[];
  /** How the command line names a field where the rule does not fit; `--flag <on|off>` takes two words. */
  flags?: Readonly<Partial<Record<keyof I["properties"] & string, string | null>>>;
  run(context: ActContext, input: Static<I>): Promise<Result & { output: Static<O> }>;
  /** What the audit log tells; undefined: nothing changed. Secrets are masked. */
  audit?(input: Static<I>, result: Result): Omit<AuditNote, "tenantId"> | undefined;
}

/** What `run` works with. */
export interface ActContext {
  /** In a change: its transaction. */
  db: Database;
  /** `""` in acts of the platform. */
  tenantId: string;
}

/** Who runs an act, through which door. */
export interface Caller extends ActContext {
  actor: Actor;
  may(access: Access): boolean;
}

/** The input as a door hands it over: what is not given may be undefined. */
export type Given<T> = { [K in keyof T]: T[K] | (undefined extends T[K] ? undefined : never) };

/** Keeps the types of an act's input, output and result together. */
export function defineAct<I extends TObject, O extends TSchema, Result>(
  act: Act<I, O, Result>,
): Act<I, O, Result> {
  return act;
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
 * transaction of the change. Throws `NotAllowed`, `InvalidInput` with every fault, and what `run` throws.
 */
export async function runAct<I extends TObject, O extends TSchema, Result>(
  act: Act<I, O, Result>,
  caller: Caller,
  given: Given<Static<I>>,
): Promise<Static<O>> {
  if (!caller.may(act.access)) throw new NotAllowed(act.name, act.access);
  const input = knownProperties(act.input, given);
  const faults = faultsOf(act.input, input, "input", "");
  if (faults.length > 0) throw new InvalidInput(faults);
  const { db, tenantId, actor } = caller;
  if (act.effect === "read") return (await act.run({ db, tenantId }, input)).output;
  return await db.transaction().execute(async (transaction) => {
    const result = await act.run({ db: transaction, tenantId }, input);
    const note = act.audit?.(input, result);
    if (note !== undefined) {
      const { before = null, after = null, ...what } = note;
      const of = { ...actor, tenantId: tenantId === "" ? null : tenantId, ...what };
      await insertAuditEntry(transaction, { ...of, before, after } as Parameters<
        typeof insertAuditEntry
      >[1]);
    }
    return result.output;
  });
}

/** Unknown properties are dropped, as everywhere in the API. */
function knownProperties<I extends TObject>(schema: I, given: object): Static<I> {
  const names = Object.keys(schema.properties);
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => value !== undefined && names.includes(name)),
  ) as Static<I>;
}
