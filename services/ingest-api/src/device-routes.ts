import { deleteDevice, listDevices, putDevice } from "@belfry/administration/users/devices";
import { DeviceRequest, DeviceResponse, DevicesResponse } from "@belfry/contracts/devices";
import type { AddActRoute } from "./act-route.ts";

/** Registers the routes of users' devices. */
export function deviceRoutes(add: AddActRoute): void {
  add(listDevices, {
    operationId: "listDevices",
    answer: { description: "The devices", schema: DevicesResponse },
  });

  add(putDevice, {
    operationId: "putDevice",
    body: DeviceRequest,
    answer: { description: "The device as stored", schema: DeviceResponse },
    problems: { validation: { message: ["subscription is required for webpush"] } },
  });

  add(deleteDevice, {
    operationId: "deleteDevice",
    answer: { description: "The device that was removed", schema: DeviceResponse },
    problems: { notFound: {} },
  });
}
