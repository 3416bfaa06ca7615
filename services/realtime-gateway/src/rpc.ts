import {
  BROWSER_DEVICE_DAYS,
  DEVICE_FIELDS,
  deviceId,
  deviceTarget,
  subscription,
} from "@belfry/contracts/devices";
import { FAULT, field, oneOf } from "@belfry/contracts/fields";
import { HISTORY_DEFAULT_LIMIT, HISTORY_MAX_LIMIT, UUID } from "@belfry/contracts/identifiers";
import {
  type ChangeNotificationRequest,
  changeFault,
  INBOX_VIEWS,
  NOTIFICATION_CHANGES,
} from "@belfry/contracts/notification";
import {
  ANY,
  CATEGORY_KEY,
  categoryKey,
  MAX_CATEGORIES,
  PREFERENCE_CHANNELS,
  PreferenceCell,
} from "@belfry/contracts/preferences";
import { faultsOf, faultText } from "@belfry/contracts/problems";
import type { RealtimeMessage } from "@belfry/contracts/realtime-message";
import type { Database } from "@belfry/database/connection";
import { removeDevice, storeDevice } from "@belfry/database/functions/devices";
import {
  archiveAllNotifications,
  changeNotification,
  changeOf,
  countUnread,
  type InboxPart,
  inboxTabs,
  kindOfChange,
  kindOfMark,
  listNotifications,
  markAllNotificationsRead,
  type NotificationChange,
  readUnread,
} from "@belfry/database/notifications";
import {
  categoryTextBytes,
  changePreferencesOfUser,
  shownPreferences,
} from "@belfry/database/preferences";
import type { SecretKeys } from "@belfry/database/secrets";
import { channelsInUse } from "@belfry/database/template-channels";
import { createKeyedSerialQueue } from "@belfry/service/keyed-serial-queue";
import { type Static, type TObject, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { ERRORS, type ProtocolError } from "./protocol.ts";
import { ITEM_BYTES } from "./realtime-history.ts";

/** The user of a session. The session's calls cannot access another user's inbox or preferences. */
export interface InboxOwner {
  tenantId: string;
  userId: string;
}

export type RpcAnswer = { ok: true; data: unknown } | { ok: false; error: ProtocolError };
/** Answers a call; rejects if Postgres does not answer. */
export type Rpc = (owner: InboxOwner, method: string, data: unknown) => Promise<RpcAnswer>;

export interface RpcDeps {
  db: Database;
  /** Encrypts the addresses of browsers. */
  secretKeys: SecretKeys;
  /** Reads an answer of at most `maxBytes`, within the limits of large answers. */
  readLarge<T>(owner: InboxOwner, maxBytes: number, read: () => Promise<T>): Promise<T>;
  /** Sends a message to all connections of a user, on every gateway. */
  announce(tenantId: string, message: RealtimeMessage): void;
  /** Returns the time in ms. Default: `Date.now`. */
  now?: () => number;
}

const category = Type.Optional(Type.String({ pattern: CATEGORY_KEY.source }));
const ListRequest = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: HISTORY_MAX_LIMIT })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })),
  before: Type.Optional(Type.RegExp(UUID)),
  view: Type.Optional(Type.Union(INBOX_VIEWS.map((view) => Type.Literal(view)))),
  category,
});
type ListRequest = Static<typeof ListRequest>;
/** Selects the whole inbox, or one of its tabs. */
const AllRequest = Type.Object({ category: Type.Optional(categoryKey()) });
const ItemRequest = Type.Object({
  id: field<string>({ type: "string" }, (value) =>
    typeof value === "string" ? undefined : "must be a string",
  ),
});
const ChangeItemRequest = Type.Object(
  { ...ItemRequest.properties, ...NOTIFICATION_CHANGES },
  { [FAULT]: changeFault },
);
/** Most cells of a change. Each cell writes a row; a page changes one row of switches at a time. */
const MAX_PREFERENCES_OF_CALL = 64;
const ChangeRequest = Type.Object({
  preferences: Type.Array(PreferenceCell, { maxItems: MAX_PREFERENCES_OF_CALL }),
});
type ChangeRequest = Static<typeof ChangeRequest>;
/** Each change of a user on this gateway may write a webhook message. */
const DEVICE_CHANGES_PER_MINUTE = 30;
const DeviceId = Type.Object({ deviceId });
/** Is like the body of `PUT /api/v1/users/{userId}/devices/{deviceId}`, for browsers only. */
const PutDeviceRequest = Type.Object({
  ...DeviceId.properties,
  kind: oneOf(["webpush"]),
  subscription,
  applicationServerKey: DEVICE_FIELDS.applicationServerKey,
  name: DEVICE_FIELDS.name,
});
/** Largest JSON of a user's preferences and the tenant's categories, in bytes, without the categories' texts. */
const PREFERENCE_CELLS_BYTES = 256 * (MAX_CATEGORIES + 1) * (1 + PREFERENCE_CHANNELS.length);
/** Largest JSON of an inbox's tabs, in bytes, without the categories' texts. */
const MAX_TAB_BYTES = 256 * (MAX_CATEGORIES + 1);

