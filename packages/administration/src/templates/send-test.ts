import { hash, randomUUID } from "node:crypto";
import { ADDRESSES } from "@belfry/contracts/addresses";
import {
  ANY_KIND,
  addressOfChannel,
  type Channel,
  isAddressChannel,
  namesKind,
  type ProviderChannel,
} from "@belfry/contracts/channels";
import type { DeviceKind } from "@belfry/contracts/devices";
import {
  MAX_PUSH_TITLE_CHARACTERS,
  PERSONAL_CHANNEL,
  realtimeChannel,
  textFault,
} from "@belfry/contracts/identifiers";
import {
  addressedMessage,
  publicationTags,
  publicationText,
} from "@belfry/contracts/realtime-message";
import { reasonWords } from "@belfry/contracts/reasons";
import type { SendOutcome } from "@belfry/contracts/sending";
import type { Database } from "@belfry/database/connection";
import { storeOutboxMessage } from "@belfry/database/outbox";
import { decryptSecret, deviceOwner, type SecretKeys } from "@belfry/database/secrets";
import { sql } from "kysely";
import { uuidv7 } from "uuidv7";
import type { TestNotification } from "../act.ts";
import { suppressionReason } from "../events/suppression-rows.ts";
import {
  faultAt,
  type InvalidInput,
  invalid,
  NotFound,
  refuseFaults,
  requireProviderChannel,
} from "../input-error.ts";
import { takeTry } from "../people/sign-in-limits.ts";
import {
  type Provider,
  providerKinds,
  providerReaching,
  storedSettings,
} from "../providers/provider-rows.ts";
import { readProviders } from "../providers/providers.ts";
import { tenantById, tenantNotFound } from "../tenants/tenant-rows.ts";
import { devicesOfUser } from "../users/devices.ts";
import type { Preview } from "./preview-template.ts";
import { settingsFaults } from "./template-input.ts";

/** Timeout in ms: long enough for a slow vendor, and short enough for a person who waits. */
const TIMEOUT_MS = 15_000;

interface SendTestOptions {
  keys: SecretKeys;
  allowPrivateAddresses: boolean;
}

/** A message that a provider sends. */
export type Sendable = Preview;

/** Sends a rendered template to one person through the provider that would send it. Throws like `sendThrough`. */
export async function sendRenderedTest(
  db: Database,
  tenantId: string,
  rendered: Preview,
  to: string,
  options: SendTestOptions,
): Promise<{ provider: Provider; outcome: SendOutcome }> {
  requireProviderChannel(rendered.channel);
  const all = await readProviders(db, tenantId);
  const active = all.filter((one) => one.channel === rendered.channel && one.active);
  const [first] = active;
  if (first === undefined) throw invalid("to", "cannot be reached: no active provider");
  let provider = first;
  if (!isAddressChannel(first.channel)) {
    provider = await providerOfDevice(db, { tenantId, userId: to.trim() }, active);
  } else if (namesKind(first.channel)) {
    provider = providerReaching(active, recipientOf(first.channel, to.trim()), "to");
  }
  return { provider, outcome: await sendThrough(db, provider, rendered, to, options) };
}

/**
 * Sends a message through a provider, active or not. It is no delivery, so the timeline does not show it. The rules for
 * the tenant's deliveries apply (`allowTest`). Throws `InvalidInput`, `NotFound`.
 */
export async function sendThrough(
  db: Database,
  provider: Provider,
  message: Sendable,
  to: string,
  options: SendTestOptions,
): Promise<SendOutcome> {
  const { channel } = provider;
  const recipient = recipientOf(channel, to.trim());
  const kind = (await providerKinds(channel)).find((row) => row.kind === provider.kind);
  if (kind === undefined) throw new NotFound("kind", `no provider of kind ${provider.kind}`);
  await allowTest(db, { tenantId: provider.tenantId, channel, recipient });
  const settings = await storedSettings(db, provider, options.keys);
  if (settings === undefined) throw new NotFound("id", "the provider is gone");
  const client = kind.create(settings, {
    timeoutMs: TIMEOUT_MS,
    messageAnswerMs: TIMEOUT_MS,
    allowPrivateAddresses: options.allowPrivateAddresses,
    storeInOutbox: (entry) => storeOutboxMessage(db, { ...entry, channel }),
  });
  const reached = isAddressChannel(channel)
    ? { to: recipient }
    : await deviceToTest(
        db,
        { tenantId: provider.tenantId, userId: recipient },
        kind.kind,
        options,
      );
  const ids = { deliveryId: randomUUID(), tenantId: provider.tenantId, eventId: randomUUID() };
  try {
    // The provider's kind has the channel of the message.
    const outcome = await client.send({ ...ids, ...message, ...reached } as never);
    return { ...outcome, reason: reasonWords(outcome.reason) };
  } finally {
    await client.close();
  }
}

/** Returns the address, or for devices the user. Throws `InvalidInput`. */
function recipientOf(channel: ProviderChannel, to: string): string {
  if (!isAddressChannel(channel)) {
    const fault = textFault(to);
    if (fault !== undefined) throw invalid("to", fault);
    return to;
  }
  const { form, read } = ADDRESSES[addressOfChannel(channel)];
  const recipient = read(to);
  if (recipient === undefined) throw invalid("to", `must be ${form}`);
  return recipient;
}

/** Returns the provider for the user's last registered device that has one, else the first provider. */
async function providerOfDevice(
  db: Database,
  { tenantId, userId }: { tenantId: string; userId: string },
  active: readonly Provider[],
): Promise<Provider> {
  const devices = await devicesOfUser(db, tenantId, userId);
  const served = devices.flatMap(({ kind }) => active.find((one) => one.kind === kind) ?? []);
  return served[0] ?? active.find(({ kind }) => kind === ANY_KIND) ?? active[0]!;
}

