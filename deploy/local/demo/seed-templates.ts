/**
 * A program that creates providers for the demo tenant, and the demo templates that do not exist yet. Then it ends. The
 * providers are sandboxes (two on EMAIL), and Web Push for browsers.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { runAct } from "@belfry/administration/act";
import { LAST_POSITION, putProvider } from "@belfry/administration/providers/providers";
import { putTemplate } from "@belfry/administration/templates/put-template";
import { readTemplates } from "@belfry/administration/templates/templates";
import { PROVIDER_CHANNELS } from "@belfry/contracts/channels";
import { createDatabase, createPool } from "@belfry/database/connection";
import { parseSecretKeys } from "@belfry/database/secrets";
import { loadConfig } from "@belfry/service/config";
import { Type } from "@sinclair/typebox";
import { localCaller } from "./seed.ts";

/** The content of each template is a file in this folder. */
const TEMPLATES = [
  {
    eventType: "order.confirmed",
    channel: "EMAIL",
    file: "order-confirmed.mjml",
    subject: "Your order {{order}} is confirmed",
  },
  { eventType: "order.confirmed", channel: "SMS", file: "order-confirmed.sms.txt" },
  {
    eventType: "order.confirmed",
    channel: "PUSH",
    file: "order-confirmed.push.txt",
    title: "Order {{order}} confirmed",
    targetChannel: "orders",
  },
  {
    eventType: "order.confirmed",
    channel: "DEVICE",
    file: "order-confirmed.push.txt",
    title: "Order {{order}} confirmed",
  },
  { eventType: "parcel.arriving", channel: "SMS", file: "parcel-arriving.sms.txt" },
  {
    eventType: "parcel.arriving",
    channel: "PUSH",
    file: "parcel-arriving.push.txt",
    title: "Your parcel is nearly there",
  },
] as const;

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
try {
  const caller = localCaller(db, tenantId, {
    keys: async () => keys,
    allowPrivateAddresses: async () => false,
  });
  const sandbox = { kind: "sandbox", settings: {}, active: true, untested: true };
  for (const channel of PROVIDER_CHANNELS) {
    await runAct(putProvider, caller, { ...sandbox, channel });
  }
  // The second provider takes over if the first fails, as it does for some addresses of the demo page.
  const second = { name: "second sandbox", settings: { takesAll: true }, position: LAST_POSITION };
  await runAct(putProvider, caller, { ...sandbox, channel: "EMAIL", ...second });

  const browsers = { kind: "webpush", settings: { subject: "mailto:demo@example.com" } };
  await runAct(putProvider, caller, { ...sandbox, channel: "DEVICE", ...browsers });

  const existing = await readTemplates(db, tenantId);
  for (const { file, ...template } of TEMPLATES) {
    const { eventType, channel } = template;
    const exists = existing.some((one) => one.eventType === eventType && one.channel === channel);
    if (exists) continue;
    const content = await readFile(join(import.meta.dirname, file), "utf8");
    await runAct(putTemplate, caller, { ...template, content });
  }
} finally {
  await db.destroy();
}
