import { hash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { ADDRESS_CHANNELS } from "@belfry/contracts/channels";
import { UUID } from "@belfry/contracts/identifiers";
import { decodeQueueMessage, encodeQueueMessage } from "@belfry/contracts/streams";
import { chunks, type Database, runnerOf } from "@belfry/database/connection";
import { deleteUnlinkedAttachments } from "@belfry/database/functions/attachments";
import { deleteEvents, deleteWebhookMessages } from "@belfry/database/functions/delete-events";
import { forgetChannels } from "@belfry/database/functions/realtime-channels";
import { countInbound, deleteInbound } from "@belfry/database/inbound";
import { deletePreferencesOfUser, preferencesOfUser } from "@belfry/database/preferences";
import { type Actor, audited } from "../audited.ts";
import { leaveBroadcasts } from "../broadcasts/broadcasts.ts";
import { deleteDeadMessage } from "../dead-letters/dead-letter-messages.ts";
import { deleteSuppressions, suppressedForm } from "../events/suppression-rows.ts";
import type { UserOfTenant } from "../tenants/realtime.ts";
import { requireTenant } from "../tenants/tenant-rows.ts";
import { deleteDevicesOfUser } from "../users/devices.ts";
import { countTopicsOfUser, leaveTopics } from "../users/topic-rows.ts";
import { deleteUser, findUser } from "../users/user-rows.ts";
import { eraseImportLines } from "./erase-import-lines.ts";
import { addressesInNotes, eraseAddressNotes, eraseUserNotes } from "./erase-notes.ts";
import { type ErasedRows, type ErasureReport, keptAfter } from "./erasure-report.ts";
import {
  countAuditEntries,
  countEvents,
  countOf,
  countSuppressions,
  deadMessagesAfter,
  deleteEmptyDigests,
  deleteNotifications,
  deleteOutbox,
  deleteThrottles,
  existingIds,
  forgetRepeatedCalls,
  outboxOfUser,
  replaceDeadMessage,
  userEvents,
} from "./user-data.ts";

export interface Erasure extends UserOfTenant {
  /** Also delete the suppressions of the person's addresses. */
  suppressions?: boolean | undefined;
  /** Change nothing, and report what an erasure would delete. */
  dryRun?: boolean | undefined;
}

interface ErasureDeps {
  actor: Actor;
  /** Closes the person's realtime connections; called before the first change, and at the end. */
  disconnect(): Promise<void>;
  /** How long in ms to wait for deliveries that senders have claimed. Default: 10 minutes. */
  heldMs?: number;
  /** Called between the small steps. An error that it throws ends the erasure at this point. */
  onStep?(): Promise<void>;
}

const EVENTS_PER_BATCH = 200;
const ROWS_PER_BATCH = 1_000;
const HELD_CHECK_EVERY_MS = 250;
const HELD_MS = 10 * 60_000;

/**
 * Erases a user of a tenant: events, newest first, with all their data, history, sandbox messages and realtime
 * channels, in small batches. Messages that wait are not sent. The erasure waits for deliveries that a sender has
 * claimed. It can be interrupted and called again. Events that are accepted after it began may remain. Throws
 * `NotFound`, and any error of `disconnect`.
 */
export async function eraseUser(
  db: Database,
  erasure: Erasure,
  deps: ErasureDeps,
): Promise<ErasureReport> {
  const { tenantId, userId, dryRun = false } = erasure;
  const owner = { tenantId, userId };
  await requireTenant(db, tenantId, "tenant");

  const note = (
    action: string,
    after: object,
    change: (transaction: Database) => Promise<unknown> = async () => undefined,
  ) =>
    audited(db, deps.actor, change, () => ({ tenantId, action, target: erasedUser(owner), after }));
  if (!dryRun) {
    await deps.disconnect();
    await note("user.erase", { suppressions: erasure.suppressions === true });
  }
  const { heldMs = HELD_MS, onStep = async () => undefined } = deps;
  const directory = await eraseDirectory(db, owner, dryRun);
  const digests = await countOf(db, "digests", owner);
  const found = await eraseEvents(db, owner, { dryRun, heldMs, onStep });
  if (!dryRun) await deleteEmptyDigests(db, owner);
  if (!dryRun) await eraseFiles(db, tenantId, onStep);
  if (!dryRun) await eraseImportLines(db, owner, onStep);
  if (!dryRun) await forgetRepeatedCalls(db, tenantId);
  for (const address of directory.addresses) found.addresses.add(address);
  const deleted: ErasedRows = {
    ...found.deleted,
    ...directory.deleted,
    outbox: await eraseOutbox(db, owner, { dryRun, onStep }),
    ...(await eraseHistory(db, owner, { dryRun, onStep })),
    deadMessages: dryRun ? 0 : await eraseDeadMessages(db),
    suppressions: 0,
    inboundMessages: 0,
    digests,
    throttles: await (dryRun ? countOf(db, "throttles", owner) : deleteThrottles(db, owner)),
    // Again, because a browser may have registered itself since.
    devices: directory.deleted.devices + (dryRun ? 0 : await deleteDevicesOfUser(db, owner)),
    // This is the last step, because each deletion above may write webhook messages.
    webhookMessages: await eraseWebhookMessages(db, owner, { dryRun, onStep }),
  };
  const addresses = [...found.addresses].map(suppressedForm);
  deleted.inboundMessages = await (dryRun ? countInbound : deleteInbound)(db, tenantId, addresses);
  // Former addresses may belong to another person now, so they are only removed from the audit log.
  const former = (await addressesInNotes(db, owner)).map(suppressedForm);
  const addressesInAudit = [...new Set([...addresses, ...former])];
  let suppressions = await countSuppressions(db, tenantId, addresses);
  if (erasure.suppressions) {
    deleted.suppressions = suppressions;
    if (!dryRun) {
      for (const channel of ADDRESS_CHANNELS) {
        await deleteSuppressions(db, tenantId, channel, addresses);
      }
      await eraseAddressNotes(db, tenantId, addressesInAudit);
    }
    suppressions = 0;
  }
  if (!dryRun) {
    await deps.disconnect();
    await note("user.erased", deleted, (transaction) => eraseUserNotes(transaction, owner));
  }
  const auditEntries = await countAuditEntries(db, owner, addressesInAudit);
  const kept = keptAfter({ suppressions, auditEntries });
  return { ...owner, dryRun, deleted, unsent: found.unsent, kept };
}

/** Returns the audit log's name for an erased user. Anybody who knows both ids can compute it. */
export function erasedUser({ tenantId, userId }: UserOfTenant): string {
  return `user sha256:${hash("sha256", `${tenantId}\n${userId}`)}`;
}

interface FoundEvents {
  deleted: Pick<
    ErasedRows,
    "events" | "undispatchedEvents" | "deliveries" | "attempts" | "receipts"
  >;
  unsent: number;
  addresses: Set<string>;
}

async function eraseEvents(
  db: Database,
  owner: UserOfTenant,
  { dryRun, heldMs, onStep }: { dryRun: boolean; heldMs: number; onStep(): Promise<void> },
): Promise<FoundEvents> {
  const found: FoundEvents = {
    deleted: { events: 0, undispatchedEvents: 0, deliveries: 0, attempts: 0, receipts: 0 },
    unsent: 0,
    addresses: new Set(),
  };
  const held = new Set<string>();
  const eraseBatch = async (ids: readonly string[]) => {
    const batch = dryRun
      ? { held: [], ...(await countEvents(db, ids)) }
      : await deleteEvents(db, ids, { spare: true });
    for (const key of Object.keys(found.deleted) as (keyof FoundEvents["deleted"])[]) {
      found.deleted[key] += batch[key];
    }
    found.unsent += batch.unfinished;
    for (const id of ids) held.delete(id);
    for (const id of batch.held) held.add(id);
  };
  const erasePage = async (from: Parameters<typeof userEvents>[2]) => {
    const page = await userEvents(db, owner, from);
    for (const address of page.addresses) found.addresses.add(address);
    for (const ids of chunks(page.ids, EVENTS_PER_BATCH)) {
      await eraseBatch(ids);
      await onStep();
    }
    await onStep();
    return page;
  };

  // Newest first, because the events whose messages were not sent yet are among the newest.
  let page = await erasePage({ before: undefined });
  let { newest } = page;
  while (page.more) page = await erasePage({ before: page.oldest });
  // Then the events that were accepted in the meantime.
  while (newest !== undefined) {
    page = await erasePage({ after: newest });
    newest = page.more ? page.newest : undefined;
  }

  // Deliveries that a sender has claimed were not deleted. They are tried again until the senders have finished.
  const giveUpAtMs = performance.now() + heldMs;
  while (held.size > 0) {
    if (performance.now() > giveUpAtMs) {
      throw new Error(`senders still hold ${held.size} deliveries of this user: run it again`);
    }
    await pause(HELD_CHECK_EVERY_MS);
    await onStep();
    for (const ids of chunks([...held], EVENTS_PER_BATCH)) await eraseBatch(ids);
  }
  return found;
}

/** Deletes the files that only the user's events named. */
async function eraseFiles(db: Database, tenantId: string, onStep: () => Promise<void>) {
  while ((await deleteUnlinkedAttachments(runnerOf(db), tenantId)).more) await onStep();
}

/** Erases the user's directory entry, preferences and memberships of topics. Returns the entry's addresses. */
async function eraseDirectory(db: Database, owner: UserOfTenant, dryRun: boolean) {
  const { tenantId, userId } = owner;
  const user = await findUser(db, tenantId, userId);
  const addresses = [user?.email, user?.phone, user?.chat].filter((address) => address != null);
  const deleted = dryRun
    ? {
        recipients: user === undefined ? 0 : 1,
        preferences: (await preferencesOfUser(db, owner)).length,
        topics: await countTopicsOfUser(db, owner),
        devices: await countOf(db, "devices", owner),
      }
    : await db.transaction().execute(async (transaction) => {
        // The deletion takes the same lock as writers of preferences.
        const preferences = await deletePreferencesOfUser(transaction, owner);
        const recipients = await deleteUser(transaction, tenantId, userId);
        await leaveBroadcasts(transaction, owner);
        const devices = await deleteDevicesOfUser(transaction, owner);
        return { recipients, preferences, devices, topics: await leaveTopics(transaction, owner) };
      });
  return { deleted, addresses };
}

async function eraseHistory(
  db: Database,
  owner: UserOfTenant,
  { dryRun, onStep }: { dryRun: boolean; onStep(): Promise<void> },
): Promise<Pick<ErasedRows, "notifications" | "realtimeChannels">> {
  if (dryRun) {
    return {
      notifications: await countOf(db, "notifications", owner),
      realtimeChannels: await countOf(db, "realtime_channels", owner),
    };
  }
  let notifications = 0;
  for (let rows = ROWS_PER_BATCH; rows === ROWS_PER_BATCH; notifications += rows) {
    rows = await deleteNotifications(db, owner, ROWS_PER_BATCH);
    await onStep();
  }
  // Also deletes notifications that were added since, because no offset can be assigned in the meantime.
  const forgotten = await forgetChannels(db, owner, ROWS_PER_BATCH);
  return {
    notifications: notifications + forgotten.notifications,
    realtimeChannels: forgotten.channels,
  };
}

async function eraseWebhookMessages(
  db: Database,
  owner: UserOfTenant,
  { dryRun, onStep }: { dryRun: boolean; onStep(): Promise<void> },
): Promise<number> {
  if (dryRun) return await countOf(db, "webhook_messages", owner);
  let messages = 0;
  for (let rows = ROWS_PER_BATCH; rows === ROWS_PER_BATCH; messages += rows) {
    rows = await deleteWebhookMessages(db, owner, ROWS_PER_BATCH);
    await onStep();
  }
  return messages;
}

/**
 * Deletes the outbox messages whose event is deleted, so call it after the user's events are deleted. A dry run counts
 * the messages of the user's events. Returns the number of messages.
 */
async function eraseOutbox(
  db: Database,
  owner: UserOfTenant,
  { dryRun, onStep }: { dryRun: boolean; onStep(): Promise<void> },
): Promise<number> {
  let total = 0;
  let after: string | undefined;
  do {
    const page = await outboxOfUser(db, owner, after);
    if (dryRun) total += page.ids.length;
    else {
      for (const ids of chunks(page.orphans, ROWS_PER_BATCH)) total += await deleteOutbox(db, ids);
    }
    after = page.reached;
    await onStep();
  } while (after !== undefined);
  return total;
}

const MESSAGES_PER_READ = 500;

/**
 * Removes deleted events and deliveries from the dead NATS messages, because these contain ids, and trace ids that
 * tenants choose. Deletes the messages that become empty; returns their number.
 */
async function eraseDeadMessages(db: Database): Promise<number> {
  let total = 0;
  let after: string | undefined;
  for (;;) {
    const messages = await deadMessagesAfter(db, after, MESSAGES_PER_READ);
    for (const { id, data } of messages) {
      const items = decodeQueueMessage(data)?.items;
      // A message that cannot be decoded has no ids of events.
      if (items === undefined) continue;
      const existing = await existingIds(
        db,
        items.map((item) => item.id.toLowerCase()).filter((item) => UUID.test(item)),
      );
      const left = items.filter((item) => existing.has(item.id.toLowerCase()));
      if (left.length === items.length) continue;
      if (left.length > 0) await replaceDeadMessage(db, id, encodeQueueMessage(left));
      else if (await deleteDeadMessage(db, id)) total += 1;
    }
    after = messages.at(-1)?.id;
    if (messages.length < MESSAGES_PER_READ) return total;
  }
}
