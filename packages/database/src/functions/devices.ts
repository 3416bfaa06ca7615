import { createHash } from "node:crypto";
import { TO_DEVICES } from "@belfry/contracts/channels";
import { type DeviceKind, type DeviceTarget, MAX_DEVICES } from "@belfry/contracts/devices";
import { sql } from "kysely";
import type pg from "pg";
import { uuidv7 } from "uuidv7";
import { noteUse } from "../configuration-version.ts";
import { callFunction, type Database } from "../connection.ts";
import { deviceOwner, encryptSecret, type SecretKeys } from "../secrets.ts";

/** A user of a tenant. */
interface User {
  tenantId: string;
  userId: string;
}

/** Returns which users of the batch have a device, in one statement. */
export async function usersWithDevices(pool: pg.Pool, users: readonly User[]): Promise<boolean[]> {
  const rows = await callFunction<{ usersWithDevices: number }>(pool, "users_with_devices", {
    p_tenants: users.map(({ tenantId }) => tenantId),
    p_users: users.map(({ userId }) => userId),
  });
  const places = new Set(rows.map((row) => row.usersWithDevices));
  return users.map((_, at) => places.has(at + 1));
}

export interface NewDevice extends User {
  deviceId: string;
  /** A browser without the key with which it subscribed gets the tenant's current one. */
  target: DeviceTarget;
  name: string | null;
  /** Days after which the device ends unless it is registered again. Absent: it stays. */
  days?: number;
}

/** Stores a device, its target encrypted. A token that another device of the tenant has moves to this one. */
export async function storeDevice(db: Database, keys: SecretKeys, device: NewDevice) {
  const { tenantId, userId, deviceId, name, days } = device;
  const { target } = device;
  if (target.kind === "webpush") target.applicationServerKey ??= await webPushKey(db, tenantId);
  const id = uuidv7();
  const token = await encryptSecret(keys, deviceOwner(tenantId, id), JSON.stringify(target));
  await noteUse(db, tenantId, "uses_devices", async (transaction) => {
    await sql`select put_device(
      p_id => ${id}, p_tenant => ${tenantId}, p_user => ${userId}, p_device => ${deviceId}, p_kind => ${target.kind},
      p_token => ${token}, p_hash => ${targetHash(target)}, p_name => ${name}, p_most => ${MAX_DEVICES})`.execute(
      transaction,
    );
    if (days === undefined) return;
    await sql`update devices set ends_at = registered_at + make_interval(days => ${days})
      where tenant_id = ${tenantId} and id = ${id}`.execute(transaction);
  });
}

/** Returns the public key of the tenant's Web Push, preferably of the account that sends. */
export async function webPushKey(db: Database, tenantId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("providers")
    .select("masked_settings")
    .where("tenant_id", "=", tenantId)
    .where("channel", "=", TO_DEVICES)
    .where("kind", "=", "webpush")
    .orderBy("active", "desc")
    .orderBy("position")
    .limit(1)
    .executeTakeFirst();
  const key = row?.masked_settings.publicKey;
  return typeof key === "string" ? key : undefined;
}

/** Deletes a device of a user. Returns whether the user had it. */
export async function removeDevice(db: Database, device: User & { deviceId: string }) {
  const { numDeletedRows } = await db
    .deleteFrom("devices")
    .where("tenant_id", "=", device.tenantId)
    .where("user_id", "=", device.userId)
    .where("device_id", "=", device.deviceId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Returns the hash by which a token is found again. */
function targetHash(target: DeviceTarget): string {
  const address = target.kind === "webpush" ? target.subscription.endpoint : target.token;
  return createHash("sha256").update(`${target.kind}\n${address}`).digest("base64url");
}

/** A device of a claimed delivery. */
export interface TakenDevice {
  deliveryId: string;
  deviceId: string;
  kind: DeviceKind;
  /** `sending`: this sender calls the device's vendor now. */
  state: DeviceState;
  /** The id of the device's row; null, like the following fields, if the device must not be called. */
  id: string | null;
  /** A compact JWE with a DeviceTarget, whose owner is deviceOwner(tenant, id). */
  token: string | null;
  registeredAt: Date | null;
  /** Until the delivery expires; null if it never does. */
  ttlSeconds: number | null;
}

export type DeviceState =
  | ("waiting" | "sending" | "accepted" | "failed")
  | ("gone" | "skipped" | "unknown");

interface ClaimedForDevices extends User {
  deliveryId: string;
}

/** Takes the devices of claimed deliveries in one statement. Returns those of each delivery, in the batch's order. */
export async function takeDevices(
  pool: pg.Pool,
  batch: readonly ClaimedForDevices[],
): Promise<TakenDevice[][]> {
  const rows = await callFunction<TakenDevice>(pool, "take_devices", {
    p_deliveries: batch.map((one) => one.deliveryId),
    p_tenants: batch.map((one) => one.tenantId),
    p_users: batch.map((one) => one.userId),
  });
  const byDelivery = Map.groupBy(rows, ({ deliveryId }) => deliveryId);
  return batch.map(({ deliveryId }) => byDelivery.get(deliveryId) ?? []);
}

/** The result for one device of a delivery. */
export interface DeviceResult {
  device: TakenDevice;
  state: Exclude<DeviceState, "sending" | "skipped">;
  /** For the timeline, without the token; null if accepted. */
  reason: string | null;
  vendorStatus: string | null;
  providerId: string | null;
}

/** Stores results, and deletes the devices that are gone. */
export async function settleDevices(
  pool: pg.Pool,
  results: readonly DeviceResult[],
): Promise<void> {
  await callFunction(pool, "settle_devices", {
    p_deliveries: results.map(({ device }) => device.deliveryId),
    p_devices: results.map(({ device }) => device.deviceId),
    p_states: results.map(({ state }) => state),
    p_reasons: results.map(({ reason }) => reason?.replaceAll("\u0000", "").toWellFormed() ?? null),
    p_vendor_statuses: results.map(({ vendorStatus }) => vendorStatus),
    p_providers: results.map(({ providerId }) => providerId),
    p_ids: results.map(({ device }) => device.id),
  });
}
