import { glanceAtDeadLetters } from "@belfry/administration/dead-letters/dead-letters";
import type { Database } from "@belfry/database/connection";
import { reconciledWithin } from "@belfry/database/reconciliations";
import type { NatsLink } from "@belfry/service/nats";
import { jetstreamManager } from "@nats-io/jetstream";
import { connectedServices, oldestDue, openCircuits, undispatched } from "./platform-state.ts";
import type { StreamFacts, SystemFacts } from "./system-facts.ts";

const NATS_TIMEOUT_MS = 1000;
const RECONCILED_HOURS = 24;

/** Reads Postgres and JetStream; what is away is left out. */
export async function readSystemFacts(
  db: Database,
  nats: NatsLink | undefined,
  prefix: string,
): Promise<SystemFacts> {
  const [services, due, waiting, circuits, deadLetters, reconciled, streams] = await Promise.all([
    connectedServices(db),
    oldestDue(db),
    undispatched(db),
    openCircuits(db),
    glanceAtDeadLetters(db, {}),
    reconciledWithin(db, RECONCILED_HOURS),
    nats?.isConnected() ? streamFacts(nats, prefix).catch(() => undefined) : undefined,
  ]);
  return {
    ...{ services, oldestDue: due, undispatched: waiting, circuits, deadLetters, reconciled },
    streams,
  };
}

async function streamFacts(nats: NatsLink, prefix: string): Promise<StreamFacts[]> {
  const manager = await jetstreamManager(nats.nc, { timeout: NATS_TIMEOUT_MS, checkAPI: false });
  const facts: StreamFacts[] = [];
  for await (const { config, state } of manager.streams.list()) {
    if (!config.name.startsWith(`${prefix}-`)) continue;
    const consumers: StreamFacts["consumers"] = [];
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
