import type { Act } from "@belfry/administration/act";
import { providerKinds } from "@belfry/administration/providers/provider-settings";
import {
  deleteProvider,
  type Provider,
  readProviders,
} from "@belfry/administration/providers/providers";
import {
  activateProvider,
  deactivateProvider,
  makeProviderFirst,
  moveProviderUp,
} from "@belfry/administration/providers/use-provider";
import { PROVIDER_CHANNELS, type ProviderChannel } from "@belfry/contracts/channels";
import { orFaults, page, redirect } from "../page/answer.ts";
import type { PageDeps } from "../page/page-deps.ts";
import { shortTitle, titleNote } from "../page/words.ts";
import { openCircuits } from "../platform/platform-state.ts";

/** What a click does, and which sentence tells of it. */
const USES = [
  ["activate", activateProvider as Act, "activated"],
  ["make-first", makeProviderFirst, "first"],
  ["deactivate", deactivateProvider, "deactivated"],
  ["delete", deleteProvider, "deleted"],
  ["move-up", moveProviderUp, "moved"],
] as const;

/** A tenant's accounts at vendors in the order of use, and what is done to a whole one. */
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
          note: settings.join(" · ") || titleNote(title) || "no settings",
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
    return page("providers", "Providers", { channels: PROVIDER_CHANNELS.map(ofChannel) });
  });

  for (const [verb, act, done] of USES) {
    route(
      `POST /tenants/:tenantId/providers/:providerId/${verb}`,
      async ({ params, run, base }) => {
        const id = params.providerId ?? "";
        return await orFaults(
          async () => {
            await run(act, { id });
            return redirect(`${base}/providers`, done);
          },
          () => redirect(`${base}/providers/${id}`, "test-first"),
        );
      },
    );
  }
}

function stateOf({ active, testedAt }: Provider, rests: boolean, isFirst: boolean) {
  if (rests) return { tone: "bad", text: "paused after failures" };
  if (!active && testedAt === null) return { tone: "quiet", text: "not active: to be tested" };
  if (!active) return { tone: "quiet", text: "not active" };
  return { tone: "good", text: isFirst ? "sends" : "standby" };
}
