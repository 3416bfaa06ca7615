import { auditedAfter } from "@belfry/administration/audited";
import { InvalidInput, invalid, NotFound } from "@belfry/administration/input-error";
import {
  providerActivated,
  providerSaved,
  providerTested,
} from "@belfry/administration/providers/provider-notes";
import { providerKinds } from "@belfry/administration/providers/provider-settings";
import {
  listProviders,
  type Provider,
  putProvider,
  showProvider,
} from "@belfry/administration/providers/providers";
import { renameProvider } from "@belfry/administration/providers/rename-provider";
import { useProvider } from "@belfry/administration/providers/use-provider";
import { sendProviderTest } from "@belfry/administration/templates/send-test";
import { ADDRESSES } from "@belfry/contracts/addresses";
import { isProviderChannel, sentRow } from "@belfry/contracts/channels";
import { webhookPath } from "@belfry/contracts/receipt";
import type { Database } from "@belfry/database/connection";
import { receiptReader } from "@belfry/providers/receipt-readers";
import { type Answer, type Faults, orFaults, page, redirect } from "../drawing/answer.ts";
import type { PageDeps } from "../page-deps.ts";
import type { InTenant } from "../router.ts";
import { fieldsOf, settingsFaults, settingsOf } from "./settings-form.ts";

interface Shown {
  /** undefined: the account is new. */
  provider?: Provider | undefined;
  /** What was typed. */
  given?: URLSearchParams;
  faults?: Faults;
  test?: object;
}

/**
 * One account at a vendor: a form drawn from the settings' schema, secrets write-only, and a test. A new
 * one stands last and is not used before the vendor has accepted a test: live mail never finds out.
 */
export function providerFormPages({ route, db, keys, config, once }: PageDeps): void {
  const options = { keys, allowPrivateAddresses: config.allowPrivateAddresses };

  const show = async (
    tenantId: string,
    channelName: string | null,
    kindName: string | null,
    { provider, given, faults = {}, test }: Shown = {},
  ): Promise<Answer> => {
    const { kind, channel } = await kindOf(channelName, kindName);
    const receipts = receiptReader(kind.kind);
    const name = provider === undefined || provider.name === kind.kind ? "" : provider.name;
    return page("provider-form", kind.title, {
      kind,
      channel,
      address: ADDRESSES[sentRow(channel).address],
      provider,
      name: given?.get("name") ?? name,
      fields: fieldsOf(kind.settings, provider?.settings, given),
      maxPerSecond: given?.get("maxPerSecond") ?? provider?.maxPerSecond ?? "",
      faults,
      receipts: receipts && {
        address: config.apiUrl + webhookPath(kind.kind, tenantId),
        askedByMessage: receipts.askedByMessage,
      },
      test,
      isFirst: provider !== undefined && (await isFirst(db, provider)),
    });
  };

  const save = async (
    context: InTenant,
    channelName: string | null,
    kindName: string | null,
    provider?: Provider,
  ): Promise<Answer> => {
    const { tenant, form: given, audited, base } = context;
    const { kind, channel } = await kindOf(channelName, kindName);
    const rate = (given.get("maxPerSecond") ?? "").trim();
    const name = (given.get("name") ?? "").trim() || kind.kind;
    const input = {
      tenantId: tenant.id,
      channel,
      kind: kind.kind,
      name,
      settings: settingsOf(kind.settings, given),
      maxPerSecond: rate === "" ? null : Number(rate),
      keepSecrets: provider !== undefined,
      active: provider?.active ?? false,
      position: provider === undefined ? ("last" as const) : undefined,
    };
    try {
      const saved = await audited(
        async (transaction) => {
          if (provider === undefined) await refuseTakenName(transaction, input);
          else if (provider.name !== name) await renameProvider(transaction, provider, name);
          return await putProvider(transaction, input, options);
        },
        (after) => providerSaved(provider, after),
      );
      const said = provider === undefined ? "provider-added" : saved.active ? "in-use" : "saved";
      return redirect(`${base}/providers/${saved.id}`, said);
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      const shown = { provider, given, faults: settingsFaults(error.faults) };
      const answer = await show(tenant.id, channel, kindName, shown);
      return answer.kind === "page" ? { ...answer, status: 422 } : answer;
    }
  };

  route("GET /tenants/:tenantId/providers/new", ({ query, tenant }) =>
    show(tenant.id, query.get("channel"), query.get("kind")),
  );

  route("POST /tenants/:tenantId/providers", (context) =>
    save(context, context.form.get("channel"), context.form.get("kind")),
  );

  const found = ({ tenant, params }: InTenant) =>
    showProvider(db, { id: params.providerId ?? "", tenantId: tenant.id });

  route("GET /tenants/:tenantId/providers/:providerId", async (context) => {
    const provider = await found(context);
    const test = await once.take(context);
    return await show(context.tenant.id, provider.channel, provider.kind, { provider, test });
  });

  route("POST /tenants/:tenantId/providers/:providerId", async (context) => {
    const provider = await found(context);
    return await save(context, provider.channel, provider.kind, provider);
  });

  route("POST /tenants/:tenantId/providers/:providerId/test", async (context) => {
    const provider = await found(context);
    const { tenant, actor, audited, form: given, base, person } = context;
    const to = given.get("to") ?? "";
    const again = (shown: Shown) =>
      show(tenant.id, provider.channel, provider.kind, { provider, ...shown });
    return await orFaults(
      async () => {
        const { outcome } = await auditedAfter(
          db,
          actor,
          () => sendProviderTest(db, { id: provider.id, tenantId: tenant.id }, to, options),
          (result) => providerTested(provider, result.outcome),
        );
        const path = `${base}/providers/${provider.id}#test`;
        if (outcome.class !== "accepted" || !given.has("activate")) {
          return await once.show(person, path, { to, outcome });
        }
        await audited(
          (transaction) => useProvider(transaction, provider, { first: false }),
          providerActivated,
        );
        return await once.show(person, path, { to, outcome, isActivated: true });
      },
      (faults) => again({ faults, test: { to, wasRefused: true } }),
    );
  });
}

/** Whether it is the one that sends. */
async function isFirst(db: Database, { id, tenantId, channel }: Provider): Promise<boolean> {
  const all = await listProviders(db, tenantId);
  return all.find((one) => one.channel === channel && one.active)?.id === id;
}

async function kindOf(channel: string | null, name: string | null) {
  const kinds = isProviderChannel(channel) ? await providerKinds(channel) : [];
  const kind = kinds.find((row) => row.kind === name);
  if (!isProviderChannel(channel) || kind === undefined) {
    throw new NotFound("kind", "no such kind of provider");
  }
  return { kind, channel };
}

/** Here nobody means to replace another account's settings, as putting it would. */
async function refuseTakenName(
  db: Database,
  { tenantId, channel, kind, name }: Pick<Provider, "tenantId" | "channel" | "kind" | "name">,
): Promise<void> {
  const all = await listProviders(db, tenantId);
  if (!all.some((one) => one.channel === channel && one.name === name)) return;
  const message =
    name === kind
      ? "is needed: there is an account of this kind without one"
      : "is taken by another account of this channel";
  throw invalid("name", message);
}
