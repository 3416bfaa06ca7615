import type { SecretKeys } from "@belfry/database/secrets";
import { SECRET_COLUMNS, type SecretColumn } from "./stored-secrets.ts";

/** A secret that none of the given keys opens: nobody can use it until it is set anew. */
export interface UnreadableSecret {
  /** As in secret-owners.ts: `tenant:<id>`, `provider:<tenant>:<id>`, `totp:<person>`. */
  owner: string;
  /** null: what stands there is no secret of ours. */
  kid: string | null;
  reason: string;
}

/** What a walk over all secrets at rest has done and found. */
export interface SecretsReport {
  /** The first of the keys: what every secret is to be under. */
  currentKid: string;
  /** Rows that were changed. */
  reencrypted: number;
  /** Readable ones that are still under another key; after a rotation: somebody held them all the time. */
  outdated: number;
  /** Secrets by the key they are under, at the end. */
  inUse: Record<string, number>;
  /** The same by column, as `providers.settings`. */
  columns: Record<string, Record<string, number>>;
  /** Given keys that nothing is under any more: they may be removed. */
  retirable: string[];
  unreadable: UnreadableSecret[];
}

/** Where a secret should be and something else is. */
const NO_KID = "(none)";

/** What one walk counts, column by column. */
export class SecretsTally {
  reencrypted = 0;
  outdated = 0;
  readonly unreadable: UnreadableSecret[] = [];
  readonly #columns = new Map(SECRET_COLUMNS.map((column) => [column, new Map<string, number>()]));

  count(column: SecretColumn, kid: string | null): void {
    add(this.#columns.get(column) ?? new Map(), kid ?? NO_KID, 1);
  }

  report(keys: SecretKeys): SecretsReport {
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
