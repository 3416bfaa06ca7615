import { createPool } from "@belfry/database/connection";
import { EVENT_TYPE } from "./bench-tenants.ts";
import type { BenchServers } from "./servers.ts";

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
