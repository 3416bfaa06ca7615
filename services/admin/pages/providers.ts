import { audited } from "@belfry/administration/audited";
import { InvalidInput, NotFound } from "@belfry/administration/input-error";
import {
  deleteProvider,
  listProviders,
  moveProviderUp,
  type Provider,
  providerKinds,
  putProvider,
  setProviderActive,
  showProvider,
} from "@belfry/administration/providers";
import { sendProviderTest } from "@belfry/administration/send-test";
import { PROVIDER_CHANNELS } from "@belfry/contracts/channels";
import type { Database } from "@belfry/database/connection";
import { openCircuits } from "@belfry/database/platform-state";
import { type Answer, type Faults, orFaults, page, redirect } from "../answer.ts";
import type { PageDeps } from "../page-deps.ts";
import type { InTenant } from "../router.ts";
import { fieldsOf, settingsFaults, settingsOf } from "../settings-form.ts";

/** Where a vendor's receipts go, for the kinds that send any. */
const WITH_RECEIPTS = ["sendgrid", "vonage"];

/** A tenant's accounts at vendors: forms drawn from the settings' schema, secrets write-only. */
export function providerPages({ route, db, keys, config }: PageDeps): void {
  const options = { keys, allowPrivateAddresses: config.allowPrivateAddresses };

  route("GET /tenants/:tenantId/providers", async ({ tenant }) => {
    const [providers, kinds, circuits] = await Promise.all([
      listProviders(db, tenant.id),
      providerKinds(),
      openCircuits(db, tenant.id),
    ]);
    return page("providers", "Providers", {
      channels: PROVIDER_CHANNELS.map((channel) => ({
        channel,
        providers: providers.filter((provider) => provider.channel === channel),
        kinds: kinds
          .filter((kind) => kind.channel === channel)
          .map(({ kind, title }) => ({
            kind,
            title,
            hasOne: providers.some((one) => one.channel === channel && one.kind === kind),
          })),
      })),
      titles: Object.fromEntries(kinds.map((kind) => [`${kind.channel} ${kind.kind}`, kind.title])),
      circuits: Object.fromEntries(circuits.map((circuit) => [circuit.providerId, circuit])),
    });
  });

  const form = async (
    channel: string,
    kindName: string,
    extra: {
      provider?: Provider;
      given?: URLSearchParams;
      faults?: Faults;
      tenantId: string;
      test?: object;
    },
  ): Promise<Answer> => {
    const { provider, given, faults = {}, tenantId } = extra;
    const kind = (await providerKinds()).find(
      (row) => row.channel === channel && row.kind === kindName,
    );
    if (kind === undefined) throw new NotFound("kind", "no such kind of provider");
    const receipts = WITH_RECEIPTS.includes(kind.kind)
      ? `${config.apiUrl}/webhooks/${kind.kind}/${tenantId}`
      : undefined;
    return page("provider-form", kind.title, {
      kind,
      provider,
      name: given?.get("name") ?? "",
      fields: fieldsOf(kind.settings, provider?.settings, given),
      maxPerSecond: given?.get("maxPerSecond") ?? provider?.maxPerSecond ?? "",
      faults,
      receipts,
      test: extra.test,
    });
  };

  route("GET /tenants/:tenantId/providers/new", ({ query, tenant }) =>
    form(query.get("channel") ?? "", query.get("kind") ?? "", { tenantId: tenant.id }),
  );

  const save = async (
    context: InTenant,
    channel: string,
    kindName: string,
    existing?: Provider,
  ): Promise<Answer> => {
    const { tenant, form: given, actor, base } = context;
    const kind = (await providerKinds()).find(
      (row) => row.channel === channel && row.kind === kindName,
    );
    if (kind === undefined) throw new NotFound("kind", "no such kind of provider");
    const rate = (given.get("maxPerSecond") ?? "").trim();
    const name = existing?.name ?? ((given.get("name") ?? "").trim() || kind.kind);
    try {
      const saved = await audited(
        db,
        actor,
        async (transaction) => {
          if (existing === undefined) await refuseTakenName(transaction, tenant.id, kind, name);
          return await putProvider(
            transaction,
            {
              tenantId: tenant.id,
              channel: kind.channel,
              kind: kind.kind,
              name,
              settings: settingsOf(kind.settings, given),
              maxPerSecond: rate === "" ? null : Number(rate),
              keepSecrets: existing !== undefined,
              active: existing?.active ?? true,
            },
            options,
          );
        },
        (after) => ({
          tenantId: tenant.id,
          action: existing === undefined ? "provider.create" : "provider.update",
          target: targetOf(after),
          before: existing === undefined ? null : recorded(existing),
          after: recorded(after),
        }),
      );
      return redirect(`${base}/providers/${saved.id}`, "saved");
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      const extra = { given, faults: settingsFaults(error.faults), tenantId: tenant.id };
      const answer = await form(
        channel,
        kindName,
        existing === undefined ? extra : { ...extra, provider: existing },
      );
      return answer.kind === "page" ? { ...answer, status: 422 } : answer;
    }
  };

  route("POST /tenants/:tenantId/providers", (context) =>
    save(context, context.form.get("channel") ?? "", context.form.get("kind") ?? ""),
  );

  const found = ({ tenant, params }: InTenant) =>
    showProvider(db, { id: params.providerId ?? "", tenantId: tenant.id });

  route("GET /tenants/:tenantId/providers/:providerId", async (context) => {
    const provider = await found(context);
    return form(provider.channel, provider.kind, { provider, tenantId: context.tenant.id });
  });

  route("POST /tenants/:tenantId/providers/:providerId", async (context) => {
    const provider = await found(context);
    return save(context, provider.channel, provider.kind, provider);
  });

  for (const [verb, active] of [
    ["activate", true],
    ["deactivate", false],
  ] as const) {
    route(`POST /tenants/:tenantId/providers/:providerId/${verb}`, async (context) => {
      const provider = await found(context);
      const { id } = provider;
      const { tenant, actor, base } = context;
      await audited(
        db,
        actor,
        (transaction) => setProviderActive(transaction, { id, tenantId: tenant.id }, active),
        () => ({ tenantId: tenant.id, action: `provider.${verb}`, target: targetOf(provider) }),
      );
      return redirect(`${base}/providers`, `${verb}d`);
    });
  }

  route("POST /tenants/:tenantId/providers/:providerId/delete", async (context) => {
    const { id } = await found(context);
    const { tenant, actor, base } = context;
    await audited(
      db,
      actor,
      (transaction) => deleteProvider(transaction, { id, tenantId: tenant.id }),
      (before) => ({
        tenantId: tenant.id,
        action: "provider.delete",
        target: targetOf(before),
        before: recorded(before),
      }),
    );
    return redirect(`${base}/providers`, "deleted");
  });

  route("POST /tenants/:tenantId/providers/:providerId/move-up", async (context) => {
    const provider = await found(context);
    const { id } = provider;
    const { tenant, actor, base } = context;
    await audited(
      db,
      actor,
      (transaction) => moveProviderUp(transaction, { id, tenantId: tenant.id }),
      (order) => ({
        tenantId: tenant.id,
        action: "provider.move",
        target: targetOf(provider),
        after: { order: order.map((one) => one.name) },
      }),
    );
    return redirect(`${base}/providers`, "moved");
  });

  route("POST /tenants/:tenantId/providers/:providerId/test", async (context) => {
    const provider = await found(context);
    const { tenant, actor, form: given } = context;
    const to = given.get("to") ?? "";
    const again = (extra: object) =>
      form(provider.channel, provider.kind, { provider, tenantId: tenant.id, ...extra });
    return await orFaults(
      async () => {
        const { outcome } = await audited(
          db,
          actor,
          () => sendProviderTest(db, { id: provider.id, tenantId: tenant.id }, to, options),
          (result) => ({
            tenantId: tenant.id,
            action: "provider.test",
            target: targetOf(provider),
            after: { class: result.outcome.class, vendorStatus: result.outcome.vendorStatus },
          }),
        );
        return await again({ test: { to, outcome } });
      },
      (faults) => again({ faults, test: { to } }),
    );
  });
}

/** Here nobody means to replace another account's settings, as putting it would. */
async function refuseTakenName(
  db: Database,
  tenantId: string,
  kind: { channel: string; kind: string },
  name: string,
): Promise<void> {
  const onChannel = (await listProviders(db, tenantId)).filter(
    (one) => one.channel === kind.channel,
  );
  if (!onChannel.some((one) => one.name === name)) return;
  const message =
    name === kind.kind
      ? "is needed: there is an account of this kind without one"
      : "is taken by another account of this channel";
  throw new InvalidInput([{ field: "name", message }]);
}

function targetOf({ channel, kind, name }: Provider): string {
  return name === kind ? `${channel} ${kind}` : `${channel} ${kind} ${name}`;
}

function recorded(provider: Provider): object {
  const { kind, name, settings, maxPerSecond, active, position } = provider;
  return { kind, name, settings, maxPerSecond, active, position };
}
