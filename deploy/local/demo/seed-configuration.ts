/**
 * A program: gives the demo tenant sandbox providers on EMAIL (two) and SMS and the demo templates it has not
 * got, and ends.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ActServices, runAct } from "@belfry/administration/act";
import { LAST_POSITION } from "@belfry/administration/providers/providers";
import { putTemplate } from "@belfry/administration/templates/put-template";
import { readTemplates } from "@belfry/administration/templates/templates";
import { putActiveProvider } from "@belfry/administration/test-providers";
import { PROVIDER_CHANNELS } from "@belfry/contracts/channels";
import { createDatabase, createPool } from "@belfry/database/connection";
import { parseSecretKeys } from "@belfry/database/secrets";
import { loadConfig } from "@belfry/service/config";
import { Type } from "@sinclair/typebox";
import { DEMO_TEMPLATES } from "./demo-templates.ts";

const config = loadConfig(
  Type.Object({
    DATABASE_URL: Type.String({ description: "The stack's Postgres", secret: true }),
    SECRETS_KEYS: Type.String({ description: "Keys that encrypt settings", secret: true }),
    TENANT_ID: Type.String({ description: "The demo tenant" }),
  }),
);
const tenantId = config.TENANT_ID;
const keys = parseSecretKeys(config.SECRETS_KEYS);
const db = createDatabase(
  createPool({ url: config.DATABASE_URL, applicationName: "belfry-local", maxConnections: 2 }),
);
const caller = {
  db,
  tenantId,
  actor: { personId: null, person: "the local stack", address: "localhost" },
  services: {} as ActServices,
  may: () => true,
};
try {
  for (const channel of PROVIDER_CHANNELS) {
    await putActiveProvider(db, { tenantId, channel, kind: "sandbox", settings: {} }, { keys });
  }
  // The second takes over where the first fails: the page has addresses at which it does.
  await putActiveProvider(
    db,
    {
      ...{ tenantId, channel: "EMAIL", kind: "sandbox", name: "second sandbox" },
      ...{ settings: { takesAll: true }, position: LAST_POSITION },
    },
    { keys },
  );
  const there = await readTemplates(db, tenantId);
  for (const { file, ...template } of DEMO_TEMPLATES) {
    const isThere = there.some(
      (one) => one.eventType === template.eventType && one.channel === template.channel,
    );
    if (isThere) continue;
    const content = await readFile(join(import.meta.dirname, "demo-templates", file), "utf8");
    await runAct(putTemplate, caller, { ...template, content });
  }
} finally {
  await db.destroy();
}
