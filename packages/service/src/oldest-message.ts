import type { ConsumerDefinition, StreamDefinition } from "@belfry/contracts/streams";
import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";

const TIMEOUT_MS = 2000;

const managerOf = (nc: NatsConnection) =>
  jetstreamManager(nc, { checkAPI: false, timeout: TIMEOUT_MS });

/** For how long the oldest message of a stream has been there, in ms; undefined: there is none. */
export async function oldestMessageMs(nc: NatsConnection, stream: StreamDefinition) {
  const manager = await managerOf(nc);
  const { state } = await manager.streams.info(stream.name);
  return state.messages === 0 ? undefined : Date.now() - Date.parse(state.first_ts);
}

/**
 * For how long the oldest message has been there that a consumer has not delivered to anybody yet, in ms; undefined:
 * it has delivered all that there are.
 */
export async function oldestUndeliveredMs(
  nc: NatsConnection,
  { stream, durable, filterSubject }: ConsumerDefinition,
) {
  const manager = await managerOf(nc);
  const { delivered, num_pending } = await manager.consumers.info(stream, durable);
  if (num_pending === 0) return undefined;
  const after = { seq: delivered.stream_seq + 1, next_by_subj: filterSubject };
  const message = await manager.streams.getMessage(stream, after);
  // The server's clock may be ahead of ours.
  return message === null ? undefined : Math.max(0, Date.now() - message.time.getTime());
}