const CHANGES = [
  "notifications.mark_read",
  "notifications.mark_all_read",
  "notifications.archive_all",
  "notifications.change",
  "notifications.delete",
  "preferences.change",
  "device.put",
  "device.delete",
];

/** Returns whether a call changes something. Any other call is useless once its answer cannot arrive. */
export function isChange({ method }: { method: string }): boolean {
  return CHANGES.includes(method);
}

/**
 * Returns a function that answers the calls of a page over the socket:
 * - `notifications.list` `{limit?, offset?, before?, view?, category?}` → `{notifications: [...]}`, newest first;
 * - `notifications.unread_count` → `{unread, returnsInMs?}`: the time until the next snoozed item is back;
 * - `notifications.tabs` → `{categories: [{key, label, unread}], archived, snoozed}`;
 * - `notifications.mark_read` `{id}` → `{status: "marked" | "already", unread}`; error 404 if the id is unknown;
 * - `notifications.mark_all_read` `{category?}` → `{marked, unread}`;
 * - `notifications.archive_all` `{category?}` → `{archived, unread}`;
 * - `notifications.change` `{id}` and one of `{read, archived, snoozedUntil}` →
 *   `{status: "changed" | "already", unread}`, or with `read: true` the result of `mark_read`;
 * - `notifications.delete` `{id}` → `{status: "changed", unread}`;
 * - `preferences.show` → `{preferences, categories, channels}`;
 * - `preferences.change` `{preferences: [{category, channel, enabled}]}` → as `preferences.show` after the change;
 * - `device.put` `{deviceId, kind: "webpush", subscription, applicationServerKey?, name?}` and `device.delete`
 *   `{deviceId}` → `{}`; error 103 unless the tenant lets browsers register themselves.
 */
