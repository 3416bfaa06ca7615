import type { Pool } from "@belfry/database/connection";
import type { Push } from "./device-vendors.ts";

export interface DeviceVerdict {
  /** Messages to devices: one for each event and device. */
  messages: number;
  /** Attempts that a sender did not live to end. */
  died: number;
  /** Pushes that a device got more than once, and the most of one device for one event. */
  doubled: number;
  mostOfOne: number;
  /** Deliveries "never send twice" that ended as unknown, and the devices that got nothing of them. */
  unknown: number;
  leftOut: number;
  /** Violations of the contract as sentences; empty if there are none. */
  breaches: string[];
}

/**
 * A witness beside what is judged: when a device's acceptance was stored. To be made before the first event.
 */
export async function watchAcceptances(pool: Pool): Promise<void> {
  await pool.query(`
    create table witnessed (delivery_id uuid, device_id text, at timestamptz not null default clock_timestamp());
    create index on witnessed (delivery_id, device_id);
    create function witness_acceptance() returns trigger language plpgsql as $$
    begin
      insert into witnessed values (new.delivery_id, new.device_id);
      return null;
    end $$;
    create trigger witness after update of state on device_sends
      for each row when (new.state = 'accepted') execute function witness_acceptance();`);
}

interface DeviceRow {
  key: string;
  device: string;
  status: string | null;
  state: string | null;
  atMostOnce: boolean;
  died: number;
  acceptedAtMs: number | null;
}

/** Compares the events' users and devices with what the vendors received. Call it at rest. */
export async function judgeDevices(
  pool: Pool,
  ids: readonly string[],
  pushes: readonly Push[],
): Promise<DeviceVerdict> {
  const { rows } = await pool.query<DeviceRow>(
    `select e.variables::json ->> 'key' as key, v.device_id as device, d.status, s.state,
       t.at_most_once as "atMostOnce", a.died,
       (select extract(epoch from min(w.at)) * 1000 from witnessed w
        where w.delivery_id = d.id and w.device_id = v.device_id)::float8 as "acceptedAtMs"
     from events e
     join devices v on v.tenant_id = e.tenant_id and v.user_id = e.user_id
     join templates t on t.tenant_id = e.tenant_id and t.event_type = e.event_type
     left join deliveries d on d.event_id = e.id and d.channel = 'DEVICE'
     left join device_sends s on s.delivery_id = d.id and s.device_id = v.device_id
     cross join lateral (
       select count(*)::integer as died from attempts a
       where a.delivery_id = d.id and a.reason like '#sender-died%'
     ) a
     where e.id = any ($1::uuid[])`,
    [ids],
  );
  const byMessage = Map.groupBy(pushes, ({ key, device }) => `${key} ${device}`);
  const got = ({ key, device }: DeviceRow) =>
    (byMessage.get(`${key} ${device}`) ?? []).filter(({ isRefused }) => !isRefused);
  const breaches: string[] = [];
  const say = (what: string, is: (row: DeviceRow, got: readonly Push[]) => boolean) => {
    const found = rows.filter((row) => is(row, got(row)));
    if (found.length === 0) return;
    const shown = found.slice(0, 5).map((row) => `${JSON.stringify(row)} ${got(row).length}`);
    breaches.push(`${found.length} ${what}: ${shown.join(", ")}`);
  };
  say("devices forgotten", ({ atMostOnce, died }, copies) => {
    return copies.length === 0 && !(atMostOnce && died > 0);
  });
  say("devices called more often than a sender died", ({ died }, copies) => {
    return copies.length > 1 + died;
  });
  say("devices called twice in spite of the template", ({ atMostOnce }, copies) => {
    return atMostOnce && copies.length > 1;
  });
  say("devices called after their acceptance was stored", ({ acceptedAtMs }, copies) => {
    return acceptedAtMs !== null && copies.some(({ at }) => at > acceptedAtMs);
  });
  say("states that say other than the vendor", ({ state }, copies) => {
    return state === "accepted" && copies.length === 0;
  });
  say("deliveries with another end", ({ status, state, atMostOnce, died }) => {
    if (atMostOnce && died > 0) return status !== "unknown";
    return status !== "accepted" || state !== "accepted";
  });
  const known = new Set(rows.map(({ key, device }) => `${key} ${device}`));
  const strange = [...byMessage.keys()].filter((message) => !known.has(message));
  if (strange.length > 0) breaches.push(`${strange.length} pushes of nobody: ${strange[0]}`);
  if (new Set(rows.map(({ key }) => key)).size !== ids.length) breaches.push("events are missing");

  const copies = rows.map((row) => got(row).length);
  const unknown = rows.filter(({ status }) => status === "unknown");
  const deaths = new Map(rows.map(({ key, died }) => [key, died]));
  return {
    messages: rows.length,
    died: [...deaths.values()].reduce((sum, one) => sum + one, 0),
    doubled: copies.reduce((sum, one) => sum + Math.max(0, one - 1), 0),
    mostOfOne: Math.max(...copies),
    unknown: new Set(unknown.map(({ key }) => key)).size,
    leftOut: unknown.filter((row) => got(row).length === 0).length,
    breaches,
  };
}
