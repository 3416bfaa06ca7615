import { ErasuresFull, requestErasure, showErasure } from "@belfry/administration/erasure/erasures";
import { changePreferences, showPreferences } from "@belfry/administration/users/preferences";
import { putUser, putUsers, showUser } from "@belfry/administration/users/users";
import { id, text } from "@belfry/contracts/fields";
import { ChangePreferencesRequest, PreferencesResponse } from "@belfry/contracts/preferences";
import { Problem } from "@belfry/contracts/problems";
import {
  ErasureResponse,
  MAX_USERS_BATCH_BYTES,
  MAX_USERS_OF_BATCH,
  USERS_BATCH_PATH,
  UserRequest,
  UserResponse,
  UsersBatchRequest,
  UsersBatchResponse,
} from "@belfry/contracts/users";
import { EXAMPLE_ID } from "@belfry/http-api/route-schema";
import { Type } from "@sinclair/typebox";
import type { AddActRoute } from "./act-route.ts";

const tag = "Users";
const RETRY_ERASURE_SECONDS = 60;

const params = Type.Object({
  userId: text({
    description:
      "The user's id in your own system, percent-encoded; of the very id `batch` write %62atch",
    examples: ["user-1"],
  }),
});
const reserved = { [USERS_BATCH_PATH]: "POST" };
const LONG_ID = { validation: { message: ["userId must be at most 255 characters"] } };

/** Registers the routes of users: the directory, preferences and erasures. */
export function userRoutes(add: AddActRoute): void {
  const { userId: _, ...example } = putUser.example?.input ?? {};

  add(putUser, {
    tag,
    operationId: "putUser",
    summary: "Name a user",
    description:
      "Stores all that Belfry is to know of a user: what is left out is deleted. Applies to every event that is dispatched after the answer. You need not name your users: an address in the trigger wins.",
    params,
    reserved,
    body: UserRequest,
    answer: { description: "The user as stored", schema: UserResponse },
    problems: { validation: { message: ["email must be an email address"] } },
  });

  add(showUser, {
    tag,
    operationId: "showUser",
    summary: "Show a user",
    description: "The entry that you have stored.",
    params,
    reserved,
    answer: { description: "The user", schema: UserResponse },
    problems: { notFound: {}, ...LONG_ID },
  });

  add(putUsers, {
    tag,
    operationId: "putUsers",
    description: `Up to ${MAX_USERS_OF_BATCH} users and 1 MiB, each as by PUT, with an answer for each. The good ones are stored together; a bad one does not hold them up.`,
    body: UsersBatchRequest,
    examples: {
      users: { value: { users: [{ userId: "user-1", ...example }, { userId: "user-2" }] } },
    },
    maxBodyBytes: MAX_USERS_BATCH_BYTES,
    answer: { description: "The outcome for each user", schema: UsersBatchResponse },
    problems: {
      validation: { message: [`users must have at most ${MAX_USERS_OF_BATCH} items`] },
    },
    answerOf: ({ results }) => ({ success: true, results }),
    logFieldsOf: ({ results }) => ({ users: results.filter(({ success }) => success).length }),
  });

  add(showPreferences, {
    tag,
    operationId: "showPreferences",
    summary: "Show a user's preferences",
    description:
      "What the user has turned on and off, from where and when, and the categories there are. Of any user id: you need not have named the user.",
    params,
    answer: { description: "The preferences", schema: PreferencesResponse },
    problems: LONG_ID,
  });

  add(changePreferences, {
    tag,
    operationId: "changePreferences",
    description:
      "Writes the cells that are named and leaves the others: all of them, or none if one is wrong. Applies to every event that is dispatched after the answer. An off is never overruled by an on in another cell; a required category cannot be turned off.",
    params,
    body: ChangePreferencesRequest,
    answer: { description: "The preferences as they are now", schema: PreferencesResponse },
    problems: {
      validation: {
        message: ['preferences[0].category must be * or the key of a category: "ofers"'],
      },
    },
  });

  add(requestErasure, {
    tag,
    operationId: "eraseUser",
    description:
      "What was said of the user (addresses, preferences) is gone with the answer; events, deliveries, history and what else there is go in the background, one user of a tenant at a time, and what waits is not sent any more. Suppressed addresses stay suppressed. Stop sending to the user first: what is accepted meanwhile may stay.",
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
    tag,
    operationId: "showErasure",
    params: Type.Object({
      erasureId: id({ description: "The id that DELETE answered", examples: [EXAMPLE_ID] }),
    }),
    answer: { description: "The erasure", schema: ErasureResponse },
    problems: { notFound: {} },
  });
}