export function createRpc({ db, secretKeys, readLarge, announce, now = Date.now }: RpcDeps): Rpc {
  // A user's changes run one at a time, so that waiting changes use no connection to Postgres.
  const preferenceChanges = createKeyedSerialQueue();
  const deviceChanges = createKeyedSerialQueue();
  const mayChangeDevices = createMinuteLimit(DEVICE_CHANGES_PER_MINUTE, now);

  const changeAll = async (
    owner: InboxOwner,
    data: unknown,
    count: "marked" | "archived",
    change: (db: Database, part: InboxPart) => Promise<number>,
    kindOf: (category: string | undefined) => "marked" | "changed",
  ): Promise<RpcAnswer> => {
    const request = data ?? {};
    const [wrong] = faultsOf(AllRequest, request, "data", "");
    if (wrong !== undefined) return badRequest(faultText(wrong));
    const { category } = request as Static<typeof AllRequest>;
    const changed = await change(db, { ...owner, category });
    const unread = await countUnread(db, owner);
    const { tenantId, userId } = owner;
    const kind = kindOf(category);
    if (changed > 0)
      announce(tenantId, { version: 1, kind, userId, notificationId: "all", unread });
    return { ok: true, data: { [count]: changed, unread } };
  };
  const changeItem = async (
    owner: InboxOwner,
    data: unknown,
    changeIn: (data: ChangeNotificationRequest) => NotificationChange,
    request: TObject = ItemRequest,
  ): Promise<RpcAnswer> => {
    const [wrong] = faultsOf(request, data, "data", "");
    if (wrong !== undefined) return badRequest(faultText(wrong));
    const { id } = data as Static<typeof ItemRequest>;
    if (!UUID.test(id)) return UNKNOWN_NOTIFICATION;
    const change = changeIn(data as ChangeNotificationRequest);
    const notificationId = id.toLowerCase();
    const status = await changeNotification(db, { ...owner, notificationId }, change);
    if (status === "unknown") return UNKNOWN_NOTIFICATION;
    const unread = await countUnread(db, owner);
    const { tenantId, userId } = owner;
    const kind = kindOfChange(change);
    if (status === "changed")
      announce(tenantId, { version: 1, kind, userId, notificationId, unread });
    return { ok: true, data: { status: status === "changed" ? kind : status, unread } } as const;
  };
  const showPreferences = async (owner: InboxOwner): Promise<RpcAnswer> => {
    const maxBytes = PREFERENCE_CELLS_BYTES + (await categoryTextBytes(db, owner.tenantId));
    const data = await readLarge(owner, maxBytes, async () => {
      const { preferences, categories } = await shownPreferences(db, owner);
      const channels = await channelsInUse(db, owner.tenantId);
      const known = new Set([ANY, ...categories.map(({ key }) => key)]);
      // Preferences for deleted categories are left out: their number has no bound, and the page has no switch for
      // them.
      const cells = preferences.filter(({ category }) => known.has(category));
      return { preferences: cells, categories, channels };
    });
    return { ok: true, data };
  };

  const changeDevice = async <T extends { deviceId: string }>(
    owner: InboxOwner,
    data: unknown,
    request: TObject,
    change: (device: T & InboxOwner) => Promise<unknown>,
  ): Promise<RpcAnswer> => {
    const [wrong] = faultsOf(request, data, "data", "");
    if (wrong !== undefined) return badRequest(faultText(wrong));
    const user = `${owner.tenantId}/${owner.userId}`;
    if (!mayChangeDevices(user)) return { ok: false, error: ERRORS.tooManyRequests };
    return await deviceChanges.run(user, async () => {
      const tenant = await db
        .selectFrom("tenants")
        .select("browser_devices as allowed")
        .where("id", "=", owner.tenantId)
        .executeTakeFirst();
      if (!tenant?.allowed) return { ok: false, error: ERRORS.permissionDenied };
      await change({ ...(data as T), ...owner });
      return { ok: true, data: {} };
    });
  };

  const methods: Record<string, (owner: InboxOwner, data: unknown) => Promise<RpcAnswer>> = {
    async "notifications.list"(owner, data) {
      const request = data ?? {};
      if (!Value.Check(ListRequest, request)) return BAD_REQUEST;
      const { limit = HISTORY_DEFAULT_LIMIT, ...page }: ListRequest = request;
      const read = () => listNotifications(db, { ...page, limit, ...owner });
      const notifications = await readLarge(owner, limit * ITEM_BYTES, read);
      return { ok: true, data: { notifications } };
    },
    async "notifications.unread_count"(owner) {
      const { unread, returnsInMs } = await readUnread(db, owner);
      return { ok: true, data: { unread, ...(returnsInMs !== null && { returnsInMs }) } };
    },
    "notifications.mark_read": (owner, data) => changeItem(owner, data, () => ({ read: true })),
    "notifications.delete": (owner, data) => changeItem(owner, data, () => ({ deleted: true })),
    "notifications.change": (owner, data) => changeItem(owner, data, changeOf, ChangeItemRequest),
    async "notifications.tabs"(owner) {
      const maxBytes = MAX_TAB_BYTES + (await categoryTextBytes(db, owner.tenantId));
      return { ok: true, data: await readLarge(owner, maxBytes, () => inboxTabs(db, owner)) };
    },
    "notifications.mark_all_read": (owner, data) =>
      changeAll(owner, data, "marked", markAllNotificationsRead, kindOfMark),
    "notifications.archive_all": (owner, data) =>
      changeAll(owner, data, "archived", archiveAllNotifications, () => "changed"),
    "preferences.show": showPreferences,
    async "preferences.change"(owner, data) {
      const [wrong] = faultsOf(ChangeRequest, data, "data", "");
      if (wrong !== undefined) return badRequest(faultText(wrong));
      const { tenantId, userId } = owner;
      const { preferences } = data as ChangeRequest;
      // Either all cells are written or none.
      const { faults, changed } = await preferenceChanges.run(`${tenantId}/${userId}`, () =>
        changePreferencesOfUser(db, owner, "inbox", preferences),
      );
      const [fault] = faults;
      if (fault !== undefined) {
        return badRequest(`preferences[${fault.at}].${fault.field} ${fault.message}`);
      }
      if (changed > 0) announce(tenantId, { version: 1, kind: "preferences", userId });
      return await showPreferences(owner);
    },
    "device.put": (owner, data) =>
      changeDevice<Static<typeof PutDeviceRequest>>(owner, data, PutDeviceRequest, (device) =>
        storeDevice(db, secretKeys, {
          ...device,
          target: deviceTarget(device),
          name: device.name ?? null,
          days: BROWSER_DEVICE_DAYS,
        }),
      ),
    "device.delete": (owner, data) =>
      changeDevice<Static<typeof DeviceId>>(owner, data, DeviceId, (device) =>
        removeDevice(db, device),
      ),
  };
  return async ({ tenantId, userId }, name, data) => {
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (method === undefined) return { ok: false, error: ERRORS.methodNotFound };
    return await method({ tenantId, userId }, data);
  };
}

/** Returns a function that says whether a user has made at most so many changes in this minute. */
function createMinuteLimit(most: number, now: () => number): (user: string) => boolean {
  const changes = new Map<string, number>();
  let minute = 0;
  return (user) => {
    const current = Math.floor(now() / 60_000);
    if (current !== minute) changes.clear();
    minute = current;
    const count = (changes.get(user) ?? 0) + 1;
    changes.set(user, count);
    return count <= most;
  };
}

const BAD_REQUEST: RpcAnswer = { ok: false, error: ERRORS.badRequest };
const UNKNOWN_NOTIFICATION: RpcAnswer = { ok: false, error: ERRORS.unknownNotification };

function badRequest(message: string): RpcAnswer {
  return { ok: false, error: { code: ERRORS.badRequest.code, message } };
}
