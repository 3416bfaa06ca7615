import type { StreamDefinition } from "@belfry/contracts/streams";
import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";

const TIMEOUT_MS = 2000;

/** For how long the oldest message of a stream has been there, in ms; undefined: there is none. */
export async function oldestMessageMs(nc: NatsConnection, stream: StreamDefinition) {
  const manager = await jetstreamManager(nc, { checkAPI: false, timeout: TIMEOUT_MS });
  const { state } = await manager.streams.info(stream.name);
  return state.messages === 0 ? undefined : Date.now() - Date.parse(state.first_ts);
}
