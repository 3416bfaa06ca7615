import { type Static, type TUnsafe, Type } from "@sinclair/typebox";
import { field, orNull, success, time } from "./fields.ts";
import { UUID_FORM } from "./identifiers.ts";

const FORM =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;
const NO_SEND_AT = "must be a time with its offset in ISO 8601, as 2026-11-20T09:30:00+01:00";

/**
 * Parses a time in ISO 8601 with an offset, to the millisecond. Undefined for other texts and for days that do not
 * exist.
 */
export function momentOf(text: string): Date | undefined {
  const parts = FORM.exec(text);
  if (parts === null) return undefined;
  const [, year, month, day] = parts.map(Number) as [number, number, number, number];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  // Date turns 30 February into a day of March.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  return new Date(text);
}

/** Returns a type for the time at which something is sent. */
export function sendAt(words: { description: string }): TUnsafe<string> {
  const keywords = { type: "string", format: "date-time", ...words };
  return field({ ...keywords, examples: ["2026-11-20T09:30:00+01:00"] }, (value) =>
    typeof value === "string" && momentOf(value) !== undefined ? undefined : NO_SEND_AT,
  );
}

/** Returns a type for a delay in whole seconds after the acceptance. */
export function delaySeconds(words: { description: string }): TUnsafe<number> {
  const keywords = { type: "integer", minimum: 0, ...words };
  return field({ ...keywords, examples: [3600] }, (value) =>
    Number.isSafeInteger(value) && (value as number) >= 0
      ? undefined
      : "must be an integer of at least 0",
  );
}

/** `GET /api/v1/events/scheduled`: events that wait for their time, the soonest first. */
export const SCHEDULED_PATH = "/api/v1/events/scheduled";

export const SCHEDULED_DEFAULT_LIMIT = 50;
export const SCHEDULED_MAX_LIMIT = 1000;

/** The position of a page's last event: its time to the microsecond, and its id. */
interface ScheduledPlace {
  time: string;
  id: string;
}

const PLACE = new RegExp(
  `^(20\\d\\d)-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])(T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d\\.\\d{6}Z)_(${UUID_FORM})$`,
);
const NO_PLACE = "must be the next of a page before";

/** Reads the `next` of a page; undefined for any other text. */
export function placeOf(text: string): ScheduledPlace | undefined {
  const [, year, month, day, clock, id] = PLACE.exec(text) ?? [];
  if (id === undefined) return undefined;
  // No page ends on 30 February, but the documented pattern allows it. Date turns it into a day of March.
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return { time: date.toISOString().slice(0, 10) + clock, id };
}

export function scheduledPlace(words: { description: string; examples: string[] }) {
  return field<string>({ type: "string", pattern: PLACE.source, ...words }, (value) =>
    typeof value === "string" && placeOf(value) !== undefined ? undefined : NO_PLACE,
  );
}

export const ScheduledEvent = Type.Object(
  {
    id: Type.String({ format: "uuid", description: "Belfry's id" }),
    eventId: Type.String({ description: "Your own reference; Belfry's id if you gave none" }),
    eventType: Type.String(),
    userId: Type.String(),
    sendAt: time("Time of dispatch"),
    cancelKey: orNull(
      Type.String({ description: "The trigger's cancel key; null if it had none" }),
    ),
    acceptedAt: time("When it was stored"),
  },
  { title: "ScheduledEvent" },
);
export type ScheduledEvent = Static<typeof ScheduledEvent>;

export const ScheduledResponse = Type.Object(
  {
    success,
    data: Type.Array(ScheduledEvent, { description: "The soonest first" }),
    next: Type.Optional(
      Type.String({
        description: "Pass it as `after` to get the next page; absent on the last page",
      }),
    ),
  },
  { title: "ScheduledResponse" },
);
export type ScheduledResponse = Static<typeof ScheduledResponse>;

/** `PATCH /api/v1/events/{eventId}`: moves a scheduled event to another time. */
export const MoveRequest = Type.Object(
  {
    sendAt: sendAt({
      description:
        "The new time of dispatch; a past time means now. It has the same limits as that of a trigger, counted from the event's acceptance",
    }),
  },
  { title: "MoveRequest" },
);
export type MoveRequest = Static<typeof MoveRequest>;

export const MoveResponse = Type.Object(
  {
    success,
    sendAt: time("The new time; the time of the call if a past time was given"),
  },
  { title: "MoveResponse" },
);
export type MoveResponse = Static<typeof MoveResponse>;
