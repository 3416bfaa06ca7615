import {
  DEVICE_FIELDS,
  DEVICE_PATH,
  DEVICES_PATH,
  Device,
  DevicesResponse,
  deviceFaults,
  deviceId,
  deviceTarget,
  MAX_DEVICES,
} from "@belfry/contracts/devices";
import { text } from "@belfry/contracts/fields";
import type { Database } from "@belfry/database/connection";
import { removeDevice, storeDevice, webPushKey } from "@belfry/database/functions/devices";
import { Type } from "@sinclair/typebox";
import { sql } from "kysely";
import { defineAct, defineRead, note } from "../act.ts";
import { columnsOf } from "../columns.ts";
import { NotFound, refuseFaults } from "../input-error.ts";
import { requireTenant } from "../tenants/tenant-rows.ts";

const OF_USER = { userId: text({ description: "the user's id in your own system" }) };
const OF_DEVICE = { ...OF_USER, deviceId };
const EXAMPLE = {
  deviceId: "firefox-laptop",
  kind: "webpush" as const,
  name: "Firefox on Linux",
  registeredAt: "2026-11-20T09:30:00.000Z",
  endsAt: null,
  seenAt: null,
};

export const listDevices = defineRead({
  name: "device list",
  http: `GET ${DEVICES_PATH}`,
  access: { scope: "tenant", person: "viewer", key: "read" },
  summary: "List a user's devices, and the key with which a browser subscribes",
  input: Type.Object(OF_USER),
  output: DevicesResponse.properties.data,
  example: {
    input: { userId: "user-1" },
    output: { devices: [EXAMPLE], webPushKey: "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIg" },
  },
  flags: { userId: "<user-id>" },
  async run({ db, tenantId }, { userId }) {
    await requireTenant(db, tenantId);
    const devices = await devicesOfUser(db, tenantId, userId);
    return { devices, webPushKey: (await webPushKey(db, tenantId)) ?? null };
  },
});

export const putDevice = defineAct({
  name: "device put",
  http: `PUT ${DEVICE_PATH}`,
  access: { scope: "tenant", person: "owner", key: "backend" },
  summary: "Register a user's device, or register it again",
  description: `A token that another user of the tenant registered moves to this user. A user has at most ${MAX_DEVICES} devices: beyond them, the one that was not registered again for longest is deleted, browsers that registered themselves before any other. Register a device again at each start of the app.`,
  input: Type.Object({ ...OF_DEVICE, ...DEVICE_FIELDS }),
  output: Device,
  command: false,
  example: {
    input: {
      userId: "user-1",
      deviceId: EXAMPLE.deviceId,
      kind: "webpush",
      subscription: {
        endpoint: "https://updates.push.services.mozilla.com/wpush/v2/gAAAAA",
        keys: {
          p256dh:
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
          auth: "BTBZMqHH6r4Tts7J_aSIgg",
        },
      },
      name: EXAMPLE.name,
    },
    output: EXAMPLE,
  },
  async run({ db, tenantId, services }, { userId, deviceId: id, ...device }) {
    refuseFaults(deviceFaults(device));
    await requireTenant(db, tenantId);
    await storeDevice(db, await services.keys(), {
      tenantId,
      userId,
      deviceId: id,
      target: deviceTarget(device),
      name: device.name ?? null,
    });
    return { output: await requireDevice(db, tenantId, userId, id) };
  },
  audit: ({ userId, deviceId: id }, { output }) =>
    note("device.put", userId, { after: { deviceId: id, kind: output.kind } }),
});

export const deleteDevice = defineAct({
  name: "device delete",
  http: `DELETE ${DEVICE_PATH}`,
  access: { scope: "tenant", person: "editor", key: "backend" },
  summary: "Remove a user's device: nothing more is sent to it",
  input: Type.Object(OF_DEVICE),
  output: Device,
  example: { input: { userId: "user-1", deviceId: EXAMPLE.deviceId }, output: EXAMPLE },
  flags: { userId: "<user-id>", deviceId: "<device-id>" },
  async run({ db, tenantId }, { userId, deviceId: id }) {
    const output = await requireDevice(db, tenantId, userId, id);
    await removeDevice(db, { tenantId, userId, deviceId: id });
    return { output };
  },
  audit: ({ userId, deviceId: id }, { output }) =>
    note("device.delete", userId, { before: { deviceId: id, kind: output.kind } }),
});

/** Returns a user's devices, the last registered first. */
export async function devicesOfUser(db: Database, tenantId: string, userId: string) {
  const { rows } = await sql<Device>`
    select ${columnsOf(Device, "d")} from devices d
    where d.tenant_id = ${tenantId} and d.user_id = ${userId}
    order by d.registered_at desc, d.id desc`.execute(db);
  return rows;
}

async function requireDevice(db: Database, tenantId: string, userId: string, id: string) {
  const found = (await devicesOfUser(db, tenantId, userId)).find((one) => one.deviceId === id);
  if (found !== undefined) return found;
  throw new NotFound("deviceId", `the user has no device ${JSON.stringify(id)}`);
}

/** Deletes all devices of a user. Returns their number. */
export async function deleteDevicesOfUser(
  db: Database,
  { tenantId, userId }: { tenantId: string; userId: string },
): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    select delete_devices(p_tenant => ${tenantId}, p_user => ${userId}) as deleted`.execute(db);
  return rows[0]!.deleted;
}
