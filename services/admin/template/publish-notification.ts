import type { TestNotification } from "@belfry/administration/templates/push-test";
import { realtimeChannel } from "@belfry/contracts/identifiers";
import {
  encodeRealtimeMessage,
  publicationTags,
  publicationText,
} from "@belfry/contracts/realtime-message";
import { realtimeSubject } from "@belfry/contracts/streams";
import { userSubjectToken } from "@belfry/contracts/user-subject";
import type { NatsLink } from "@belfry/service/nats";

/** To the user's open browsers, as the dispatcher does; resolves when the server has it. */
export async function publishNotification(
  nats: NatsLink | undefined,
  prefix: string,
  item: TestNotification,
): Promise<void> {
  if (nats === undefined || !nats.isConnected()) throw new Error("NATS is not connected");
  const { tenantId, userId, eventType, title, body } = item;
  const publication = publicationText({
    channel: realtimeChannel(item.channelName, userId),
    offset: item.offset,
    data: { title, body, category: eventType, eventType },
    tags: publicationTags(item),
  });
  nats.nc.publish(
    realtimeSubject(prefix, tenantId, userSubjectToken(userId)),
    encodeRealtimeMessage({
      ...{ version: 1, kind: "publication", userId },
      publications: [{ ...publication, traceId: item.id }],
    }),
  );
  await nats.nc.flush();
}
