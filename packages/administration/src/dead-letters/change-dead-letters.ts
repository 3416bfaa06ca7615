import { flag, integer, text } from "@belfry/contracts/fields";
import { UUID } from "@belfry/contracts/identifiers";
import { storedReason } from "@belfry/contracts/reasons";
import type { Database } from "@belfry/database/connection";
import { type Static, Type } from "@sinclair/typebox";
import { type ActContext, defineAct, EDIT, type Note, note, optional, SEND } from "../act.ts";
import { EXAMPLE_ID } from "../events/event-example.ts";
import { invalid } from "../input-error.ts";
import { changeDeadMessages } from "./dead-letter-messages.ts";
import {
  countReplayable,
  type DeadClass,
  type DeadDeliveryRow,
  type DeadLetters,
  type DeadSelection,
  databaseNow,
  deadDeliveries,
  deadGroups,
  endDead,
  replayProgress,
  requeueDead,
} from "./dead-letter-rows.ts";
import { deliverySelection, filterFields, filterOf, requireTenantOf } from "./dead-letters.ts";

interface DeadLetterOptions {
  /** If true, the call only reports what it would change. */
  dryRun?: boolean | undefined;
  /** Maximum number of dead letters to change; absent: all. Callers use it to show the progress of a large change. */
  most?: number | undefined;
  /**
   * Dead letters that ended later are not changed. Pass on the `endedBefore` of the first result, so that a delivery
   * that fails again in the meantime is not changed twice. Absent: now.
   */
  endedBefore?: string | undefined;
}

export const DeadLetterChange = Type.Object({
  dryRun: Type.Boolean(),
  count: Type.Integer({ description: "How many were changed; of a dry run, how many would be" }),
  more: Type.Boolean({ description: "There may be others" }),
  endedBefore: Type.String({
    description: "Dead letters that ended later were left unchanged; ISO 8601, UTC",
  }),
  ids: Type.Array(Type.String(), { description: "At most 100 of them" }),
  refused: Type.Array(Type.Object({ id: Type.String(), reason: Type.String() }), {
    description:
      "Those that were not changed, at most 100; of a filter only those that it left out on purpose",
  }),
  next: optional(Type.String(), "Give it as `after` for the next part; absent on the last one"),
});
export type DeadLetterChange = Static<typeof DeadLetterChange>;

const MOST_IN_A_PART = 1_000;
const ChangeInput = Type.Object({
  ids: optional(Type.Array(text()), "these, and no filter; at most 100"),
  ...filterFields,
  dryRun: optional(flag(), "say what would be done, and change nothing"),
  limit: optional(
    integer({ minimum: 1, maximum: MOST_IN_A_PART }),
    `at most so many in this part; default: ${MOST_IN_A_PART}`,
  ),
  after: optional(text(), "`next` of the part before"),
});
const CHANGE = {
  access: EDIT,
  input: ChangeInput,
  output: DeadLetterChange,
  example: {
    input: { ids: [EXAMPLE_ID] },
    output: {
      dryRun: false,
      count: 1,
      more: false,
      endedBefore: "2026-11-20T09:30:00.000000Z",
      ids: [EXAMPLE_ID],
      refused: [],
    },
  },
  flags: { limit: null, after: null },
};

export const replayDead = defineAct({
  ...CHANGE,
  name: "dead replay",
  access: SEND,
  http: "POST /dead-letters/replay",
  summary:
    "Send dead letters again: a new attempt of the same delivery, never of one that a provider accepted. " +
    "What expired or is unknown goes only by its ID or its --class.",
  run: (context, input) => changePart(context, input, replayDeadLetters),
  audit: (input, { output }) => changeNote("replay", input, output),
});

export const discardDead = defineAct({
  ...CHANGE,
  name: "dead discard",
  http: "POST /dead-letters/discard",
  summary: "Discard dead letters for good; their attempts stay visible",
  run: (context, input) => changePart(context, input, discardDeadLetters),
  audit: (input, { output }) => changeNote("discard", input, output),
});

async function changePart(
  { db, tenantId }: ActContext,
  input: Static<typeof ChangeInput>,
  work: typeof replayDeadLetters,
) {
  const { ids, dryRun, limit: most = MOST_IN_A_PART, after: endedBefore } = input;
  const filter = filterOf(input, tenantId);
  const { tenantId: of, ...rest } = filter;
  const isFiltered = Object.values(rest).some((value) => value !== undefined);
  if (ids !== undefined && isFiltered) throw invalid("id", "give IDs or a filter, not both");
  const letters = ids === undefined ? filter : { ids, tenantId: of };
  const done = await work(db, letters, { dryRun, most, endedBefore });
  return { output: done.more ? { ...done, next: done.endedBefore } : done };
}

/** Returns the audit note, or undefined if nothing was changed. */
function changeNote(
  verb: "replay" | "discard",
  { ids, channel, class: ofClass, provider }: Static<typeof ChangeInput>,
  { count, dryRun }: DeadLetterChange,
): Note | undefined {
  if (count === 0 || dryRun) return undefined;
  const filter = [channel, ofClass, provider].filter((one) => one !== undefined).join(" ");
  const target = ids === undefined ? filter || "all" : (ids[0] ?? "none");
  return note(`dead-letter.${verb}`, target, { after: { count } });
}

const MAX_NAMED = 100;
const BATCH_DELIVERIES = 200;
/** A replay of these may come too late or arrive twice, so a filter must name exactly the class to include it. */
const ONLY_WHEN_ASKED: readonly DeadClass[] = ["expired", "unknown"];
const REPLAYED = storedReason("replayed");

