import { emailAddress } from "@belfry/contracts/addresses";
import { orNull, text } from "@belfry/contracts/fields";
import { canonicalLocale } from "@belfry/contracts/locale";
import { faultsOf, faultText } from "@belfry/contracts/problems";
import { NO_TIME_ZONE, quietHoursOf, timeZoneName } from "@belfry/contracts/quiet-hours";
import {
  BatchUser,
  MAX_USERS_BATCH_BYTES,
  UserResponse,
  UsersBatchRequest,
  UsersBatchResponse,
} from "@belfry/contracts/users";
import { noteUse } from "@belfry/database/configuration-version";
import type { Database } from "@belfry/database/connection";
import { parseVariables } from "@belfry/templates/language/event-variables";
import { type Static, Type } from "@sinclair/typebox";
import { defineAct, defineRead, LOOK, note, optional } from "../act.ts";
import { invalid, NotFound } from "../input-error.ts";
import { countUpTo, isoTimes } from "../pages.ts";
import { hasTimeZone, requireTimeZone } from "../tenants/tenant-input.ts";
import { lockTenant, requireTenant } from "../tenants/tenant-rows.ts";
import {
  findUser,
  ListedUser,
  pageOfUsers,
  storeUsers,
  type UserRow,
  usersBeginning,
} from "./user-rows.ts";

/** A user as the tenant has stored it, not only as events name it. */
const User = UserResponse.properties.data;
export type User = Static<typeof User>;

/** A user's whole entry. Saving deletes the fields that are absent, null or empty. */
export const USER_FIELDS = BatchUser.properties;
export type UserInput = Static<typeof BatchUser>;

const LISTED = 50;
const MOST_LISTED = 1_000;

export const USER_INPUT = {
  userId: "user-1",
  email: "ann@example.com",
  phone: "+12025550123",
  chat: "slack:U024BE91L",
  locale: "de-AT",
  timezone: "Europe/Vienna",
  attributes: { firstName: "Ann" },
  quietHours: { from: "22:00", to: "06:00" },
};
const moment = "2026-11-20T09:30:00.000Z";
const USER = { ...USER_INPUT, createdAt: moment, updatedAt: moment };

const LISTED_USER = {
  userId: "user-1",
  email: "ann@example.com",
  phone: null,
  isNamed: true,
  lastEventAt: null,
};

export const listUsers = defineRead({
  name: "user list",
  http: "GET /users",
  access: LOOK,
  summary:
    "List a tenant's users by id, including users that only events name; `next` is set if there are more",
  input: Type.Object({
    after: optional(text(), "those after a page, by its next"),
    limit: optional(
      countUpTo(MOST_LISTED),
      `at most so many, 1 to ${MOST_LISTED}; default: ${LISTED}`,
    ),
  }),
  output: Type.Object({
    users: Type.Array(ListedUser),
    next: optional(Type.String(), "Give it as `after` for the next page"),
  }),
  example: {
    input: { limit: 1 },
    output: {
      users: [LISTED_USER],
      next: "user-1",
    },
  },
  async run({ db, tenantId }, { after, limit = LISTED }) {
    await requireTenant(db, tenantId);
    const found = await pageOfUsers(db, tenantId, { after, limit: limit + 1 });
    const users = found.slice(0, limit);
    const next = users.at(-1)?.userId;
    return { users, ...(found.length > limit && next !== undefined && { next }) };
  },
});

export const findUsers = defineRead({
  name: "user find",
  http: "GET /users/find",
  access: LOOK,
  summary:
    "Find a tenant's users by the beginning of their id or email address, in upper or lower case",
  description:
    "`ann` finds `anna@example.com` and the user `ann-1`. The user of this very id comes first, then the others by their ids. Every character stands for itself, `%` and `_` too. Users that events alone name are found by their id. `event search` finds a phone number, by its end.",
  input: Type.Object({
    search: text({ description: "the beginning of the id or the address" }),
    limit: optional(
      countUpTo(MOST_LISTED),
      `at most so many, 1 to ${MOST_LISTED}; default: ${LISTED}`,
    ),
  }),
  output: Type.Object({
    users: Type.Array(ListedUser),
    more: Type.Boolean({ description: "There are more: search with more of the beginning" }),
  }),
  example: { input: { search: "ann" }, output: { users: [LISTED_USER], more: false } },
  flags: { search: "<text>" },
  async run({ db, tenantId }, { search, limit = LISTED }) {
    await requireTenant(db, tenantId);
    const found = await usersBeginning(db, tenantId, {
      text: search.trim() || search,
      limit: limit + 1,
    });
    return { users: found.slice(0, limit), more: found.length > limit };
  },
});

export const showUser = defineRead({
  name: "user show",
  http: "GET /api/v1/users/:userId",
  access: { scope: "tenant", person: "viewer", key: "read" },
  tool: true,
  summary: "Show a user's stored entry",
  input: Type.Object({ userId: USER_FIELDS.userId }),
  output: User,
  example: { input: { userId: "user-1" }, output: USER },
  run: ({ db, tenantId }, { userId }) => requireUser(db, tenantId, userId),
});

