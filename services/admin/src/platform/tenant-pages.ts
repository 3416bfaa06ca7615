import {
  requestTenantDeletion,
  showTenantDeletion,
  whatTenantHas,
} from "@belfry/administration/erasure/tenant-deletions";
import { readProviders } from "@belfry/administration/providers/providers";
import {
  activateTenant,
  createTenantAct,
  deactivateTenant,
  setDefaults,
  updateTenantAct,
} from "@belfry/administration/tenants/tenant-acts";
import type { TenantInput } from "@belfry/administration/tenants/tenant-input";
import { isBeingDeleted, searchTenants } from "@belfry/administration/tenants/tenant-rows";
import { showTenant, type Tenant } from "@belfry/administration/tenants/tenants";
import { CHANNEL_ROWS, CHANNELS, type Channel } from "@belfry/contracts/channels";
import {
  DEFAULT_ATTACHMENT_MIB,
  DEFAULT_DAILY_CAP,
  DEFAULT_PER_MINUTE,
  TENANT_ID,
} from "@belfry/contracts/identifiers";
import { keptDays } from "@belfry/database/configuration-version";
import type { Database } from "@belfry/database/connection";
import { type Answer, type Faults, orFaults, page, redirect } from "../page/answer.ts";
import { typedQuietHours, typedTexts, wholeNumber } from "../page/form-fields.ts";
import { say, type Words } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";
import { quotaUsed } from "../tenant/quota-used.ts";

const TENANTS_PER_PAGE = 50;
/** The name of a new tenant's first API key. */
const FIRST_KEY = "first key";

/**
 * Registers the settings page of a tenant for its members, and for operators the pages that list, add and change
 * tenants.
 */
export function tenantPages({ route, db, once, config }: PageDeps): void {
  route("GET /tenants", async ({ query }) => {
    const search = (query.get("search") ?? "").trim().replaceAll("\u0000", "");
    const after = query.get("after") ?? undefined;
    const found = await searchTenants(db, {
      search: search === "" ? undefined : search,
      limit: TENANTS_PER_PAGE + 1,
      after: after !== undefined && TENANT_ID.test(after) ? after : undefined,
    });
    const list = found.slice(0, TENANTS_PER_PAGE);
    const next = new URLSearchParams({
      ...(search === "" ? {} : { search }),
      after: list.at(-1)?.id ?? "",
    });
    return page("tenants", say`Tenants`, {
      list,
      search,
      isFirst: after === undefined,
      nextPage: found.length > TENANTS_PER_PAGE ? `?${next}` : undefined,
    });
  });

  route("GET /tenants/new", async () => showNew(DEFAULTS, {}));

  route("POST /tenants", async ({ form, run, person }) => {
    const values = valuesOf(form);
    return await orFaults(
      () =>
        run(createTenantAct, {
          ...inputOf(values),
          keyName: FIRST_KEY,
        }).then(({ apiKey, id }) =>
          once.show(person, `/tenants/${id}/keys`, { apiKey, isFirstKey: true }),
        ),
      (faults) => showNew(values, faults),
    );
  });

  const showSettings = async ({ tenant }: InTenant, given?: object, faults: Faults = {}) => {
    const about = await aboutTenant(db, tenant.id);
    const values = { ...valuesOfTenant(about.found), ...given };
    const api = { url: config.apiUrl, wsUrl: config.wsUrl };
    return page("tenant-settings", say`Tenant`, {
      ...about,
      api,
      values,
      faults,
      channels: CHANNELS,
      isBeingDeleted: await isBeingDeleted(db, tenant.id),
    });
  };

  route("GET /tenants/:tenantId/settings", (context) => showSettings(context));

  route("POST /tenants/:tenantId/settings", async (context) => {
    const { tenant, form, run, base } = context;
    const values = valuesOf(form);
    return await orFaults(
      () =>
        run(updateTenantAct, { ...inputOf(values), id: tenant.id }).then(() =>
          redirect(`${base}/settings`, "saved"),
        ),
      (faults) => showSettings(context, values, faults),
    );
  });

  route("POST /tenants/:tenantId/defaults", async (context) => {
    const { form, run, base } = context;
    const typed = typedTexts(form, ["defaultLocale", "timezone", "quietFrom", "quietTo"]);
    return await orFaults(
      () => run(setDefaults, defaultsOf(typed)).then(() => redirect(`${base}/settings`, "saved")),
      (faults) => showSettings(context, typed, faults),
    );
  });

  for (const [verb, act] of [
    ["activate", activateTenant],
    ["deactivate", deactivateTenant],
  ] as const) {
    route(`POST /tenants/:tenantId/${verb}`, async ({ tenant, run, base }) => {
      await run(act, { id: tenant.id });
      return redirect(`${base}/settings`, `${verb}d`);
    });
  }
}

const TEXTS = [
  "perMinute",
  "dailyCap",
  "maxAttachmentMib",
  // Empty if the retention of the installation applies.
  "eventRetentionDays",
  "notificationRetentionDays",
  "defaultLocale",
  // Empty for UTC.
  "timezone",
  "quietFrom",
  "quietTo",
  // Separated by commas.
  "linkSchemes",
] as const;

