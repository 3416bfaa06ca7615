import { ErasuresFull, requestErasure, showErasure } from "@belfry/administration/erasure/erasures";
import { deleteDevice, listDevices, putDevice } from "@belfry/administration/users/devices";
import { changePreferences, showPreferences } from "@belfry/administration/users/preferences";
import { putUser, putUsers, showUser } from "@belfry/administration/users/users";
import { DeviceRequest, DeviceResponse, DevicesResponse } from "@belfry/contracts/devices";
import { text } from "@belfry/contracts/fields";
import { ChangePreferencesRequest, PreferencesResponse } from "@belfry/contracts/preferences";
import { Problem } from "@belfry/contracts/problems";
import {
  ErasureResponse,
  MAX_USERS_OF_BATCH,
  USERS_BATCH_PATH,
  UserRequest,
  UserResponse,
  UsersBatchRequest,
  UsersBatchResponse,
} from "@belfry/contracts/users";
import { Type } from "@sinclair/typebox";
import type { AddActRoute } from "./act-route.ts";

const RETRY_ERASURE_SECONDS = 60;

const params = Type.Object({
  userId: text({
    description:
      "The user's id in your own system, percent-encoded. Write the id `batch` as %62atch",
    examples: ["user-1"],
  }),
});
const reserved = { [USERS_BATCH_PATH]: "POST" };
const LONG_ID = { validation: { message: ["userId must be at most 255 characters"] } };

/** Registers the routes of users: the directory, preferences, devices and erasures. */
export function userRoutes(add: AddActRoute): void {
  const { userId: _, ...example } = putUser.example?.input ?? {};

  add(putUser, {
    operationId: "putUser",
    params,
    reserved,
    body: UserRequest,
    answer: { description: "The user as stored", schema: UserResponse },
    problems: { validation: { message: ["email must be an email address"] } },
  });

  add(showUser, {
    operationId: "showUser",
    params,
    reserved,
    answer: { description: "The user", schema: UserResponse },
    problems: { notFound: {}, ...LONG_ID },
  });

  add(putUsers, {
    operationId: "putUsers",
    body: UsersBatchRequest,
    examples: {
      users: { value: { users: [{ userId: "user-1", ...example }, { userId: "user-2" }] } },
    },
    answer: { description: "The outcome for each user", schema: UsersBatchResponse },
    problems: {
      validation: { message: [`users must have at most ${MAX_USERS_OF_BATCH} items`] },
    },
    answerOf: ({ results }) => ({ success: true, results }),
    logFieldsOf: ({ results }) => ({ users: results.filter(({ success }) => success).length }),
  });

  add(showPreferences, {
    operationId: "showPreferences",
    answer: { description: "The preferences", schema: PreferencesResponse },
    problems: LONG_ID,
  });

  add(changePreferences, {
    operationId: "changePreferences",
    body: ChangePreferencesRequest,
    answer: { description: "The preferences as they are now", schema: PreferencesResponse },
    problems: {
      validation: {
        message: ['preferences[0].category must be * or the key of a category: "ofers"'],
      },
    },
  });

  add(listDevices, {
    operationId: "listDevices",
    answer: { description: "The devices", schema: DevicesResponse },
    problems: LONG_ID,
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
    problems: { notFound: {}, ...LONG_ID },
  });

  add(requestErasure, {
    operationId: "eraseUser",
    params,
    reserved,
    answer: {
      status: 202,
      description: "It will be done; of a user whose erasure is open it is that one",
      schema: ErasureResponse,
    },
    problems: LONG_ID,
    problemOf(error) {
      if (!(error instanceof ErasuresFull)) return undefined;
      return new Problem("tooManyRequests", {
        message: "Too many erasures are waiting",
        retryAfterSeconds: RETRY_ERASURE_SECONDS,
      });
    },
    logFieldsOf: ({ id: erasureId }) => ({ erasureId }),
  });

  add(showErasure, {
    operationId: "showErasure",
    answer: { description: "The erasure", schema: ErasureResponse },
    problems: { notFound: {} },
  });
}