export const putUser = defineAct({
  name: "user put",
  http: "PUT /api/v1/users/:userId",
  access: { scope: "tenant", person: "editor", key: "users" },
  summary: "Replace a user's entry; fields that are not given are deleted",
  description: "It applies to every event that is dispatched from then on.",
  input: Type.Object({
    ...USER_FIELDS,
    seen: optional(
      orNull(text()),
      "`updatedAt` of the user that you have seen, null where it was not known: what changed since is refused",
    ),
  }),
  output: User,
  example: { input: USER_INPUT, output: USER },
  flags: { quietHours: "--quiet-hours <from-to|none>", seen: null },
  async run({ db, tenantId, actor }, { seen, ...input }) {
    if (input.timezone) await requireTimeZone(db, input.timezone);
    // Two people who save the same user wait for each other, so `before` of the second has the first one's change.
    // Programs do not lock, so they never wait.
    if (!actor.isProgram) await lockTenant(db, tenantId);
    const before = actor.isProgram ? undefined : await knownUser(db, tenantId, input.userId);
    if (seen !== undefined && (before?.updatedAt ?? null) !== seen) {
      throw invalid(
        "userId",
        seen === null ? "is known already" : "was changed meanwhile: look at the user again",
      );
    }
    await saveUsers(db, tenantId, [input]);
    return { output: await requireUser(db, tenantId, input.userId), before };
  },
  audit: ({ userId }, { before, output }) =>
    note(before === undefined ? "user.create" : "user.update", userId, {
      before: before === undefined ? null : recorded(before),
      after: recorded(output),
    }),
});

/** Returns the stored user, or undefined if only events name the user, or nothing does. */
export async function knownUser(
  db: Database,
  tenantId: string,
  userId: string,
): Promise<User | undefined> {
  const row = await findUser(db, tenantId, userId);
  if (row === undefined) return undefined;
  const { quietFrom, quietTo, attributes, ...user } = row;
  return {
    ...isoTimes(user),
    // Numbers stay as they were written.
    attributes: parseVariables(attributes ?? "") ?? null,
    quietHours: quietHoursOf(quietFrom, quietTo),
  };
}

async function requireUser(db: Database, tenantId: string, userId: string): Promise<User> {
  const user = await knownUser(db, tenantId, userId);
  if (user !== undefined) return user;
  throw new NotFound("userId", `the tenant has not named a user ${JSON.stringify(userId)}`);
}

/**
 * Saves all users or none, without validating them. If a user id occurs twice, its last entry is saved. Throws
 * `NotFound` if the tenant does not exist.
 */
export async function saveUsers(db: Database, tenantId: string, inputs: readonly UserInput[]) {
  if (inputs.length === 0) return;
  const rows = new Map(inputs.map((input) => [input.userId, userRow(input)]));
  await requireTenant(db, tenantId);
  await noteUse(db, tenantId, "uses_recipients", (transaction) =>
    storeUsers(transaction, tenantId, [...rows.values()]),
  );
}

/** Returns the row for a user whose input was checked. */
export function userRow(input: UserInput): UserRow {
  const attributes = Object.keys(input.attributes ?? {});
  return {
    userId: input.userId,
    email: emailAddress(input.email ?? "") ?? null,
    phone: input.phone || null,
    chat: input.chat || null,
    locale: canonicalLocale(input.locale ?? "") ?? null,
    timezone: timeZoneName(input.timezone ?? "") ?? null,
    attributes: attributes.length > 0 ? JSON.stringify(input.attributes) : null,
    quietFrom: input.quietHours?.from ?? null,
    quietTo: input.quietHours?.to ?? null,
  };
}

/** The audit log gets the names of attributes only, so that their values stand in one place. */
function recorded({ email, phone, chat, locale, timezone, quietHours, ...user }: User): object {
  const attributes = Object.keys(user.attributes ?? {});
  return {
    email,
    phone,
    chat,
    locale,
    timezone,
    quietHours,
    ...(attributes.length > 0 && { attributes }),
  };
}

export const putUsers = defineAct({
  name: "user put-many",
  http: "POST /api/v1/users/batch",
  access: { scope: "tenant", person: "editor", key: "users" },
  maxBodyBytes: MAX_USERS_BATCH_BYTES,
  command: false,
  summary: "Store many users",
  description:
    "The valid users are stored together, even if others are invalid. There is a result for each.",
  input: Type.Object({ users: UsersBatchRequest.properties.users }),
  output: Type.Object({ results: UsersBatchResponse.properties.results }),
  example: {
    input: { users: [USER_INPUT, { userId: "user-2", email: "nobody" }] },
    output: {
      results: [
        { userId: "user-1", success: true },
        { userId: "user-2", success: false, message: ["email must be an email address"] },
      ],
    },
  },
  async run({ db, tenantId }, { users }) {
    const good: BatchUser[] = [];
    const results: UsersBatchResponse["results"] = [];
    for (const item of users) {
      const message = await itemFaults(db, item);
      const { userId } = Object(item) as { userId?: unknown };
      const of = { userId: typeof userId === "string" ? userId : null };
      if (message.length === 0) good.push(item as BatchUser);
      results.push(
        message.length === 0 ? { ...of, success: true } : { ...of, success: false, message },
      );
    }
    await saveUsers(db, tenantId, good);
    return { output: { results }, stored: good.length };
  },
  audit: (_, { stored }) => note("user.put-many", `${stored} users`),
});

async function itemFaults(db: Database, item: unknown): Promise<string[]> {
  const faults = faultsOf(BatchUser, item, "item", "").map(faultText);
  if (faults.length > 0) return faults;
  const { timezone } = item as BatchUser;
  return !timezone || (await hasTimeZone(db, timezone)) ? [] : [`timezone ${NO_TIME_ZONE}`];
}
