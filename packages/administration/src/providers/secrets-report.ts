import { orNull } from "@belfry/contracts/fields";
import type { SecretKeys } from "@belfry/database/secrets";
import { type Static, Type } from "@sinclair/typebox";
import { SECRET_COLUMNS, type SecretColumn } from "./stored-secrets.ts";

const Counts = Type.Record(Type.String(), Type.Integer());

/** What a walk over all secrets at rest has done and found. */
export type SecretsReport = Static<typeof SecretsReport>;
export const SecretsReport = Type.Object({
  dryRun: Type.Boolean(),
  currentKid: Type.String({ description: "The first key: what every secret is to be under" }),
  reencrypted: Type.Integer({ description: "Rows that were changed" }),
  outdated: Type.Integer({
    description: "Readable ones still under another key: after a rotation, held all the time",
  }),
  inUse: Type.Record(Type.String(), Type.Integer(), {
    description: "Secrets by the key they are under, at the end",
  }),
  columns: Type.Record(Type.String(), Counts, {
    description: "The same by column, as `providers.settings`",
  }),
  retirable: Type.Array(Type.String(), {
    description: "Given keys that nothing is under any more: they may be removed",
  }),
  unreadable: Type.Array(
    Type.Object({
      owner: Type.String({ description: "As `provider:<tenant>:<id>`" }),
      kid: orNull(Type.String({ description: "null: what stands there is no secret of ours" })),
      reason: Type.String(),
    }),
    { description: "Secrets that no given key opens: useless until they are set anew" },
  ),
});
export const REPORT: SecretsReport = {
  dryRun: true,
  currentKid: "k2",
  reencrypted: 0,
  outdated: 1,
  inUse: { k1: 1 },
  columns: { "providers.settings": { k1: 1 } },
  retirable: [],
  unreadable: [],
};

/** Where a secret should be and something else is. */
const NO_KID = "(none)";

/** What one walk counts, column by column. */
export class SecretsTally {
  reencrypted = 0;
  outdated = 0;
  readonly unreadable: SecretsReport["unreadable"] = [];
  readonly #columns = new Map(SECRET_COLUMNS.map((column) => [column, new Map<string, number>()]));

  count(column: SecretColumn, kid: string | null): void {
    add(this.#columns.get(column) ?? new Map(), kid ?? NO_KID, 1);
  }

  report(keys: SecretKeys): Omit<SecretsReport, "dryRun"> {
    const { reencrypted, outdated, unreadable } = this;
    const inUse = new Map<string, number>();
    const columns: SecretsReport["columns"] = {};
    for (const [column, kids] of this.#columns) {
      columns[columnName(column)] = Object.fromEntries(kids);
      for (const [kid, secrets] of kids) add(inUse, kid, secrets);
    }
    const currentKid = keys.current.kid;
    const retirable = [...keys.byKid.keys()].filter((kid) => kid !== currentKid && !inUse.has(kid));
    return {
      ...{ currentKid, reencrypted, outdated },
      ...{ inUse: Object.fromEntries(inUse), columns, retirable, unreadable },
    };
  }
}

export function columnName({ table, column }: SecretColumn): string {
  return `${table}.${column}`;
}

function add(counts: Map<string, number>, kid: string, secrets: number): void {
  counts.set(kid, (counts.get(kid) ?? 0) + secrets);
}
