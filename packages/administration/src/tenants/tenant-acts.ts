import { documented, orNull, secretOnce } from "@belfry/contracts/fields";
import { DEFAULT_DAILY_CAP, DEFAULT_PER_MINUTE } from "@belfry/contracts/identifiers";
import { type Static, Type } from "@sinclair/typebox";
import {
  type ActContext,
  defineAct,
  defineRead,
  note,
  OPERATE,
  optional,
  PROVISION,
} from "../act.ts";
import { apiKeyName, liveApiKeys } from "./api-key.ts";
import { type TenantInput, tenantName, tenantSettings, webhookSecret } from "./tenant-input.ts";
import { allTenants } from "./tenant-rows.ts";
import {
  createTenant,
  EXAMPLE_TENANT,
  NEW_TENANT,
  setTenantActive,
  showTenant,
  Tenant,
  tenantView,
  updateTenant,
} from "./tenants.ts";

/** Input field of a tenant's id. Its form is not checked: an id that no tenant has is reported as unknown. */
export const tenantId = documented({ description: "the tenant's id" });

const named = Type.Object({ id: tenantId });
const NAMED = { id: EXAMPLE_TENANT.id };
/** Command-line names of the settings. */
const SETTINGS_FLAGS = {
  dailyCap: "--daily-cap <n|none>",
  deliveryChannels: "--channels <list|all>",
  eventRetentionDays: "--event-retention-days <n|default>",
  notificationRetentionDays: "--notification-retention-days <n|default>",
  timezone: "--timezone <name|none>",
  quietHours: "--quiet-hours <from-to|none>",
  linkSchemes: "--link-schemes <list|none>",
};

export const createTenantAct = defineAct({
  name: "tenant create",
  http: "POST /tenants",
  access: OPERATE,
  summary: "Create a tenant; prints its API key, only now",
  description: `Without limits given: ${DEFAULT_PER_MINUTE} a minute, ${DEFAULT_DAILY_CAP} a day, all channels.`,
  input: Type.Object({
    name: tenantName,
    keyName: optional(apiKeyName("what people call its API key")),
    ...tenantSettings,
    webhookSecret: optional(webhookSecret),
  }),
  output: Type.Object({ apiKey: secretOnce("Its API key"), ...Tenant.properties }),
  example: { input: { name: "Acme" }, output: { apiKey: "bf_3kQ9zT…", ...EXAMPLE_TENANT } },
  flags: SETTINGS_FLAGS,
  async run({ db, services }, input) {
    return { output: await createTenant(db, input, await keysFor(services, input)) };
  },
  audit: (_, { output }) =>
    note("tenant.create", output.name, { tenantId: output.id, after: recorded(output) }),
});

export const listTenants = defineRead({
  name: "tenant list",
  http: "GET /tenants",
  access: OPERATE,
  summary: "All tenants, oldest first",
  input: Type.Object({}),
  output: Type.Array(Tenant),
  example: { input: {}, output: [EXAMPLE_TENANT] },
  async run({ db }) {
    const tenants = await allTenants(db);
    const ids = tenants.map(({ id }) => id);
    const keys = Map.groupBy(await liveApiKeys(db, ids), (key) => key.tenantId);
    return tenants.map((tenant) => tenantView(tenant, keys.get(tenant.id) ?? []));
  },
});

export const showTenantAct = defineRead({
  name: "tenant show",
  http: "GET /tenants/:id",
  access: OPERATE,
  summary: "One tenant with its live API keys (their prefixes and names)",
  input: named,
  output: Tenant,
  example: { input: NAMED, output: EXAMPLE_TENANT },
  flags: { id: "<id>" },
  run: ({ db }, { id }) => showTenant(db, id),
});

