import { readProviders } from "@belfry/administration/providers/providers";
import { readTemplates } from "@belfry/administration/templates/templates";
import { showTenant } from "@belfry/administration/tenants/tenants";
import { type Answer, page } from "../page/answer.ts";
import type { PageDeps } from "../page/page-deps.ts";
import { providerChannels } from "../page/words.ts";
import { bucketsOfTenant, quotaUsed } from "../tenant/activity-buckets.ts";
import { barChart } from "../tenant/bar-chart.ts";
import { figuresOf, RANGES, type RangeName, seriesOf } from "../tenant/figures.ts";
import { openCircuits } from "./platform-state.ts";

/** Of the chart on a phone. */
const NARROW = { width: 350, height: 190 };

/** A tenant at a glance. */
export function overviewPages({ route, db }: PageDeps): void {
  route("GET /tenants/:tenantId", async ({ tenant, query }): Promise<Answer> => {
    const given = query.get("range") ?? "day";
    const range: RangeName = Object.hasOwn(RANGES, given) ? (given as RangeName) : "day";
    const now = new Date();
    const { bars, barMs } = RANGES[range];
    const since = new Date((Math.floor(now.getTime() / barMs) - bars + 1) * barMs);
    const [found, buckets, used, circuits, templates, providers] = await Promise.all([
      showTenant(db, tenant.id),
      bucketsOfTenant(db, tenant.id, since),
      quotaUsed(db, tenant.id),
      openCircuits(db, tenant.id),
      readTemplates(db, tenant.id),
      readProviders(db, tenant.id),
    ]);
    const series = seriesOf(buckets, since, bars, barMs);
    return page("overview", "Overview", {
      found,
      used,
      circuits,
      steps: [
        {
          done: templates.some((template) => template.active),
          page: "templates",
          text: "Write a template",
        },
        {
          done: providers.some((provider) => provider.active),
          page: "providers",
          text: `Connect a provider for ${providerChannels("or")}`,
        },
        {
          done: found.apiKeys.some((key) => key.lastUsedAt !== null),
          page: "keys",
          text: "Make an API key and send the first event",
        },
      ],
      range,
      ranges: RANGES,
      figures: figuresOf(buckets),
      chart: barChart(series, barMs),
      narrowChart: barChart(series, barMs, NARROW),
    });
  });
}
