import {
  type ActivitySum,
  activitySums,
  GROUPINGS,
  type Grouping,
  MEASURES,
  type Measure,
  RANGES,
  type RangeName,
} from "@belfry/administration/health/activity-sums";
import { isWrong, tenantTroubles } from "@belfry/administration/health/tenant-troubles";
import { readProviders } from "@belfry/administration/providers/providers";
import { readTemplates } from "@belfry/administration/templates/templates";
import { showTenant } from "@belfry/administration/tenants/tenants";
import { ALERT_THRESHOLDS } from "@belfry/contracts/alerts";
import { PLATFORM } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { type Answer, page } from "../page/answer.ts";
import { say } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";
import { providerChannels, seconds } from "../page/words.ts";
import { openCircuits } from "../provider/provider-pages.ts";
import {
  barStarts,
  figuresOf,
  type Group,
  groupsOf,
  latenciesByChannel,
  latencyOverTime,
  ofMessages,
  overTime,
  readSince,
  type Span,
  seriesOfGroups,
  sumsBy,
} from "./activity-figures.ts";
import {
  COMPARED_WITH,
  GROUPING_NAMES,
  groupLabel,
  groupPath,
  MEASURE_NAMES,
  THE_REST,
  troubleInWords,
} from "./activity-words.ts";
import { plotOf, short } from "./bar-chart.ts";
import { quotaUsed } from "./quota-used.ts";

/** Registers the overviews of one tenant and of all tenants: problems, and figures over time. */
export function overviewPages({ route, db }: PageDeps): void {
  route("GET /tenants/:tenantId", async ({ tenant, query, base }): Promise<Answer> => {
    const choice = choiceOf(query, "channel");
    const [found, span, used, circuits, templates, providers, troubles] = await Promise.all([
      showTenant(db, tenant.id),
      readSpan(db, tenant.id, choice),
      quotaUsed(db, tenant.id),
      openCircuits(db, tenant.id),
      readTemplates(db, tenant.id),
      readProviders(db, tenant.id),
      troublesInWords(db, tenant.id, base, choice),
    ]);
    return page("overview", say`Overview`, {
      found,
      used,
      circuits,
      troubles,
      leastDead: ALERT_THRESHOLDS.deadLetters,
      isCapped: found.dailyCap !== null && used.day >= found.dailyCap,
      steps: [
        {
          done: templates.some((template) => template.active),
          page: "templates",
          text: say`Write a template`,
        },
        {
          done: providers.some((provider) => provider.active),
          page: "providers",
          text: say`Connect a provider for ${providerChannels("or")}`,
        },
        {
          done: found.apiKeys.some((key) => key.lastUsedAt !== null),
          page: "keys",
          text: say`Make an API key and send the first event`,
        },
      ],
      latencies: latenciesByChannel(span),
      ...plots(span, choice, (name) => {
        const path = groupPath(choice.by, name);
        return path === undefined ? undefined : `${base}/${path}`;
      }),
    });
  });

  route("GET /overview", async ({ query }): Promise<Answer> => {
    const choice = choiceOf(query, "tenant");
    const [span, hour, circuits] = await Promise.all([
      readSpan(db, PLATFORM, choice),
      readSpan(db, PLATFORM, { ...choice, range: "hour" }),
      openCircuits(db),
    ]);
    const names = await namesOfTenants(db, [...span.sums, ...hour.sums]);
    const worst = worstFirst(span, names);
    const wrong = [...worstFirst(hour, names), ...worst].filter(({ failed, of }) =>
      isWrong(failed, of),
    );
    const looked = [...new Set(wrong.map(({ id }) => id))].slice(0, MOST_WITH_REASONS);
    const troubles = await Promise.all(
      looked.map(async (id) => {
        const own = await troublesInWords(db, id, `/tenants/${id}`, choice);
        return own.map((one) => ({ ...one, tenantId: id, tenantName: names.get(id) ?? id }));
      }),
    );
    return page("platform-overview", say`Overview`, {
      circuits: circuits.slice(0, MOST_CIRCUITS),
      troubles: troubles.flat(),
      worst: worst.slice(0, MOST_TENANTS),
      ...plots(
        span,
        choice,
        (name) => (choice.by === "tenant" && names.has(name) ? `/tenants/${name}` : undefined),
        names,
      ),
    });
  });
}

/** Limits of the operator's page: tenants whose dead letters are read, paused accounts, tenants in the list. */
const MOST_WITH_REASONS = 6;
const MOST_CIRCUITS = 10;
const MOST_TENANTS = 20;

interface Choice {
  range: RangeName;
  by: Grouping;
  measure: Measure;
  now: Date;
}

function choiceOf(query: URLSearchParams, usual: Grouping): Choice {
  const range = query.get("range") ?? "";
  const by = GROUPINGS.find((one) => one === query.get("by")) ?? usual;
  const measures = measuresOf(by);
  const asked = measures.find((one) => one === query.get("show"));
  return {
    by,
    range: Object.hasOwn(RANGES, range) ? (range as RangeName) : "day",
    measure: asked ?? (by === "reason" ? "skipped" : "sent"),
    now: new Date(),
  };
}

