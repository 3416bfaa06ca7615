import { setTimeout as sleep } from "node:timers/promises";
import { flag, orNull } from "@belfry/contracts/fields";
import { bumpConfigurationVersion } from "@belfry/database/configuration-version";
import type { Database } from "@belfry/database/connection";
import { decryptSecret, encryptSecret, kidOf, type SecretKeys } from "@belfry/database/secrets";
import { type Static, Type } from "@sinclair/typebox";
import { defineAct, OPERATE, optional } from "../act.ts";
import { type Actor, audited } from "../audited.ts";
import {
  readSecrets,
  SECRET_COLUMNS,
  type SecretColumn,
  type SecretSwap,
  type StoredSecret,
  swapSecrets,
} from "./stored-secrets.ts";

const BATCH = 100;
// Passes over all secrets. Another pass reads the rows that were locked or changed, and secrets stored under an old
// key.
const MOST_WALKS = 5;
// Pause before the next pass if rows were locked or changed.
const HELD_REST_MS = 200;

const Counts = Type.Record(Type.String(), Type.Integer());

/** The result of a rotation. */
export type SecretsReport = Static<typeof SecretsReport>;
export const SecretsReport = Type.Object({
  dryRun: Type.Boolean(),
  currentKid: Type.String({ description: "The first key, which must encrypt every secret" }),
  reencrypted: Type.Integer({ description: "Rows that were changed" }),
  outdated: Type.Integer({
    description: "Secrets that are still encrypted with another key",
  }),
  inUse: Type.Record(Type.String(), Type.Integer(), {
    description: "Secrets by the key that encrypts them, after the call",
  }),
  columns: Type.Record(Type.String(), Counts, {
    description: "The same by column, as `providers.settings`",
  }),
  retirable: Type.Array(Type.String(), {
    description: "Given keys that encrypt nothing any more: they may be removed",
  }),
  unreadable: Type.Array(
    Type.Object({
      owner: Type.String({ description: "Owner, such as `provider:<tenant>:<id>`" }),
      kid: orNull(Type.String({ description: "null: the column holds no secret of ours" })),
      reason: Type.String(),
    }),
    { description: "Secrets that no given key decrypts: they have to be set again" },
  ),
});
const REPORT: SecretsReport = {
  dryRun: true,
  currentKid: "k2",
  reencrypted: 0,
  outdated: 1,
  inUse: { k1: 1 },
  columns: { "providers.settings": { k1: 1 } },
  retirable: [],
  unreadable: [],
};

/**
 * Works in small batches with one audit entry each. A row that changes meanwhile is not overwritten, but read again in
 * the next pass. Reads every secret, so it also finds unreadable secrets that are under the first key.
 *
 * The plaintext stays the same, so `updated_at` and the settings in use by services do not change. The configuration
 * version is incremented once, at the end. So every service reads its secrets again while the person who rotates can
 * watch, and not weeks later at the next change.
 */
export const rotateSecrets = defineAct({
  name: "secrets rotate",
  access: OPERATE,
  effect: "steps",
  summary:
    "Re-encrypt every secret under the first key of SECRETS_KEYS, and say which keys are still in " +
    "use. Every running service must know that key; safe to repeat, and while services run.",
  input: Type.Object({
    dryRun: optional(flag(), "read all of them, count them by key, and change nothing"),
  }),
  output: SecretsReport,
  example: { input: { dryRun: true }, output: REPORT },
  async run({ db, actor, services }, { dryRun = false }) {
    const keys = await services.keys();
    const rotation: Rotation = { db, keys, actor, dryRun };
    let reencrypted = 0;
    for (let walk = 1; ; walk += 1) {
      const tally = await walkAll(rotation);
      reencrypted += tally.reencrypted;
      const isOver = tally.reencrypted === 0 && tally.outdated === 0;
      if (isOver || dryRun || walk === MOST_WALKS) {
        if (reencrypted > 0) await bumpConfigurationVersion(db);
        return { output: { dryRun, ...tally.report(keys), reencrypted } };
      }
      if (tally.outdated > 0) await sleep(HELD_REST_MS);
    }
  },
});

interface Rotation {
  db: Database;
  keys: SecretKeys;
  actor: Actor;
  dryRun: boolean;
}

async function walkAll(rotation: Rotation): Promise<SecretsTally> {
  const tally = new SecretsTally();
  for (const column of SECRET_COLUMNS) {
    let after: string | undefined;
    let page: StoredSecret[];
    do {
      page = await readSecrets(rotation.db, column, { after, most: BATCH });
      await handlePage(rotation, column, page, tally);
      after = page.at(-1)?.id;
    } while (page.length === BATCH);
  }
  return tally;
}

async function handlePage(
  rotation: Rotation,
  column: SecretColumn,
  page: readonly StoredSecret[],
  tally: SecretsTally,
): Promise<void> {
  const { keys } = rotation;
  const swaps: SecretSwap[] = [];
  const readings = await Promise.all(page.map((secret) => read(keys, column, secret)));
  for (const { secret, owner, kid, plaintext, reason } of readings) {
    tally.count(column, kid);
    if (plaintext === undefined) {
      tally.unreadable.push({ owner, kid, reason });
    } else if (kid !== keys.current.kid) {
      const to = await encryptSecret(keys, owner, plaintext);
      swaps.push({ id: secret.id, from: secret.ciphertext, to });
    }
  }
  const swapped = swaps.length === 0 || rotation.dryRun ? 0 : await swap(rotation, column, swaps);
  tally.reencrypted += swapped;
  tally.outdated += swaps.length - swapped;
}

async function swap(
  { db, keys, actor }: Rotation,
  column: SecretColumn,
  swaps: readonly SecretSwap[],
): Promise<number> {
  const swapped = await audited(
    db,
    actor,
    (transaction) => swapSecrets(transaction, column, swaps),
    ({ size }) => ({
      tenantId: null,
      action: "secrets.rotate",
      target: columnName(column),
      after: { kid: keys.current.kid, reencrypted: size },
    }),
  );
  return swapped.size;
}

/** Decrypts a secret. If it cannot be decrypted, `plaintext` is undefined and `reason` says why. */
async function read(keys: SecretKeys, column: SecretColumn, secret: StoredSecret) {
  const owner = column.ownerOf(secret.holderId, secret.id);
  const kid = kidOf(secret.ciphertext) ?? null;
  const base = { secret, owner, kid, plaintext: undefined };
  if (kid === null) return { ...base, reason: "it is no secret of ours" };
  if (!keys.byKid.has(kid)) return { ...base, reason: `its key ${kid} is not given` };
  try {
    const plaintext = await decryptSecret(keys, owner, secret.ciphertext);
    return { ...base, plaintext, reason: "" };
  } catch {
    const reason = `${kid} is another key, or the text was changed, or is another row's`;
    return { ...base, reason };
  }
}

/** The key id under which a column's value is counted that is not one of Belfry's secrets. */
const NO_KID = "(none)";

/** Counts of one pass, column by column. */
class SecretsTally {
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
      currentKid,
      reencrypted,
      outdated,
      inUse: Object.fromEntries(inUse),
      columns,
      retirable,
      unreadable,
    };
  }
}

function columnName({ table, column }: SecretColumn): string {
  return `${table}.${column}`;
}

function add(counts: Map<string, number>, kid: string, secrets: number): void {
  counts.set(kid, (counts.get(kid) ?? 0) + secrets);
}
