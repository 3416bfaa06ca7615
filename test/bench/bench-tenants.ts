import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { putActiveProvider } from "@belfry/administration/test/acts";
import { putTemplate } from "@belfry/administration/test/templates";
import { createDatabase, createPool } from "@belfry/database/connection";
import { parseSecretKeys } from "@belfry/database/secrets";
import type { BenchServers } from "./servers.ts";

export interface BenchTenant {
  id: string;
  apiKey: string;
}

export const EVENT_TYPE = "order.confirmed";
/** What an event carries beside the time at which it was triggered. */
export const VARIABLES = {
  name: "Ann",
  order: "A-1001",
  total: "49.90 EUR",
  delivery: "on Thursday",
};
const DEMO_MAIL = resolve(import.meta.dirname, "../../deploy/local/demo/order-confirmed.mjml");
const NO_LIMIT = 1_000_000_000;

/**
 * Tenants with SendGrid and Vonage accounts at a vendor of ours, and a template on each channel: the
 * demo's MJML mail, an SMS, and a push to the user's personal channel. Each ends with the variable
 * `sentAt`, by which those who get it know how long it was under way.
 */
export async function createBenchTenants(
  servers: BenchServers,
  options: { count: number; vendorUrl: string },
): Promise<BenchTenant[]> {
  const { count, vendorUrl: baseUrl } = options;
  const pool = createPool({ url: servers.databaseUrl, applicationName: "bench" });
  const db = createDatabase(pool);
  const keys = parseSecretKeys(servers.secretsKeys);
  const mail = await readFile(DEMO_MAIL, "utf8");
  const tenants: BenchTenant[] = [];
  try {
    for (let at = 0; at < count; at += 1) {
      const name = `Bench ${at}`;
      const input = { name, perMinute: NO_LIMIT, dailyCap: null };
      const { id, apiKey } = await createTenant(db, input, keys);
      const allowed = { keys, allowPrivateAddresses: true };
      await putActiveProvider(
        db,
        {
          ...{ tenantId: id, channel: "EMAIL", kind: "sendgrid" },
          settings: { apiKey: "SG.bench", from: "shop@example.com", baseUrl },
        },
        allowed,
      );
      await putActiveProvider(
        db,
        {
          ...{ tenantId: id, channel: "SMS", kind: "vonage" },
          settings: { sender: "Belfry", apiKey: "key1", apiSecret: "secret-one", baseUrl },
        },
        allowed,
      );
      const template = { tenantId: id, eventType: EVENT_TYPE };
      const subject = "Your order {{order}} is confirmed @{{sentAt}}";
      await putTemplate(db, { ...template, channel: "EMAIL", subject, content: mail });
      await putTemplate(db, {
        ...{ ...template, channel: "SMS" },
        content: "{{name}}, order {{order}} arrives {{delivery}}. @{{sentAt}}",
      });
      await putTemplate(db, {
        ...{ ...template, channel: "PUSH", title: "Order {{order}} confirmed" },
        content: "Thank you, {{name}}. It arrives {{delivery}}, total {{total}}. @{{sentAt}}",
      });
      tenants.push({ id, apiKey });
    }
    await pool.query("analyze");
  } finally {
    await db.destroy();
  }
  return tenants;
}

/**
 * Gives tenants so many recipients together, `user-0` and so on of each: addresses, a zone, quiet hours that
 * begin in six hours, and two preferences, of which none keeps an event back. Returns how many each has.
 */
export async function seedRecipients(
  servers: BenchServers,
  tenants: readonly string[],
  recipients: number,
): Promise<number> {
  const pool = createPool({
    ...{ url: servers.databaseUrl, applicationName: "bench" },
    statementTimeoutMs: 0,
  });
  const each = Math.ceil(recipients / tenants.length);
  try {
    for (const tenant of tenants) {
      await pool.query(
        `insert into recipients
           (tenant_id, user_id, email, phone, timezone, quiet_from, quiet_to, off_categories)
         select $1, 'user-' || n, 'user-' || n || '@example.com', '+1202' || lpad(n::text, 7, '0'),
                'Europe/Berlin', later + interval '6 hours', later + interval '12 hours', array['offers']
         from generate_series(0, $2::integer - 1) n,
              (select (now() at time zone 'Europe/Berlin')::time as later) clock`,
        [tenant, each],
      );
      await pool.query(
        `insert into categories (tenant_id, key, label, description)
         select $1, key, jsonb_build_object('', key), '{}' from unnest(array['orders', 'offers']) key`,
        [tenant],
      );
      await pool.query("insert into event_type_categories values ($1, $2, 'orders')", [
        tenant,
        EVENT_TYPE,
      ]);
      await pool.query(
        `insert into preferences (tenant_id, user_id, category, channel, enabled, source)
         select $1, 'user-' || n, said.*, 'api'
         from generate_series(0, $2::integer - 1) n,
              (values ('offers', '*', false), ('orders', 'EMAIL', true)) said`,
        [tenant, each],
      );
    }
    await pool.query(
      "update tenants set uses_recipients = true, uses_preferences = true where id = any ($1::text[])",
      [tenants],
    );
    for (const table of ["recipients", "preferences", "categories", "event_type_categories"]) {
      await pool.query(`vacuum analyze ${table}`);
    }
    await pool.query("checkpoint");
  } finally {
    await pool.end();
  }
  return each;
}
