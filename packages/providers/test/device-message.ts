import type { DeviceMessage } from "@belfry/contracts/sending";
import { NOW_MS } from "./messages.ts";

const MINIMAL = {
  deliveryId: "0193a1c0-0000-7000-8000-00000000000d",
  tenantId: "0193a1c0-0000-7000-8000-00000000000a",
  eventId: "0193a1c0-0000-7000-8000-00000000000e",
  registeredAt: new Date(NOW_MS - 60_000),
  title: "Your parcel",
  body: "It is at the door – 🎉",
  ttlSeconds: 3600,
};

export function deviceMessage(
  device: DeviceMessage["device"],
  changes: Partial<DeviceMessage> = {},
): DeviceMessage {
  return { ...MINIMAL, device, ...changes };
}
