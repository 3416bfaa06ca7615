import {
  type DeadLetterChange,
  discardDead,
  replayDead,
  watchReplay,
} from "@belfry/administration/dead-letters/change-dead-letters";
import {
  DEAD_CLASSES,
  type DeadLetterFilter,
} from "@belfry/administration/dead-letters/dead-letter-rows";
import {
  glanceAtDeadLetters,
  newestDeadLetters,
} from "@belfry/administration/dead-letters/dead-letters";
import { isProviderChannel } from "@belfry/contracts/channels";
import { UUID } from "@belfry/contracts/identifiers";
import { type Answer, json, page, redirect } from "../page/answer.ts";
import { faultWords } from "../page/fault-words.ts";
import { type Phrase, say } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";

const PAGE = 50;
/** The most dead letters that one request changes. A large replay takes several and shows its progress between them. */
const BATCH = 500;

const CHANGES = {
  replay: {
    act: replayDead,
    title: say`Replay`,
    done: "replayed",
    notDone: (why: Phrase) => say`It was not replayed: ${why}.`,
  },
  discard: {
    act: discardDead,
    title: say`Discard`,
    done: "discarded",
    notDone: (why: Phrase) => say`It was not discarded: ${why}.`,
  },
} as const;

/**
 * Registers the pages for undelivered messages that a person must handle: by class, one or a group. An action on a
 * group first shows a page, then runs batch by batch. The page's address contains the progress, so that a person can
 * leave it and continue later.
 */
export function deadLetterPages({ route, db }: PageDeps): void {
  route("GET /tenants/:tenantId/dead-letters", async ({ tenant, query }) => {
    const filter = filterOf(query);
    const replay = replayOf(query);
    const [glance, letters, progress] = await Promise.all([
      glanceAtDeadLetters(db, { tenantId: tenant.id }),
      newestDeadLetters(db, { tenantId: tenant.id, ...filter }, PAGE),
      replay && watchReplay(db, tenant.id, replay.since),
    ]);
    const groups = glance.groups.map((one) => ({
      ...one,
      choice: new URLSearchParams(fieldsOf(one)),
    }));
    return page("dead-letters", say`Dead letters`, {
      ...glance,
      groups,
      letters,
      filter,
      replay: replay && progress && outcomeOf(replay.count, progress),
    });
  });

  for (const action of ["replay", "discard"] as const) {
    const { act, title, done, notDone } = CHANGES[action];

    route(`GET /tenants/:tenantId/dead-letters/${action}`, async ({ query, run }) => {
      const filter = filterOf(query);
      const plan = await run(act, { ...filter, after: startOf(query), dryRun: true });
      const of = Math.max(plan.count, Number(/^\d{1,9}$/.exec(query.get("of") ?? "")?.[0] ?? 0));
      return page("dead-letters-change", title, {
        action,
        done,
        filter,
        of,
        left: plan.count,
        leftOut: leftOut(plan),
        fields: { ...fieldsOf(filter), before: plan.endedBefore, of },
        after: new URLSearchParams({ replayed: String(of), before: plan.endedBefore }),
      });
    });

    route(`POST /tenants/:tenantId/dead-letters/${action}`, async (context): Promise<Answer> => {
      const { form, run, base, request } = context;
      const ids = form.getAll("id").filter((id) => UUID.test(id));
      const filter = filterOf(form);
      const letters = form.has("id") ? { ids } : filter;
      const part = { ...letters, after: startOf(form), limit: BATCH };
      const { count, more, refused, endedBefore } = await run(act, part);
      if (request.headers.accept === "application/json") return json({ count, more });
      if (form.has("id") && count === 0) {
        const why = refused[0] ? faultWords(refused[0].reason) : say`it is not there`;
        const text = notDone(why);
        return page("message", say`Not possible`, { text }, 422);
      }
      // The first batch sets `before` and `of`. The forms of later batches repeat both.
      const { before = endedBefore, of = String(count) } = Object.fromEntries(form);
      if (!more && action === "discard") return redirect(`${base}/dead-letters`, done);
      if (!more) {
        return redirect(`${base}/dead-letters?${new URLSearchParams({ replayed: of, before })}`);
      }
      const place = new URLSearchParams({ ...fieldsOf(filter), before, of });
      return redirect(`${base}/dead-letters/${action}?${place}`);
    });
  }
}

function filterOf(
  given: URLSearchParams,
): Pick<DeadLetterFilter, "channel" | "class" | "provider"> {
  const channel = given.get("channel");
  const wanted = DEAD_CLASSES.find((one) => one === given.get("class"));
  const provider = given.get("provider") ?? "";
  return {
    channel: isProviderChannel(channel) ? channel : undefined,
    class: wanted,
    provider: /^[a-z0-9-]{1,32}$/.test(provider) ? provider : undefined,
  };
}

/** Returns the chosen filter as fields of a form or an address. */
function fieldsOf(
  choice: Partial<Record<"channel" | "class" | "provider", string | null | undefined>>,
): Record<string, string> {
  const { channel, class: wanted, provider } = choice;
  const chosen = Object.entries({ channel, class: wanted, provider });
  return Object.fromEntries(
    chosen.filter((pair): pair is [string, string] => typeof pair[1] === "string"),
  );
}

/** Returns the replay that led to this page; undefined if none did. */
function replayOf(query: URLSearchParams): { count: number; since: Date } | undefined {
  const count = /^\d{1,9}$/.exec(query.get("replayed") ?? "")?.[0];
  const since = new Date(startOf(query) ?? "");
  if (count === undefined || Number.isNaN(since.getTime())) return undefined;
  return { count: Number(count), since };
}

/** Returns the outcome of a replay. Deliveries that neither wait for an attempt nor failed again were sent (`left`). */
function outcomeOf(count: number, { trying, failed }: { trying: number; failed: number }) {
  const waits = Math.min(trying, count);
  const again = Math.min(failed, count - waits);
  return { count, trying: waits, again, left: count - waits - again };
}

/** Returns when the first batch began. */
function startOf(given: URLSearchParams): string | undefined {
  return given.get("before") || undefined;
}

/** Returns the reasons why dead letters are left out, and the number of the newest ones that each reason concerns. */
function leftOut({ refused }: DeadLetterChange): { reason: Phrase; count: number }[] {
  const reasons = Map.groupBy(refused, ({ reason }) => reason);
  return [...reasons].map(([reason, all]) => ({ reason: faultWords(reason), count: all.length }));
}