const TEST_TTL_SECONDS = 3_600;

/** Returns the user's device of this kind that was registered last, as fields of a message. */
async function deviceToTest(
  db: Database,
  { tenantId, userId }: { tenantId: string; userId: string },
  kind: string,
  { keys }: SendTestOptions,
) {
  const row = await db
    .selectFrom("devices")
    .select(["id", "token", "registered_at"])
    .where("tenant_id", "=", tenantId)
    .where("user_id", "=", userId)
    .$if(kind !== ANY_KIND, (query) => query.where("kind", "=", kind as DeviceKind))
    .orderBy("registered_at", "desc")
    .limit(1)
    .executeTakeFirst();
  if (row === undefined)
    throw invalid("to", "must be a user with a registered device of this kind");
  const target = await decryptSecret(keys, deviceOwner(tenantId, row.id), row.token);
  return {
    device: JSON.parse(target),
    registeredAt: row.registered_at,
    ttlSeconds: TEST_TTL_SECONDS,
  };
}

const MARK = "Test: ";

/**
 * Stores a rendered notification as a test in a user's inbox, with the next offset of its realtime channel. Then passes
 * it to `publish`, which sends it to the user's open browsers. It is no event, so the timeline does not show it. The
 * rules for the tenant's deliveries apply (`allowTest`). Throws `InvalidInput`, `NotFound`.
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
    id: uuidv7(),
    tenantId,
    userId,
    eventType,
    channelName: targetChannel,
    title: [...(MARK + rendered.title)].slice(0, MAX_PUSH_TITLE_CHARACTERS).join(""),
    body: rendered.body,
    createdAt: new Date(),
    url: url ?? null,
    actions: actions === undefined ? null : JSON.stringify(actions),
  };
  const stored = { ...notification, offset: await store(db, notification) };
  // If this fails, the user sees the item when the history is next read.
  const published = await publish(stored).then(
    () => true,
    () => false,
  );
  return { ...stored, published };
}

/** Returns the NATS message that shows a test in the user's open browsers, in the dispatcher's form. */
export function testMessage(prefix: string, item: TestNotification) {
  const { tenantId, userId, eventType, title, body } = item;
  const publication = publicationText({
    channel: realtimeChannel(item.channelName, userId),
    offset: item.offset,
    data: { title, body, category: eventType, eventType },
    tags: publicationTags(item),
  });
  return addressedMessage(prefix, tenantId, {
    version: 1,
    kind: "publication",
    userId,
    publications: [{ ...publication, traceId: item.id }],
  });
}

/**
 * Stores a notification and returns its offset. The channel's row stays locked until both are stored, like in the
 * dispatcher.
 */
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
        id: item.id,
        tenant_id: tenantId,
        user_id: userId,
        event_type: item.eventType,
        title: item.title,
        body: item.body,
        url: item.url,
        actions: item.actions,
        channel_name: channelName,
        channel_offset: offset,
        created_at: createdAt,
      })
      .execute();
    return Number(offset);
  });
}

/**
 * Most tests of a tenant in a window, over all replicas, the Admin UI, the API and the command line. It suits a person
 * who tests, and is too few to send messages.
 */
const MOST_TESTS = 30;
const WINDOW_SECONDS = 15 * 60;

interface TestToSend {
  tenantId: string;
  channel: Channel;
  /** An address, a phone number or a user's id. */
  recipient: string;
}

/**
 * Permits a test message only if an event's message would be sent: the tenant is active, may use the channel, and has
 * not suppressed the recipient. Counts it as an event of the tenant, and limits the number of tests. Throws
 * `InvalidInput`, `NotFound`.
 */
async function allowTest(db: Database, test: TestToSend): Promise<void> {
  const { tenantId, channel, recipient } = test;
  const tenant = await tenantById(db, tenantId);
  if (tenant === undefined) throw tenantNotFound(tenantId, "tenantId");
  if (!tenant.active) throw refused("cannot be sent: the tenant is not active");
  if (tenant.deliveryChannels.length > 0 && !tenant.deliveryChannels.includes(channel)) {
    throw refused(`cannot be sent: the tenant may not use ${channel}`);
  }
  const reason = isAddressChannel(channel)
    ? await suppressionReason(db, tenantId, channel, recipient)
    : undefined;
  if (reason !== undefined) throw refused(`${recipient} is suppressed (${reason})`);
  const waitSeconds = await takeTry(
    db,
    [{ key: hash("sha256", `test ${tenantId}`, "buffer"), most: MOST_TESTS }],
    WINDOW_SECONDS,
  );
  if (waitSeconds > 0) {
    throw refused(
      `cannot be sent: ${MOST_TESTS} tests in ${WINDOW_SECONDS / 60} minutes were made; wait ${waitSeconds} s`,
    );
  }
  if (!(await takeEvent(db, tenantId))) {
    throw refused("cannot be sent: the tenant's limit of events per minute or per day is reached");
  }
}

function refused(message: string): InvalidInput {
  return invalid("to", message);
}

/** Counts one event in a tenant's limits. Returns false, and counts nothing, if a limit is reached. */
async function takeEvent(db: Database, tenantId: string): Promise<boolean> {
  const { rows } = await sql<{ counted: boolean }>`
    select count_event(p_tenant => ${tenantId}) as counted`.execute(db);
  return rows[0]!.counted;
}
