import {
  encodeQueueMessage,
  type QueueItem,
  type StreamDefinition,
} from "@belfry/contracts/streams";
import { JetStreamApiError, type JetStreamClient, jetstream } from "@nats-io/jetstream";
import { errors } from "@nats-io/transport-node";
import type { Logger } from "./logger.ts";
import type { NatsLink } from "./nats.ts";
import { ensureStreams } from "./streams.ts";

/** The reason why a publish failed. The message may have been stored only after a `timeout`. */
export type PublishFaultCode = "disconnected" | "no-stream" | "stream-full" | "timeout" | "refused";

export class PublishFault extends Error {
  override readonly name = "PublishFault";
  readonly code: PublishFaultCode;

  constructor(code: PublishFaultCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

export interface PublishOptions {
  /** The `Nats-Msg-Id`. A second publish with the same id within the duplicate window stores nothing. */
  messageId?: string;
  timeoutMs?: number;
  /** The stream that must store the message. If it would be another one, the publish fails. */
  expectStream?: string;
}

export interface PublishReceipt {
  streamSequence: number;
  duplicate: boolean;
}

export interface Publisher {
  /** Stores one message of ids in JetStream. Resolves when the server has acknowledged it. Throws PublishFault. */
  publishIds(
    subject: string,
    items: QueueItem[],
    options?: PublishOptions,
  ): Promise<PublishReceipt>;
}

export interface PublisherOptions {
  nats: NatsLink;
  /** Streams that are created again if the server has lost them. */
  streams: readonly StreamDefinition[];
  replicas?: number;
  log: Logger;
}

const PUBLISH_TIMEOUT_MS = 2000;
/** 10077: the stream's maximum of messages or bytes is exceeded. 10047, 10023: the server has no room. */
const FULL_CODES = new Set([10077, 10047, 10023, 10122]);

export function createPublisher(options: PublisherOptions): Publisher {
  const { nats, log } = options;
  let client: JetStreamClient | undefined;
  let creating: Promise<void> | undefined;
  /** Creates the streams once for all publishes that found one missing. */
  const createAgain = (timeoutMs: number) => {
    creating ??= ensureStreams(nats.nc, options.streams, {
      log,
      signal: AbortSignal.timeout(timeoutMs),
      ...(options.replicas === undefined ? {} : { replicas: options.replicas }),
    }).finally(() => {
      creating = undefined;
    });
    return creating;
  };

  const publishOnce = async (
    subject: string,
    data: string,
    publishOptions: PublishOptions,
    timeoutMs: number,
  ): Promise<PublishReceipt> => {
    // The client library would buffer the message and send it minutes later, after the caller has got the error.
    if (!nats.isConnected()) throw new PublishFault("disconnected", "NATS is not connected");
    const { messageId, expectStream } = publishOptions;
    client ??= jetstream(nats.nc);
    try {
      const ack = await client.publish(subject, data, {
        timeout: timeoutMs,
        ...(messageId === undefined ? {} : { msgID: messageId }),
        ...(expectStream === undefined ? {} : { expect: { streamName: expectStream } }),
      });
      return { streamSequence: ack.seq, duplicate: ack.duplicate };
    } catch (cause) {
      throw toFault(subject, cause);
    }
  };

  return {
    async publishIds(subject, items, publishOptions = {}) {
      const data = encodeQueueMessage(items);
      const timeoutMs = publishOptions.timeoutMs ?? PUBLISH_TIMEOUT_MS;
      const start = performance.now();
      try {
        return await publishOnce(subject, data, publishOptions, timeoutMs);
      } catch (fault) {
        const leftMs = Math.floor(timeoutMs - (performance.now() - start));
        if (!(fault instanceof PublishFault) || fault.code !== "no-stream" || leftMs < 1) {
          throw fault;
        }
        log.warn({ subject }, "no stream takes this subject: creating it again");
        await createAgain(leftMs).catch((err) => {
          throw new PublishFault("no-stream", fault.message, err);
        });
        const stillMs = Math.max(1, Math.floor(timeoutMs - (performance.now() - start)));
        return await publishOnce(subject, data, publishOptions, stillMs);
      }
    },
  };
}

function toFault(subject: string, cause: unknown): PublishFault {
  if (cause instanceof JetStreamApiError) {
    return FULL_CODES.has(cause.code)
      ? new PublishFault("stream-full", `the stream of ${subject} is full`, cause)
      : new PublishFault("refused", `JetStream refused ${subject}: ${cause.message}`, cause);
  }
  if (cause instanceof errors.TimeoutError) {
    return new PublishFault("timeout", `JetStream did not acknowledge ${subject} in time`, cause);
  }
  if (
    cause instanceof errors.ClosedConnectionError ||
    cause instanceof errors.DrainingConnectionError
  ) {
    return new PublishFault("disconnected", "the NATS connection is closed", cause);
  }
  // The client library reports "no responders" as JetStreamNotEnabled. Usually the stream is missing.
  if (cause instanceof Error && cause.name === "JetStreamNotEnabled") {
    return new PublishFault("no-stream", `no stream takes ${subject}`, cause);
  }
  return new PublishFault(
    "timeout",
    `publishing ${subject} failed: ${cause instanceof Error ? cause.message : cause}`,
    cause,
  );
}
