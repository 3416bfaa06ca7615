import { textFault } from "@belfry/contracts/identifiers";
import type { ImportKind } from "@belfry/contracts/imports";
import { faultsOf } from "@belfry/contracts/problems";
import { NO_TIME_ZONE } from "@belfry/contracts/quiet-hours";
import { BatchUser } from "@belfry/contracts/users";
import type { Database } from "@belfry/database/connection";
import type { InputFault } from "../input-error.ts";
import { hasTimeZone } from "../tenants/tenant-input.ts";
import { changeMembersOf, heldTopic } from "./topic-rows.ts";
import { storeUsers } from "./user-rows.ts";
import { userRow } from "./users.ts";

/** What kinds of CSV files are imported in the background: their columns, and how their lines are written. */

interface Place {
  tenantId: string;
  /** Of members. */
  topic: string | null;
  /** The fields of a record, in its order. */
  columns: readonly string[];
}

/** A good line: whose it is, and what is written. */
interface Line {
  line: number;
  userId: string;
  fields: readonly string[];
}

export interface Written {
  /** What was not there. */
  added: number;
  /** Bad lines: the others are written. */
  faults: (InputFault & { line: number })[];
}

interface Kind {
  /** By what a heading may call each, whatever its case, blanks and punctuation; the first one is needed. */
  columns: Readonly<Record<string, readonly string[]>>;
  /** Without a heading the file has one column, this one. */
  mayLackHeading: boolean;
  /** Of a user in several lines the last one counts. */
  write(db: Database, place: Place, lines: readonly Line[]): Promise<Written>;
}

const USER_ID = ["user id", "user", "external id", "external user id", "customer id", "id"];

export const IMPORTED: Readonly<Record<ImportKind, Kind>> = {
  users: {
    columns: {
      userId: USER_ID,
      email: ["email", "email address", "mail", "recipient email"],
      phone: ["phone", "phone number", "mobile", "mobile phone", "sms", "recipient phone"],
      locale: ["locale", "language", "lang"],
      timezone: ["timezone", "time zone", "tz", "zone"],
      quietHours: ["quiet hours"],
    },
    mayLackHeading: false,
    async write(db, { tenantId, columns }, lines) {
      const faults: Written["faults"] = [];
      const users = new Map<string, ReturnType<typeof userRow>>();
      for (const { line, userId, fields } of lines) {
        const user = userOf(columns, fields);
        const found: InputFault[] = faultsOf(BatchUser, user, "line", "");
        if (found.length === 0 && user.timezone && !(await hasTimeZone(db, user.timezone))) {
          found.push({ field: "timezone", message: NO_TIME_ZONE });
        }
        if (found.length === 0) users.set(userId, userRow(user as BatchUser));
        else faults.push(...found.map(({ field, message }) => ({ line, field, message })));
      }
      return { added: await storeUsers(db, tenantId, [...users.values()], columns), faults };
    },
  },
  members: {
    columns: { userId: USER_ID },
    mayLackHeading: true,
    async write(db, { tenantId, topic }, lines) {
      const faults: Written["faults"] = [];
      const add = new Set<string>();
      for (const { line, userId } of lines) {
        const message = textFault(userId);
        if (message === undefined) add.add(userId);
        else faults.push({ line, field: "userId", message });
      }
      const place = { tenantId, key: topic ?? "" };
      if (!(await heldTopic(db, place))) throw new Error("the topic of the import is gone");
      return { added: (await changeMembersOf(db, place, { add: [...add] })).added, faults };
    },
  },
};

interface UserOfLine {
  userId?: string;
  timezone?: string | null;
  [column: string]: unknown;
}

/** An empty field says that there is none; a column that the file has not is not changed. */
function userOf(columns: readonly string[], fields: readonly string[]): UserOfLine {
  const user: UserOfLine = {};
  for (const [at, column] of columns.entries()) {
    const text = fields[at] ?? "";
    if (column === "userId") user.userId = text;
    else if (column === "quietHours") user.quietHours = quietHoursOf(text);
    else user[column] = text === "" ? null : text;
  }
  return user;
}

/** As 22:00-06:00. */
function quietHoursOf(text: string): unknown {
  if (text === "") return null;
  const [from = "", to = "", ...rest] = text.split("-").map((part) => part.trim());
  return rest.length > 0 ? text : { from, to };
}
