import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ActServices, Caller } from "@belfry/administration/act";
import { createDatabase, createPool, type Database, type Pool } from "@belfry/database/connection";
import { decryptSecret, parseSecretKeys, webhookOwner } from "@belfry/database/secrets";
import { type HomeFolder, type LocalJson, readJson, writeJson } from "../home-folder.ts";
import { DEMO_WEBHOOKS_PATH } from "./demo-backend.ts";

const run = promisify(execFile);
const DEMO_TENANT = { name: "Demo", perMinute: 6_000, dailyCap: 1_000_000 };
const SAMPLE_TENANT = { name: "Northwind (sample data)" };

/** The actor that the audit log shows. */
const LOCAL_ACTOR = { personId: null, person: "the local stack", address: "localhost" };

export interface SeedOptions {
  databaseUrl: string;
  secretsKeys: string;
  home: HomeFolder;
  urls: Pick<LocalJson, "adminUrl" | "demoUrl">;
  /** Whether to create a second tenant with a month of events, too. */
  withSample: boolean;
  say: (line: string) => void;
}

/** The content of `tenant.json`. It contains the API key, because the database has only the key's hash. */
interface KeptTenant {
  id: string;
  name: string;
  apiKey: string;
  /**
   * Whether templates and providers were created. After that the user may change them, so they are not created again.
   */
  seeded: boolean;
}

/**
 * Finds or creates what the demo needs: the tenant with sandbox providers and templates, and its webhook endpoint. As
 * long as there is no operator, it also returns a link that makes its reader the first operator.
 */
export async function seedStack(options: SeedOptions) {
  const { databaseUrl, secretsKeys, urls } = options;
  const pool = createPool({ url: databaseUrl, applicationName: "belfry-local", maxConnections: 2 });
  const db = createDatabase(pool);
  try {
    const tenant = await seedDemoTenant(db, options);
    if (options.withSample) await seedSampleTenant(pool, options);
    const endpoint = { tenantId: tenant.id, demoUrl: urls.demoUrl, secretsKeys };
    const signingSecret = await seedWebhook(db, endpoint);
    const { firstOperatorToken } = await import("@belfry/administration/people/invitations");
    const token = await firstOperatorToken(db);
    const operatorLink = token === undefined ? undefined : `${urls.adminUrl}/join/${token}`;
    return { tenant, signingSecret, operatorLink };
  } finally {
    await db.destroy();
  }
}

async function seedDemoTenant(db: Database, options: SeedOptions): Promise<LocalJson["tenant"]> {
  const { home, say } = options;
  let kept = await readJson<KeptTenant>(home.tenantFile);
  if (kept === undefined || !(await isKeyValid(db, kept))) {
    // Imported only here, because these modules load large libraries, which later starts do not need.
    const { createTenant } = await import("@belfry/administration/tenants/tenants");
    const { id, name, apiKey } = await createTenant(db, DEMO_TENANT);
    kept = { id, name, apiKey, seeded: false };
    await writeJson(home.tenantFile, kept);
  }
  if (!kept.seeded) {
    await seedTemplates(kept.id, options);
    await writeJson(home.tenantFile, { ...kept, seeded: true });
    say(`demo tenant ${kept.id}: sandbox providers and templates are in place`);
  }
  return { id: kept.id, name: kept.name, apiKey: kept.apiKey };
}

/** Runs `seed-templates.ts` as a child process, because compiling templates takes memory that only its end frees. */
async function seedTemplates(
  tenantId: string,
  options: Pick<SeedOptions, "databaseUrl" | "secretsKeys">,
) {
  await run(process.execPath, [join(import.meta.dirname, "seed-templates.ts")], {
    env: {
      // biome-ignore lint/style/noProcessEnv: the seeding runs in the environment of the stack
      ...process.env,
      DATABASE_URL: options.databaseUrl,
      SECRETS_KEYS: options.secretsKeys,
      TENANT_ID: tenantId,
    },
  });
}

/**
 * Creates a second tenant if there is none: with the demo's providers and templates and a month of events up to `now`,
 * as the services would have stored them (`month.sql`). Returns the tenant's id.
 */
export async function seedSampleTenant(
  pool: Pool,
  options: Pick<SeedOptions, "databaseUrl" | "secretsKeys" | "say">,
  now = new Date(),
): Promise<string> {
  const { rows } = await pool.query("select id from tenants where name = $1", [SAMPLE_TENANT.name]);
  if (rows.length > 0) return rows[0].id;
  const { createTenant } = await import("@belfry/administration/tenants/tenants");
  const { id } = await createTenant(createDatabase(pool), SAMPLE_TENANT);
  await seedTemplates(id, options);
  const month = await readFile(join(import.meta.dirname, "month.sql"), "utf8");
  await pool.query(month, [id, now]);
  options.say(`sample tenant ${id}: a month of events is in place`);
  return id;
}

/** Whether the stored key still works. The home folder may now be used with another database. */
async function isKeyValid(db: Database, kept: KeptTenant): Promise<boolean> {
  const row = await db
    .selectFrom("api_keys")
    .select("expires_at")
    .where("tenant_id", "=", kept.id)
    .where("sha256", "=", createHash("sha256").update(kept.apiKey).digest())
    .executeTakeFirst();
  return row !== undefined && (row.expires_at === null || row.expires_at > new Date());
}

/**
 * Finds or creates the tenant's webhook endpoint for the demo page, and changes its URL if the page's port has changed.
 * Returns the current signing secret, because an operator may have rotated it in the Admin UI.
 */
export async function seedWebhook(
  db: Database,
  { tenantId, demoUrl, secretsKeys }: { tenantId: string; demoUrl: string; secretsKeys: string },
): Promise<string> {
  const url = `${demoUrl}${DEMO_WEBHOOKS_PATH}`;
  const keys = parseSecretKeys(secretsKeys);
  const all = await db
    .selectFrom("webhooks")
    .select(["id", "url", "secret"])
    .where("tenant_id", "=", tenantId)
    .execute();
  const found =
    all.find((one) => one.url === url) ??
    all.find((one) => URL.parse(one.url)?.pathname === DEMO_WEBHOOKS_PATH);
  if (found?.url !== url) {
    const { changeWebhook, putWebhook } = await import("@belfry/administration/webhooks/webhooks");
    const { runAct } = await import("@belfry/administration/act");
    const services = { keys: async () => keys, allowPrivateWebhooks: async () => true };
    const caller = localCaller(db, tenantId, services);
    if (found === undefined) {
      const made = await runAct(putWebhook, caller, { url, description: "the demo page" });
      return made.secret!;
    }
    await runAct(changeWebhook, caller, { webhookId: found.id, url });
  }
  return decryptSecret(keys, webhookOwner(tenantId, found.id), found.secret);
}

/** Returns a caller that may run every act of its tenants. `services` must contain what the acts of the seed need. */
export function localCaller(
  db: Database,
  tenantId: string,
  services: Partial<ActServices>,
): Caller {
  return { db, tenantId, actor: LOCAL_ACTOR, services: services as ActServices, may: () => true };
}
