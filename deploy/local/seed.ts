import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { PROVIDER_CHANNELS } from "@belfry/contracts/channels";
import { createDatabase, createPool, type Database } from "@belfry/database/connection";
import { parseSecretKeys } from "@belfry/database/secrets";
import { DEMO_TEMPLATES } from "./demo-templates.ts";
import { type HomeFolder, type LocalJson, readJson, writeJson } from "./home-folder.ts";

const DEMO_TENANT = { name: "Demo", perMinute: 6_000, dailyCap: 1_000_000 };

/** `tenant.json`: the key is kept, since the database has only its hash. */
interface KeptTenant {
  id: string;
  name: string;
  apiKey: string;
  /** Templates and providers are there too; after that they are the newcomer's to change. */
  seeded: boolean;
}

/**
 * Finds the demo tenant of this home, or makes it: sandbox providers on EMAIL and SMS, templates on
 * all three channels, and the platform's `global.*` templates where there are none.
 */
export async function seedDemoTenant(options: {
  databaseUrl: string;
  secretsKeys: string;
  home: HomeFolder;
  say: (line: string) => void;
}): Promise<LocalJson["tenant"]> {
  const { home, say } = options;
  const db = createDatabase(
    createPool({ url: options.databaseUrl, applicationName: "belfry-local", maxConnections: 2 }),
  );
  try {
    let kept = await readJson<KeptTenant>(home.tenantFile);
    if (kept !== undefined && !(await keyIsLive(db, kept))) kept = undefined;
    if (kept === undefined) {
      // Loaded when needed: compiling templates takes large libraries, and a second start is quick.
      const { createTenant } = await import("@belfry/administration/tenants");
      const { id, name, apiKey } = await createTenant(db, DEMO_TENANT);
      kept = { id, name, apiKey, seeded: false };
      await writeJson(home.tenantFile, kept);
    }
    if (!kept.seeded) {
      await seedConfiguration(db, kept.id, options.secretsKeys);
      await writeJson(home.tenantFile, { ...kept, seeded: true });
      say(`demo tenant ${kept.id}: sandbox providers and templates are in place`);
    }
    return { id: kept.id, name: kept.name, apiKey: kept.apiKey };
  } finally {
    await db.destroy();
  }
}

async function seedConfiguration(db: Database, tenantId: string, keys: string): Promise<void> {
  const { putProvider } = await import("@belfry/administration/providers");
  const { listTemplates, putTemplate } = await import("@belfry/administration/templates");
  for (const channel of PROVIDER_CHANNELS) {
    await putProvider(
      db,
      { tenantId, channel, kind: "sandbox", settings: {} },
      { keys: parseSecretKeys(keys) },
    );
  }
  const there = await listTemplates(db, tenantId);
  for (const { file, ...template } of DEMO_TEMPLATES) {
    const isThere = there.some(
      (one) => one.eventType === template.eventType && one.channel === template.channel,
    );
    if (isThere) continue;
    const content = await readFile(join(import.meta.dirname, "demo-templates", file), "utf8");
    await putTemplate(db, { ...template, tenantId, content });
  }
}

/** Another database may stand behind the same home folder now. */
async function keyIsLive(db: Database, kept: KeptTenant): Promise<boolean> {
  const row = await db
    .selectFrom("api_keys")
    .select("expires_at")
    .where("tenant_id", "=", kept.id)
    .where("sha256", "=", createHash("sha256").update(kept.apiKey).digest())
    .executeTakeFirst();
  return row !== undefined && (row.expires_at === null || row.expires_at > new Date());
}
