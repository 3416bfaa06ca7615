import { randomBytes } from "node:crypto";
import { listed } from "@belfry/contracts/channels";
import { documented, integer, orNull, secretOnce } from "@belfry/contracts/fields";
import { MAX_LIVE_API_KEYS, UUID } from "@belfry/contracts/identifiers";
import { KEY_ROLES, type KeyRole } from "@belfry/contracts/key-roles";
import { encryptSecret, webhookSecretOwner } from "@belfry/database/secrets";
import { Type } from "@sinclair/typebox";
import { sql } from "kysely";
import { type Access, choice, defineAct, defineRead, note, optional } from "../act.ts";
import { invalid, NotFound } from "../input-error.ts";
import {
  type ApiKeyRow,
  apiKeyName,
  deleteApiKey,
  deleteOldApiKeys,
  expireApiKeys,
  insertApiKey,
  liveApiKeys,
  newApiKey,
} from "./api-key.ts";
import { webhookSecret } from "./tenant-input.ts";
import { holdTenant, tenantNotFound } from "./tenant-rows.ts";
import {
  ApiKey,
  EXAMPLE_KEY,
  EXAMPLE_TENANT,
  showTenant,
  Tenant,
  updateTenant,
} from "./tenants.ts";

/** Access of owners in person. No API key has it, because otherwise keys could create keys. */
export const OWN: Access = { scope: "tenant", person: "owner" };

/** A day, so that the tenant can install a new key on every machine. */
const DEFAULT_OVERLAP_SECONDS = 24 * 60 * 60;
const MAX_OVERLAP_SECONDS = 30 * 24 * 60 * 60;

export function overlapSeconds(description: string) {
  return optional(integer({ minimum: 0, maximum: MAX_OVERLAP_SECONDS }, { description }));
}

const keyRole = (description: string) => optional(choice(KEY_ROLES, description));
const ofKey = {
  prefix: ApiKey.properties.prefix,
  name: orNull(Type.String()),
  role: ApiKey.properties.role,
};
const SHOP = { prefix: EXAMPLE_KEY.prefix, name: EXAMPLE_KEY.name, role: EXAMPLE_KEY.role };

export const createKey = defineAct({
  name: "tenant key create",
  http: "POST /keys",
  access: OWN,
  configures: true,
  summary: "Create another API key beside the existing ones; it is printed only now",
  input: Type.Object({
    name: optional(apiKeyName("what people call it")),
    role: keyRole(
      "what it may do: all (the default; every call except management), trigger (send, move and cancel events), read (change nothing), manage (templates, categories, users) or provision (manage, and change providers and endpoints)",
    ),
  }),
  output: Type.Object({
    tenantId: Type.String(),
    apiKey: secretOnce("The key"),
    ...ofKey,
  }),
  example: {
    input: { name: "shop" },
    output: { tenantId: EXAMPLE_TENANT.id, apiKey: "bf_3kQ9zT…", ...SHOP },
  },
  async run({ db, tenantId }, { name = "", role = "all" }) {
    const { apiKey, ...stored } = newApiKey();
    const given = { name: name || null, role };
    await holdTenant(db, tenantId, "id");
    if ((await liveApiKeys(db, [tenantId])).length >= MAX_LIVE_API_KEYS) {
      throw invalid("keys", `are ${MAX_LIVE_API_KEYS} already: revoke one first`);
    }
    await insertApiKey(db, tenantId, { ...stored, ...given });
    return { output: { tenantId, apiKey, prefix: stored.prefix, ...given } };
  },
  audit: (_, { output }) => note("key.create", keyTarget(output), { after: { role: output.role } }),
});

export const listKeys = defineRead({
  name: "tenant key list",
  http: "GET /keys",
  access: { scope: "tenant", person: "viewer" },
  summary: "The live keys, newest first: id, first characters, name, role, last use",
  input: Type.Object({}),
  output: Type.Array(ApiKey),
  example: { input: {}, output: [EXAMPLE_KEY] },
  run: async ({ db, tenantId }) => (await showTenant(db, tenantId)).apiKeys,
});

export const revokeKey = defineAct({
  name: "tenant key revoke",
  http: "DELETE /keys/:keyId",
  access: OWN,
  configures: true,
  summary: "Revoke an API key, within 5 s in all services; `tenant key list` shows its id",
  input: Type.Object({ keyId: documented({ description: "the key's id" }) }),
  output: Type.Object({
    tenantId: Type.String(),
    id: Type.String(),
    ...ofKey,
    revoked: Type.Literal(true),
  }),
  example: {
    input: { keyId: EXAMPLE_KEY.id },
    output: { tenantId: EXAMPLE_TENANT.id, id: EXAMPLE_KEY.id, ...SHOP, revoked: true },
  },
  flags: { keyId: "<keyId>" },
  async run({ db, tenantId }, { keyId: id }) {
    const gone = UUID.test(id) ? await deleteApiKey(db, tenantId, id) : undefined;
    if (gone === undefined) {
      throw new NotFound("keyId", `the tenant has no key with the id ${JSON.stringify(id)}`);
    }
    return { output: { tenantId, id, ...gone, revoked: true as const } };
  },
  audit: (_, { output }) =>
    note("key.revoke", keyTarget(output), { before: { role: output.role } }),
});

