import type { Act } from "@belfry/administration/act";
import { type Provider, providerKinds } from "@belfry/administration/providers/provider-rows";
import { deleteProvider, readProviders } from "@belfry/administration/providers/providers";
import {
  activateProvider,
  deactivateProvider,
  makeProviderFirst,
  moveProviderUp,
} from "@belfry/administration/providers/use-provider";
import { PROVIDER_CHANNELS, type ProviderChannel } from "@belfry/contracts/channels";
import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import { orFaults, page, redirect } from "../page/answer.ts";
import { phrase, say } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";
import { shortTitle, titleNote } from "../page/words.ts";

/** Buttons of an account: the last part of the route, the act, and the name of the notice afterwards. */
const USES = [
  ["activate", activateProvider as Act, "activated"],
  ["make-first", makeProviderFirst, "first"],
  ["deactivate", deactivateProvider, "deactivated"],
  ["delete", deleteProvider, "deleted"],
  ["move-up", moveProviderUp, "moved"],
] as const;

/**
 * Registers the list of a tenant's accounts at vendors, in the order of use, and the buttons that act on an account.
 */
export function providerPages({ route, db }: PageDeps): void {
  route("GET /tenants/:tenantId/providers", async ({ tenant }) => {
    const [providers, circuits, ...kinds] = await Promise.all([
      readProviders(db, tenant.id),
      openCircuits(db, tenant.id),
      ...PROVIDER_CHANNELS.map(providerKinds),
    ]);
    const ofChannel = (channel: ProviderChannel, index: number) => {
      const own = providers.filter((provider) => provider.channel === channel);
      const first = own.find((provider) => provider.active);
      const offered = kinds[index] ?? [];
      const accounts = own.map((provider) => {
        const title = offered.find(({ kind }) => kind === provider.kind)?.title ?? provider.kind;
        const settings = Object.entries(provider.settings).map(
          ([name, value]) => `${name} ${value}`,
        );
        const circuit = circuits.find(({ providerId }) => providerId === provider.id);
        return {
          ...provider,
          title: shortTitle(title),
          note: settings.join(" · ") || phrase(titleNote(title) || "no settings"),
          circuit,
          isFirst: provider === first,
          state: stateOf(provider, circuit !== undefined, provider === first),
        };
      });
      const hasOne = (kind: string) => own.some((provider) => provider.kind === kind);
      return {
        channel,
        accounts,
        kinds: offered.map(({ kind, title }) => ({ kind, title, hasOne: hasOne(kind) })),
      };
    };
    return page("providers", say`Providers`, { channels: PROVIDER_CHANNELS.map(ofChannel) });
  });

  for (const [verb, act, done] of USES) {
    route(
      `POST /tenants/:tenantId/providers/:providerId/${verb}`,
      async ({ params, run, base }) => {
        const id = params.providerId ?? "";
        return await orFaults(
          () => run(act, { id }).then(() => redirect(`${base}/providers`, done)),
          () => redirect(`${base}/providers/${id}`, "test-first"),
        );
      },
    );
  }
}

function stateOf({ active, testedAt }: Provider, isPaused: boolean, isFirst: boolean) {
  if (isPaused) return { tone: "bad", text: say`paused after failures` };
  if (!active && testedAt === null) return { tone: "quiet", text: say`not active: to be tested` };
  if (!active) return { tone: "quiet", text: say`not active` };
  return { tone: "good", text: isFirst ? say`sends` : say`standby` };
}

export interface OpenAccount {
  tenantId: string;
  tenantName: string;
  providerId: string;
  kind: string;
  channel: ProviderChannel;
  class: string;
  reason: string;
  openUntil: Date;
}

/** Returns the active provider accounts that are paused now, of all tenants or of one; the newest 100. */
export async function openCircuits(db: Database, tenantId?: string): Promise<OpenAccount[]> {
  let query = db
    .selectFrom("provider_circuits as c")
    .innerJoin("providers as p", "p.id", "c.provider_id")
    .innerJoin("tenants as t", "t.id", "p.tenant_id")
    .select([
      "t.id as tenantId",
      "t.name as tenantName",
      "p.id as providerId",
      "p.kind",
      "p.channel",
      "c.class",
      "c.reason",
      "c.open_until as openUntil",
    ])
    // The row exists until a call has succeeded. If there are no messages to send, that can take days.
    .where("c.open_until", ">", sql<Date>`clock_timestamp()`)
    .where("p.active", "=", true);
  if (tenantId !== undefined) query = query.where("p.tenant_id", "=", tenantId);
  return await query.orderBy("c.opened_at", "desc").limit(100).execute();
}
