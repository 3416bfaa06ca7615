import { addressedMessage } from "@belfry/contracts/addressed-message";
import { MAX_PUSH_TITLE_CHARACTERS } from "@belfry/contracts/bounds";
import { PERSONAL_CHANNEL, realtimeChannel, textFault } from "@belfry/contracts/identifiers";
import { publicationTags, publicationText } from "@belfry/contracts/realtime-message";
import type { Database } from "@belfry/database/connection";
import { sql } from "kysely";
import { uuidv7 } from "uuidv7";
import type { TestNotification } from "../act.ts";
import { faultAt, refuseFaults } from "../input-error.ts";
import { allowTest } from "./allow-test.ts";
import type { Preview } from "./preview-template.ts";
import { settingsFaults } from "./template-input.ts";

const MARK = "Test: ";

/**
 * Stores what a notification's template renders as a test in a user's inbox, with the next offset of its
 * realtime channel, and hands it to `publish`, which tells the user's open browsers. It is no event:
 * nothing of it is in the timeline. It keeps to what holds for the tenant's deliveries (`allowTest`).
 * Throws `InvalidInput`, `NotFound`.
 */
export async function sendPushTest(
  db: Database,
  test: { tenantId: string; userId: string; eventType: string; targetChannel: string | undefined },
  rendered: Extract<Preview, { kind: "notification" }>,
  publish: (notification: TestNotification) => Promise<void>,
): Promise<TestNotification & { published: boolean }> {
  const { tenantId, eventType, targetChannel = PERSONAL_CHANNEL } = test;
  const userId = test.userId.trim();
  const fault = textFault(userId);
  refuseFaults([faultAt("to", fault), ...settingsFaults(rendered.channel, { targetChannel })]);
  await allowTest(db, { tenantId, channel: rendered.channel, recipient: userId });
  const { url, actions } = rendered;
  const notification = {
    ...{ id: uuidv7(), tenantId, userId, eventType, channelName: targetChannel },
    title: [...(MARK + rendered.title)].slice(0, MAX_PUSH_TITLE_CHARACTERS).join(""),
    body: rendered.body,
    createdAt: new Date(),
    url: url ?? null,
    actions: actions === undefined ? null : JSON.stringify(actions),
  };
  const stored = { ...notification, offset: await store(db, notification) };
  // Where this fails the user sees it with the next history that is read.
  const published = await publish(stored).then(
    () => true,
    () => false,
  );
  return { ...stored, published };
}

/** The NATS message that shows a test to the user's open browsers, as the dispatcher's do. */
export function testMessage(prefix: string, item: TestNotification) {
  const { tenantId, userId, eventType, title, body } = item;
  const publication = publicationText({
    channel: realtimeChannel(item.channelName, userId),
    offset: item.offset,
    data: { title, body, category: eventType, eventType },
    tags: publicationTags(item),
  });
  return addressedMessage(prefix, tenantId, {
    ...{ version: 1, kind: "publication", userId },
    publications: [{ ...publication, traceId: item.id }],
  });
}

/** Returns its offset: the channel's row is held until both are there, as the dispatcher holds it. */
async function store(db: Database, item: Omit<TestNotification, "offset">): Promise<number> {
  return await db.transaction().execute(async (transaction) => {
    const { tenantId, userId, channelName, createdAt } = item;
    const { rows } = await sql<{ offset: string }>`
      insert into realtime_channels as c (tenant_id, user_id, channel_name, top_offset)
      values (${tenantId}, ${userId}, ${channelName}, 1)
      on conflict on constraint realtime_channels_pkey do update set top_offset = c.top_offset + 1
      returning top_offset as "offset"`.execute(transaction);
    const offset = rows[0]?.offset ?? "1";
    await transaction
      .insertInto("notifications")
      .values({
        ...{ id: item.id, tenant_id: tenantId, user_id: userId, event_type: item.eventType },
        ...{ title: item.title, body: item.body, url: item.url, actions: item.actions },
        ...{ channel_name: channelName, channel_offset: offset, created_at: createdAt },
      })
      .execute();
    return Number(offset);
  });
}
