import { InvalidInput } from "@belfry/administration/input-error";
import {
  providerActivated,
  providerDeleted,
  providerMadeFirst,
  providerMoved,
} from "@belfry/administration/providers/provider-notes";
import { providerKinds } from "@belfry/administration/providers/provider-settings";
import {
  deleteProvider,
  listProviders,
  moveProviderUp,
  type Provider,
  setProviderActive,
  showProvider,
} from "@belfry/administration/providers/providers";
import { useProvider } from "@belfry/administration/providers/use-provider";
import { PROVIDER_CHANNELS, type ProviderChannel } from "@belfry/contracts/channels";
import { page, redirect } from "../drawing/answer.ts";
import { shortTitle, titleNote } from "../drawing/words.ts";
import type { PageDeps } from "../page-deps.ts";
import { openCircuits } from "../platform/platform-state.ts";
import type { InTenant } from "../router.ts";

/** A tenant's accounts at vendors in the order of use, and what is done to a whole one. */
export function providerPages({ route, db }: PageDeps): void {
  const found = ({ tenant, params }: InTenant) =>
    showProvider(db, { id: params.providerId ?? "", tenantId: tenant.id });

  route("GET /tenants/:tenantId/providers", async ({ tenant }) => {
    const [providers, circuits, ...kinds] = await Promise.all([
      listProviders(db, tenant.id),
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

  for (const [verb, first, done] of [
    ["activate", false, "activated"],
    ["make-first", true, "first"],
  ] as const) {
    route(`POST /tenants/:tenantId/providers/:providerId/${verb}`, async (context) => {
      const { tenant, audited, base } = context;
      const before = await found(context);
      const { id } = before;
      try {
        await audited(
          (transaction) => useProvider(transaction, { id, tenantId: tenant.id }, { first }),
          (after) => (first ? providerMadeFirst(before, after) : providerActivated(after)),
        );
      } catch (error) {
        if (!(error instanceof InvalidInput)) throw error;
        return redirect(`${base}/providers/${id}`, "test-first");
      }
      return redirect(`${base}/providers`, done);
    });
  }

  route("POST /tenants/:tenantId/providers/:providerId/deactivate", async (context) => {
    const { tenant, audited, base } = context;
    const { id } = await found(context);
    await audited(
      (transaction) => setProviderActive(transaction, { id, tenantId: tenant.id }, false),
      providerActivated,
    );
    return redirect(`${base}/providers`, "deactivated");
  });

  route("POST /tenants/:tenantId/providers/:providerId/delete", async (context) => {
    const { id } = await found(context);
    const { tenant, audited, base } = context;
    await audited(
      (transaction) => deleteProvider(transaction, { id, tenantId: tenant.id }),
      providerDeleted,
    );
    return redirect(`${base}/providers`, "deleted");
  });

  route("POST /tenants/:tenantId/providers/:providerId/move-up", async (context) => {
    const provider = await found(context);
    const { id } = provider;
    const { tenant, audited, base } = context;
    await audited(
      (transaction) => moveProviderUp(transaction, { id, tenantId: tenant.id }),
      (order) => providerMoved(provider, order),
    );
    return redirect(`${base}/providers`, "moved");
  });
}

function stateOf({ active, testedAt }: Provider, rests: boolean, isFirst: boolean) {
  if (rests) return { tone: "bad", text: "paused after failures" };
  if (!active && testedAt === null) return { tone: "quiet", text: "not active: to be tested" };
  if (!active) return { tone: "quiet", text: "not active" };
  return { tone: "good", text: isFirst ? "sends" : "standby" };
}