/** Returns the measures of a grouping. `accepted` counts events, not messages; `sent` messages have no reason. */
function measuresOf(grouping: Grouping): Measure[] {
  if (grouping === "reason") return ["failed", "skipped"];
  const ofEvents = ["type", "tenant"].includes(grouping);
  return MEASURES.filter((one) => ofEvents || one !== "accepted");
}

async function readSpan(db: Database, tenantId: string, { range, by, now }: Choice): Promise<Span> {
  const groupings: Grouping[] = ["channel", by];
  if (tenantId === PLATFORM) groupings.push("tenant");
  const since = readSince(range, now);
  return { range, now, sums: await activitySums(db, tenantId, { range, since, groupings }) };
}

/** Returns the problems of the last hour and of the range, each cause once. */
async function troublesInWords(db: Database, tenantId: string, base: string, choice: Choice) {
  const ranges: RangeName[] = choice.range === "hour" ? ["hour"] : ["hour", choice.range];
  const found = await Promise.all(
    ranges.map((range) => tenantTroubles(db, tenantId, range, choice.now)),
  );
  const seen = new Set<string>();
  return found.flatMap((troubles, at) =>
    troubles.flatMap((trouble) => {
      const { text, path } = troubleInWords(trouble, ranges[at]!);
      const cause = `${trouble.channel} ${path}`;
      if (seen.has(cause)) return [];
      seen.add(cause);
      return [{ text, href: `${base}/${path}` }];
    }),
  );
}

const OUTCOMES = ["sent", "failed", "skipped", "waiting"] as const;

/** Returns the plots that both overviews share. */
function plots(
  span: Span,
  choice: Choice,
  hrefOf: (name: string) => string | undefined,
  tenants?: ReadonlyMap<string, string>,
) {
  const { range, by, measure } = choice;
  const { barSeconds } = RANGES[range];
  const over = { starts: barStarts(span), barSeconds };
  const messages = sumsBy(span, "channel").filter(ofMessages);
  const groups = groupsOf(span, by, measure, groupLabel(by, measure, tenants));
  return {
    range,
    by,
    measure,
    ranges: RANGES,
    names: { measures: MEASURE_NAMES, groupings: GROUPING_NAMES },
    groupings: GROUPINGS.filter((one) => one !== (tenants === undefined ? "tenant" : "template")),
    measures: measuresOf(by),
    figures: figuresOf(span),
    comparedWith: COMPARED_WITH[range],
    groups: groups.map((group) => ({ ...group, href: hrefOfGroup(group, hrefOf) })),
    outcomes: plotOf("bars", {
      id: "outcomes",
      title: say`What became of messages`,
      ...over,
      write: short,
      series: OUTCOMES.map((one) => ({
        tone: one,
        label: MEASURE_NAMES[one],
        values: overTime(span, messages, one),
      })),
    }),
    byGroup: plotOf("bars", {
      id: "by-group",
      title: say`${GROUPING_NAMES[by]}: ${MEASURE_NAMES[measure]}`,
      ...over,
      write: short,
      series: seriesOfGroups(span, groups, measure, THE_REST),
    }),
    timeToSend: plotOf("lines", {
      id: "time-to-send",
      title: say`Time to send`,
      ...over,
      write: seconds,
      series: [
        { tone: "g0", label: say`Median`, values: latencyOverTime(span, 0.5) },
        { tone: "g2", label: say`95 % within`, values: latencyOverTime(span, 0.95) },
        { tone: "g3", label: say`99 % within`, values: latencyOverTime(span, 0.99) },
      ],
    }),
  };
}

function hrefOfGroup({ names, isRest }: Group, hrefOf: (name: string) => string | undefined) {
  return names.length === 1 && !isRest ? hrefOf(names[0]!) : undefined;
}

/**
 * Returns the tenants, those with the largest share of failed messages first. A share counts only if it is more than a
 * few wrong addresses. Tenants with the same share are in order of the number of failed messages.
 */
export function worstFirst(span: Span, names: ReadonlyMap<string, string>) {
  return groupsOf(span, "tenant", "failed", (name) => name)
    .filter(({ label, isRest }) => !isRest && names.has(String(label)))
    .map(({ label, ...group }) => {
      const id = String(label);
      const of = group.sent + group.failed;
      const share = of === 0 ? null : group.failed / of;
      const badness = isWrong(group.failed, of) ? (share ?? 0) : 0;
      return { ...group, id, name: names.get(id) ?? id, of, share, badness };
    })
    .sort((a, b) => b.badness - a.badness || b.failed - a.failed || b.of - a.of);
}

/** Returns the names of existing tenants in these sums, with the id if others have the same name. */
async function namesOfTenants(
  db: Database,
  sums: readonly ActivitySum[],
): Promise<Map<string, string>> {
  const own = sums.filter(({ groupedBy }) => groupedBy === "tenant");
  const ids = [...new Set(own.map(({ name }) => name))];
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("tenants")
    .select(["id", "name"])
    .where("id", "in", ids)
    .execute();
  const isTaken = Map.groupBy(rows, ({ name }) => name);
  return new Map(
    rows.map(({ id, name }) => [id, isTaken.get(name)!.length > 1 ? `${name}, ${id}` : name]),
  );
}