const DEFAULTS = {
  perMinute: DEFAULT_PER_MINUTE,
  dailyCap: DEFAULT_DAILY_CAP,
  maxAttachmentMib: DEFAULT_ATTACHMENT_MIB,
  defaultLocale: "en",
  deliveryChannels: [],
};

function showNew(values: object, faults: Faults): Answer {
  return page("tenant-new", say`New tenant`, { values, faults, channels: CHANNELS });
}

type Values = ReturnType<typeof valuesOf>;

/** Returns a tenant's form as it was typed. */
function valuesOf(form: URLSearchParams) {
  return {
    ...typedTexts(form, TEXTS),
    name: form.get("name") ?? "",
    noCap: form.has("noCap"),
    deliveryChannels: form.getAll("deliveryChannels"),
    dedupIncludesVariables: form.has("dedupIncludesVariables"),
    allowExecutables: form.has("allowExecutables"),
    browserDevices: form.has("browserDevices"),
  };
}

function valuesOfTenant(tenant: Tenant) {
  return {
    ...tenant,
    noCap: tenant.dailyCap === null,
    quietFrom: tenant.quietHours?.from,
    quietTo: tenant.quietHours?.to,
    linkSchemes: tenant.linkSchemes.join(", "),
  };
}

function defaultsOf(typed: Pick<Values, "defaultLocale" | "timezone" | "quietFrom" | "quietTo">) {
  return {
    defaultLocale: typed.defaultLocale || undefined,
    timezone: typed.timezone || null,
    quietHours: typedQuietHours(typed),
  };
}

function inputOf(values: Values) {
  const { name, dedupIncludesVariables, allowExecutables, browserDevices, linkSchemes } = values;
  const days = (text: string) => (text === "" ? null : wholeNumber(text));
  return {
    name,
    perMinute: wholeNumber(values.perMinute),
    dailyCap: values.noCap ? null : wholeNumber(values.dailyCap),
    // The act refuses an unknown channel, and names the field.
    deliveryChannels: values.deliveryChannels as TenantInput["deliveryChannels"],
    dedupIncludesVariables,
    allowExecutables,
    browserDevices,
    // A page from before an upgrade does not send the field. Then the setting does not change.
    maxAttachmentMib:
      values.maxAttachmentMib === "" ? undefined : wholeNumber(values.maxAttachmentMib),
    eventRetentionDays: days(values.eventRetentionDays),
    notificationRetentionDays: days(values.notificationRetentionDays),
    ...defaultsOf(values),
    linkSchemes: linkSchemes === "" ? [] : linkSchemes.split(",").map((scheme) => scheme.trim()),
  };
}

/** Registers the page that deletes a tenant. It first shows what is deleted, and asks for the tenant's name. */
export function deleteTenantPages({ route, db }: PageDeps): void {
  const askToDelete = async ({ tenant }: InTenant, typed = "", fault?: Words) =>
    page("tenant-delete", say`Delete ${tenant.name}`, {
      values: { typed },
      faults: { typed: fault },
      has: await whatTenantHas(db, tenant.id),
    });

  route("GET /tenants/:tenantId/delete", (context) => askToDelete(context));

  route("POST /tenants/:tenantId/delete", async (context) => {
    const { tenant, form, run } = context;
    const typed = form.get("typed") ?? "";
    return await orFaults(
      () =>
        run(requestTenantDeletion, { id: tenant.id, typed }).then(() =>
          redirect(`/deletions/${tenant.id}`),
        ),
      ({ typed: fault }) => askToDelete(context, typed, fault),
    );
  });

  route("GET /deletions/:deletedId", async ({ params, run }) => {
    const deletion = await run(showTenantDeletion, { id: params.deletedId ?? "" });
    return page("tenant-deletion", say`Deletion of ${deletion.name}`, { deletion });
  });
}

/** Returns a tenant's settings, used limits and retention, and the state of each channel. */
async function aboutTenant(db: Database, tenantId: string) {
  const [found, used, kept, providers] = await Promise.all([
    showTenant(db, tenantId),
    quotaUsed(db, tenantId),
    keptDays(db, tenantId),
    readProviders(db, tenantId),
  ]);
  const active = providers.filter((one) => one.active);
  const channelStates = CHANNELS.map((channel) => {
    const names = active.filter((one) => one.channel === channel).map(({ name }) => name);
    return { channel, ...stateOf(found, channel, names) };
  });
  return { found, used, kept, channelStates };
}

function stateOf({ deliveryChannels }: Tenant, channel: Channel, providers: readonly string[]) {
  if (deliveryChannels.length > 0 && !deliveryChannels.includes(channel)) {
    return { tone: "quiet", state: say`not allowed`, text: say`Nothing is sent here.` };
  }
  if (CHANNEL_ROWS[channel].sender === null) {
    return { tone: "good", state: say`allowed`, text: say`Needs no provider.` };
  }
  if (providers.length === 0) {
    return {
      tone: "busy",
      state: say`no provider`,
      text: say`No provider is active: this is skipped.`,
    };
  }
  return { tone: "good", state: say`allowed`, text: say`Sent by ${providers.join(" → ")}.` };
}
