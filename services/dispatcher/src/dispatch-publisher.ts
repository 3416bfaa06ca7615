import type { SentChannel } from "@belfry/contracts/channels";
import { realtimeChannel } from "@belfry/contracts/identifiers";
import {
  encodeRealtimeMessage,
  type PublicationText,
  publicationTags,
  publicationText,
  userSubjectToken,
} from "@belfry/contracts/realtime-message";
import {
  deliveriesStream,
  deliveriesSubject,
  MAX_ITEMS_PER_DELIVERIES_MESSAGE,
  realtimeSubject,
} from "@belfry/contracts/streams";
import { chunks } from "@belfry/database/connection";
import type { NewPush } from "@belfry/database/functions/dispatch-events";
import type { Logger } from "@belfry/service/logger";
import { type NatsLink, publishAll } from "@belfry/service/nats";
import type { Publisher } from "@belfry/service/publish";
import { endWith, faultOf, type Span, tracer } from "@belfry/service/tracing";

export interface OutgoingDelivery {
  id: string;
  tenantId: string;
  channel: SentChannel;
  traceId: string;
  /** The W3C `traceparent` that is the parent of the delivery's spans; null if the event is not sampled. */
  traceParent: string | null;
}

export interface OutgoingPush extends NewPush {
  eventId: string;
  traceId: string;
  /** The W3C `traceparent` that is the parent of the push's span; null if the event is not sampled. */
  traceParent: string | null;
  offset: number;
  createdAt: Date;
}

/**
 * Publishes what the dispatcher has stored: ids of deliveries to the senders, notifications to the realtime gateways.
 */
export interface DispatchPublisher {
  /** Publishes released deliveries. Returns those that could not be published, and logs the reason. */
  publishDeliveries(deliveries: readonly OutgoingDelivery[]): Promise<OutgoingDelivery[]>;
  /** Publishes notifications. Resolves when the NATS server has received all; throws if that is not certain. */
  publishPushes(pushes: readonly OutgoingPush[]): Promise<void>;
}

/** Keeps a message well below the NATS server's limit of 1 MiB, even with the longest texts. */
const MAX_PUBLICATIONS_PER_MESSAGE = 20;

export function createDispatchPublisher(options: {
  nats: NatsLink;
  publisher: Publisher;
  prefix: string;
  log: Logger;
}): DispatchPublisher {
  const { nats, publisher, prefix, log } = options;
  const expectStream = deliveriesStream(prefix).name;
  return {
    async publishDeliveries(deliveries) {
      const groups = Map.groupBy(deliveries, ({ channel, tenantId }) =>
        deliveriesSubject(prefix, channel, tenantId),
      );
      const failed: OutgoingDelivery[] = [];
      const publishes = [...groups].flatMap(([subject, group]) =>
        chunks(group, MAX_ITEMS_PER_DELIVERIES_MESSAGE).map(async (slice) => {
          const items = slice.map(({ id, traceId }) => ({ id, traceId }));
          const spans = startReleases(slice);
          try {
            await publisher.publishIds(subject, items, { expectStream });
            for (const span of spans) span.end();
          } catch (err) {
            for (const span of spans) span.end(undefined, faultOf(err));
            log.error({ err, subject, deliveries: slice.length }, "deliveries not published");
            failed.push(...slice);
          }
        }),
      );
      await Promise.all(publishes);
      return failed;
    },

    async publishPushes(pushes) {
      if (pushes.length === 0) return;
      const spans: Span[] = [];
      const messages: { subject: string; message: string }[] = [];
      const ofUser = Map.groupBy(pushes, ({ tenantId, userId }) => `${tenantId} ${userId}`);
      for (const group of ofUser.values()) {
        const { tenantId, userId } = group[0]!;
        const subject = realtimeSubject(prefix, tenantId, userSubjectToken(userId));
        const inOrder = group.toSorted((a, b) => a.offset - b.offset);
        for (const slice of chunks(inOrder, MAX_PUBLICATIONS_PER_MESSAGE)) {
          const publications = slice.map((push) => toPublication(push, spans));
          const message = { version: 1, kind: "publication", userId, publications } as const;
          messages.push({ subject, message: encodeRealtimeMessage(message) });
        }
      }
      const published = publishAll(nats, messages);
      for (const span of spans) void endWith(span, published);
      await published;
    },
  };
}

const NO_SPANS: readonly Span[] = [];

function startReleases(deliveries: readonly OutgoingDelivery[]): readonly Span[] {
  const tracing = tracer();
  if (tracing === undefined) return NO_SPANS;
  const spans: Span[] = [];
  for (const { id, tenantId, channel, traceParent } of deliveries) {
    if (traceParent === null) continue;
    const attributes = {
      "belfry.tenant.id": tenantId,
      "belfry.delivery.id": id,
      "belfry.channel": channel,
    };
    spans.push(tracing.start("release", { kind: "producer", parent: traceParent, attributes }));
  }
  return spans;
}

/** Builds a publication. If the push is sampled, starts a span and adds it to `spans`. */
function toPublication(push: OutgoingPush, spans: Span[]): PublicationText {
  const { title, body, eventType, traceId } = push;
  const publication = publicationText({
    channel: realtimeChannel(push.channelName, push.userId),
    offset: push.offset,
    data: { title, body, category: eventType, eventType },
    tags: publicationTags({ ...push, id: push.eventId }),
  });
  const tracing = tracer();
  if (tracing === undefined || push.traceParent === null) return { ...publication, traceId };
  const attributes = {
    "belfry.tenant.id": push.tenantId,
    "belfry.event.id": push.eventId,
    "belfry.event.type": eventType,
  };
  const parent = push.traceParent;
  const span = tracing.start("publish", { kind: "producer", parent, attributes });
  spans.push(span);
  return { ...publication, traceId, traceParent: span.traceParent };
}