export const rotateKey = defineAct({
  name: "tenant rotate-key",
  http: "POST /keys/rotate",
  access: OWN,
  configures: true,
  summary:
    "Create an API key that replaces the others; it is printed only now, and the others end after the overlap",
  description:
    "The keys of its role go on working for the overlap, or less where they were to end sooner. Those of other roles stay.",
  input: Type.Object({
    overlapSeconds: overlapSeconds(
      `how long the keys before go on working, 0 to ${MAX_OVERLAP_SECONDS} (default: ${DEFAULT_OVERLAP_SECONDS}, a day); at most ${MAX_LIVE_API_KEYS} live keys`,
    ),
    name: optional(apiKeyName("what people call the new key; default: as the newest before it")),
    role: keyRole("of which keys, where there are several roles; those of other roles stay"),
  }),
  output: Type.Object({ apiKey: secretOnce("The new key"), ...Tenant.properties }),
  example: { input: {}, output: { apiKey: "bf_3kQ9zT…", ...EXAMPLE_TENANT } },
  async run({ db, tenantId }, { name = "", role: given, overlapSeconds: overlap }) {
    const seconds = overlap ?? DEFAULT_OVERLAP_SECONDS;
    const { apiKey, ...stored } = newApiKey();
    await holdTenant(db, tenantId, "id");
    const before = await liveApiKeys(db, [tenantId]);
    const role = given ?? onlyRole(before);
    const newest = before.find((key) => key.role === role);
    await expireApiKeys(db, tenantId, role, seconds);
    const live = await liveApiKeys(db, [tenantId]);
    if (live.length >= MAX_LIVE_API_KEYS) {
      const message = `must be 0: the tenant has ${MAX_LIVE_API_KEYS} live keys, and no more may overlap`;
      throw invalid("overlapSeconds", message);
    }
    await deleteOldApiKeys(db, tenantId);
    const key = { ...stored, role, name: name || (newest?.name ?? null) };
    await insertApiKey(db, tenantId, key);
    return { output: { apiKey, ...(await showTenant(db, tenantId)) }, seconds };
  },
  audit(_, { output: { apiKeys }, seconds }) {
    const [key] = apiKeys;
    const after = { role: key?.role, othersEndAfterHours: seconds / 3600 };
    return note("key.rotate", key === undefined ? "" : keyTarget(key), { after });
  },
});

/**
 * Returns the role that all valid keys have, for a call that names none. Throws `InvalidInput` if they have several
 * roles.
 */
function onlyRole(keys: readonly ApiKeyRow[]): KeyRole {
  const roles = [...new Set(keys.map((key) => key.role))];
  if (roles.length < 2) return roles[0] ?? "all";
  throw invalid("role", `must be given: the live keys have the roles ${listed(roles, "and")}`);
}

function keyTarget({ prefix, name }: { prefix: string; name: string | null }): string {
  return name === null ? `${prefix}…` : `${prefix}… ${name}`;
}

export const rotateWebhookSecret = defineAct({
  name: "tenant rotate-webhook-secret",
  http: "POST /webhook-secret/rotate",
  access: OWN,
  configures: true,
  summary: "Set the secret that signs its triggers; the one before ends after the overlap",
  description: "If two secrets are valid already, the older one ends at once.",
  input: Type.Object({
    webhookSecret: optional(webhookSecret),
    overlapSeconds: overlapSeconds(
      "how long the one before is taken besides, 0 to 2592000 (default: 0)",
    ),
  }),
  output: Type.Object({
    ...Tenant.properties,
    createdSecret: optional(secretOnce("The secret, where none was given")),
  }),
  example: {
    input: { overlapSeconds: 86_400 },
    output: { ...EXAMPLE_TENANT, webhookSecret: true, createdSecret: "whsec_Zk3…" },
  },
  async run({ db, tenantId, services }, input) {
    // 256 bits.
    const made = `whsec_${randomBytes(32).toString("base64url")}`;
    const { webhookSecret: secret = made, overlapSeconds: seconds = 0 } = input;
    const owner = webhookSecretOwner(tenantId);
    const ciphertext = await encryptSecret(await services.keys(), owner, secret);
    // The previous secret stays valid only if there is one and an overlap is given.
    const overlaps = sql`webhook_secret is not null and ${seconds}::integer > 0`;
    const { numAffectedRows = 0n } = await sql`
      update tenants set
        previous_webhook_secret = case when ${overlaps} then webhook_secret end,
        previous_webhook_secret_until = case when ${overlaps}
          then now() + ${seconds} * interval '1 second' end,
        webhook_secret = ${ciphertext}, updated_at = now()
      where id = ${tenantId}`.execute(db);
    if (numAffectedRows === 0n) throw tenantNotFound(tenantId);
    const tenant = await showTenant(db, tenantId);
    return { output: secret === made ? { ...tenant, createdSecret: made } : tenant };
  },
  audit: (_, { output }) =>
    note("webhook-secret.create", "webhook secret", {
      after: { theOneBeforeEndsAt: output.previousWebhookSecretUntil },
    }),
});

export const removeWebhookSecret = defineAct({
  name: "tenant remove-webhook-secret",
  http: "DELETE /webhook-secret",
  access: OWN,
  summary: "Remove the secret: triggers need no signature any more",
  input: Type.Object({}),
  output: Tenant,
  example: { input: {}, output: EXAMPLE_TENANT },
  async run({ db, tenantId }) {
    const before = await showTenant(db, tenantId);
    return { output: await updateTenant(db, tenantId, { webhookSecret: null }), before };
  },
  audit: (_, { before }) =>
    before.webhookSecret ? note("webhook-secret.remove", "webhook secret") : undefined,
});