/**
 * Queues dead letters again, in small batches. Each gets a new attempt of the same delivery, and waits like all other
 * deliveries. A delivery that a provider accepted, by its answer or by a receipt, is never replayed. An expiry that has
 * passed is removed. A filter leaves out the classes `expired` and `unknown` unless it names one of them. Throws
 * `InvalidInput`, `NotFound`.
 */
export async function replayDeadLetters(
  db: Database,
  letters: DeadLetters,
  options: DeadLetterOptions = {},
): Promise<DeadLetterChange> {
  return await change(db, letters, options, {
    except: "ids" in letters || letters.class !== undefined ? [] : ONLY_WHEN_ASKED,
    count: (chosen) => countReplayable(db, chosen),
    run: (chosen, most) => requeueDead(db, chosen, { most, reason: REPLAYED }),
    obstacle: (row) => row.obstacle,
    messages: "replay",
  });
}

/** Maximum number of replayed deliveries whose progress is counted. */
const MOST_WATCHED = 10_000;

/** Returns the progress of a tenant's replays since a time: see `replayProgress`. */
export async function watchReplay(db: Database, tenantId: string, since: Date) {
  return await replayProgress(db, { tenantId, since, reason: REPLAYED, most: MOST_WATCHED });
}

/** Ends dead letters for good, in small batches. Keeps their attempts, but deletes messages. Throws like a replay. */
export async function discardDeadLetters(
  db: Database,
  letters: DeadLetters,
  options: DeadLetterOptions = {},
): Promise<DeadLetterChange> {
  return await change(db, letters, options, {
    except: [],
    async count(chosen) {
      const groups = await deadGroups(db, chosen);
      return groups.reduce((sum, group) => sum + group.count, 0);
    },
    run: (chosen, most) => endDead(db, chosen, most),
    obstacle: ({ status }) =>
      ["failed", "expired", "unknown"].includes(status) ? null : `it is ${status}`,
    messages: "discard",
  });
}

interface Change {
  except: readonly DeadClass[];
  count(selection: DeadSelection): Promise<number>;
  run(selection: DeadSelection, most: number): Promise<string[]>;
  obstacle(row: DeadDeliveryRow): string | null;
  messages: "replay" | "discard";
}

async function change(
  db: Database,
  letters: DeadLetters,
  options: DeadLetterOptions,
  { except, count, run, obstacle, messages }: Change,
): Promise<DeadLetterChange> {
  const { dryRun = false, most = Number.POSITIVE_INFINITY } = options;
  const chosen = await selected(db, letters);
  const endedBefore = momentOf(options.endedBefore) ?? (await databaseNow(db));
  const result: DeadLetterChange = {
    dryRun,
    count: 0,
    more: false,
    endedBefore,
    ids: [],
    refused: [],
  };
  const add = (ids: readonly string[]) => {
    result.count += ids.length;
    result.ids.push(...ids.slice(0, Math.max(0, MAX_NAMED - result.ids.length)));
  };
  const refuse = (id: string, reason: string) => {
    if (result.refused.length < MAX_NAMED) result.refused.push({ id, reason });
  };
  if (chosen !== undefined) {
    const deliveries = { ...chosen, except, endedBefore };
    // A dead letter that is named by id is always read, so that the result says why it cannot be changed: it may be
    // queued again already.
    const named = chosen.ids === undefined ? deliveries : chosen;
    const rows = await deadDeliveries(db, named, chosen.ids?.length ?? MAX_NAMED);
    for (const row of rows) {
      const why = obstacle(row);
      if (why !== null) refuse(row.id, why);
      else if (dryRun) result.ids.push(row.id);
    }
    if (dryRun) {
      result.count = deliveries.ids === undefined ? await count(deliveries) : result.ids.length;
    }
    while (!dryRun && result.count < most) {
      const batch = Math.min(BATCH_DELIVERIES, most - result.count);
      const changed = await run(deliveries, batch);
      add(changed);
      if (changed.length < batch) break;
    }
  }
  if (dryRun || result.count < most) {
    const left = most - result.count;
    await changeDeadMessages(db, letters, {
      action: messages,
      dryRun,
      left,
      endedBefore,
      add,
      refuse,
    });
  }
  result.more = !dryRun && result.count >= most;
  if ("ids" in letters) {
    const known = new Set([...result.ids, ...result.refused.map(({ id }) => id)]);
    for (const id of letters.ids.slice(0, MAX_NAMED)) {
      if (!known.has(id.toLowerCase())) refuse(id, "no dead letter has this id");
    }
  }
  return result;
}

/** Returns undefined if the filter selects messages only. */
async function selected(db: Database, letters: DeadLetters): Promise<DeadSelection | undefined> {
  await requireTenantOf(db, letters);
  if (!("ids" in letters)) return deliverySelection(letters);
  const { ids, tenantId } = letters;
  const wrong = ids.find((id) => !UUID.test(id));
  if (wrong !== undefined) throw invalid("id", `${JSON.stringify(wrong)} is not an id`);
  if (ids.length > MAX_NAMED) throw invalid("id", `at most ${MAX_NAMED} at a time`);
  return { ids: ids.map((id) => id.toLowerCase()), tenantId };
}

const MOMENT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{6}Z$/;

function momentOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const [, second = ""] = MOMENT.exec(text) ?? [];
  const time = new Date(`${second}Z`);
  // JavaScript accepts a 31st of February, Postgres does not.
  if (!Number.isNaN(time.getTime()) && time.toISOString().startsWith(second)) return text;
  throw invalid("endedBefore", "must be a time of an earlier answer");
}
