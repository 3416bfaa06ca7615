import { glanceAtDeadLetters } from "@belfry/administration/dead-letters/dead-letters";
import { type ProviderChannel, WEBHOOK } from "@belfry/contracts/channels";
import { type Database, parseProcessName } from "@belfry/database/connection";
import { reconciledWithin } from "@belfry/database/reconciliations";
import type { NatsLink } from "@belfry/service/nats";
import { jetstreamManager } from "@nats-io/jetstream";
import { sql } from "kysely";
import { page } from "../page/answer.ts";
import { say } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";
import { openCircuits } from "../provider/provider-pages.ts";

/** Registers the page of the platform's current state. */
export function systemPages({
  route,
  systemFacts,
}: PageDeps & { systemFacts(): Promise<SystemFacts> }): void {
  route("GET /system", async () => {
    const facts = await systemFacts();
    const ages = facts.oldestDue.map(({ dueAt }) => (Date.now() - dueAt.getTime()) / 1000);
    const oldestDueSeconds = ages.length === 0 ? undefined : Math.max(...ages);
    return page("system", say`System`, { facts, oldestDueSeconds });
  });
}

/** The facts on the system page. */
export type SystemFacts = Awaited<ReturnType<typeof readSystemFacts>>;

const NATS_TIMEOUT_MS = 1000;
const RECONCILED_HOURS = 24;

/** Reads the facts from Postgres and JetStream. `streams` is undefined if NATS does not answer. */
export async function readSystemFacts(db: Database, nats: NatsLink | undefined, prefix: string) {
  const reading = [
    connectedServices(db),
    oldestDue(db),
    undispatched(db),
    openCircuits(db),
    glanceAtDeadLetters(db, {}),
    reconciledWithin(db, RECONCILED_HOURS),
    nats?.isConnected() ? streamFacts(nats, prefix).catch(() => undefined) : undefined,
  ] as const;
  const [services, due, waiting, circuits, deadLetters, reconciled, streams] =
    await Promise.all(reading);
  return {
    services,
    oldestDue: due,
    undispatched: waiting,
    circuits,
    deadLetters,
    reconciled,
    streams,
  };
}

async function streamFacts(nats: NatsLink, prefix: string) {
  const manager = await jetstreamManager(nats.nc, { timeout: NATS_TIMEOUT_MS, checkAPI: false });
  const facts = [];
  for await (const { config, state } of manager.streams.list()) {
    if (!config.name.startsWith(`${prefix}-`)) continue;
    const consumers = [];
    for await (const consumer of manager.consumers.list(config.name)) {
      consumers.push({
        name: consumer.name,
        waiting: consumer.num_pending,
        inHand: consumer.num_ack_pending,
        redelivered: consumer.num_redelivered,
      });
    }
    const { messages, bytes } = state;
    facts.push({ name: config.name, messages, bytes, maxBytes: config.max_bytes, consumers });
  }
  return facts;
}

// Each of the queries below takes a few milliseconds, no matter how many rows the tables have.

interface ConnectedService {
  name: string;
  /** Null if the client does not report a version. */
  version: string | null;
  connections: number;
  /** Start of the process, or of its oldest connection if the client does not report the start. */
  since: Date;
}

/** Returns one row for each process. Processes of a service that started in the same second share a row. */
export async function connectedServices(db: Database): Promise<ConnectedService[]> {
  const { rows } = await sql<{ name: string; connections: number; since: Date }>`
    select application_name as name, count(*)::integer as connections, min(backend_start) as since
    from pg_stat_activity
    where datname = current_database() and application_name <> ''
    group by application_name order by application_name`.execute(db);
  return rows.map(({ name, connections, since }) => {
    const { service, version, startedAt } = parseProcessName(name);
    return { name: service, version, connections, since: startedAt ?? since };
  });
}

/**
 * Returns the due time of the most overdue delivery of each channel. Deliveries of broadcasts are left out, because
 * they wait on purpose, and those of webhooks.
 */
async function oldestDue(db: Database): Promise<{ channel: ProviderChannel; dueAt: Date }[]> {
  const { rows } = await sql<{ channel: ProviderChannel; dueAt: Date }>`
    select d.channel, min(d.due_at) as "dueAt" from deliveries d
    where d.released_at is null and d.status in ('queued', 'waiting') and d.broadcast_id is null and d.due_at < now()
      and d.channel <> ${WEBHOOK}
    group by d.channel order by d.channel`.execute(db);
  return rows;
}

/** Returns the number of events that wait for the dispatcher (up to 10,000), and since when the oldest waits. */
async function undispatched(db: Database): Promise<{ count: number; since: Date | null }> {
  const { rows } = await sql<{ count: number; since: Date | null }>`
    select count(*)::integer as count, min(accepted_at) as since
    from (select accepted_at from undispatched_events order by event_id limit 10000) u`.execute(db);
  return rows[0]!;
}