export const updateTenantAct = defineAct({
  name: "tenant update",
  http: "PATCH /tenants/:id",
  access: OPERATE,
  summary: "Change the given settings; applies within 5 s",
  description:
    "What is left out stays as it is. A webhook secret takes the place of the one before at once.",
  input: Type.Object({
    id: tenantId,
    name: optional(tenantName),
    ...tenantSettings,
    webhookSecret: optional(orNull(webhookSecret)),
  }),
  output: Tenant,
  example: { input: { ...NAMED, perMinute: 900 }, output: { ...EXAMPLE_TENANT, perMinute: 900 } },
  flags: { id: "<id>", ...SETTINGS_FLAGS },
  async run({ db, services }, { id, ...input }) {
    const before = await showTenant(db, id);
    return { output: await updateTenant(db, id, input, await keysFor(services, input)), before };
  },
  audit: ({ webhookSecret: secret }, { before, output }) =>
    note("tenant.update", output.name, {
      tenantId: output.id,
      before: recorded(before),
      after: {
        ...recorded(output),
        ...(secret !== undefined && { webhookSecret: secret === null ? "none" : "a new one" }),
      },
    }),
});

const { defaultLocale, timezone, quietHours } = tenantSettings;
const Defaults = Type.Object(
  {
    defaultLocale: Tenant.properties.defaultLocale,
    timezone: Tenant.properties.timezone,
    quietHours: Tenant.properties.quietHours,
  },
  { title: "TenantDefaults" },
);

/** Changes settings that a tenant's own people and programs may change, not only an operator. */
export const setDefaults = defineAct({
  name: "tenant defaults",
  http: "PATCH /defaults",
  access: PROVISION,
  summary: "Set the tenant's language, time zone and quiet hours; applies within 5 s",
  description: "Fields that are left out keep their values.",
  input: Type.Object({ defaultLocale, timezone, quietHours }),
  output: Defaults,
  example: {
    input: { timezone: "Europe/Berlin" },
    output: { ...defaultsOf(EXAMPLE_TENANT), timezone: "Europe/Berlin" },
  },
  flags: { timezone: SETTINGS_FLAGS.timezone, quietHours: SETTINGS_FLAGS.quietHours },
  async run({ db, tenantId }, input) {
    const before = defaultsOf(await showTenant(db, tenantId));
    return { output: defaultsOf(await updateTenant(db, tenantId, input)), before };
  },
  audit: (_, { before, output: after }) => note("tenant.defaults", "defaults", { before, after }),
});

function defaultsOf({ defaultLocale, timezone, quietHours }: Tenant): Static<typeof Defaults> {
  return { defaultLocale, timezone, quietHours };
}

export const activateTenant = activation(true, {
  summary: "Activate a tenant again; messages that were skipped stay skipped",
});

export const deactivateTenant = activation(false, {
  summary: "Deactivate a tenant: its calls are answered 401, and its waiting messages are skipped",
});

function activation(active: boolean, { summary }: { summary: string }) {
  const verb = active ? "activate" : "deactivate";
  return defineAct({
    name: `tenant ${verb}`,
    http: `POST /tenants/:id/${verb}`,
    access: OPERATE,
    summary,
    input: named,
    output: Tenant,
    example: { input: NAMED, output: { ...EXAMPLE_TENANT, active } },
    flags: { id: "<id>" },
    async run({ db }, { id }) {
      const before = await showTenant(db, id);
      return { output: await setTenantActive(db, id, active), before };
    },
    audit: (_, { before, output: { id, name } }) =>
      note(`tenant.${verb}`, name, {
        tenantId: id,
        before: { active: before.active },
        after: { active },
      }),
  });
}

/** Returns a tenant's settings for the audit log, without keys and secrets. */
export function recorded(tenant: Tenant): object {
  const names = ["name", ...Object.keys(NEW_TENANT), "quietHours"] as (keyof Tenant)[];
  return Object.fromEntries(names.map((name) => [name, tenant[name]]));
}

/** Returns the keys for secrets at rest if there is a secret to encrypt. */
async function keysFor(services: ActContext["services"], { webhookSecret: secret }: TenantInput) {
  return typeof secret === "string" ? await services.keys() : undefined;
}
