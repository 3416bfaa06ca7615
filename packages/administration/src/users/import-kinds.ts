import { ADDRESSES } from "@belfry/contracts/addresses";
import { textFault } from "@belfry/contracts/identifiers";
import type { ImportKind } from "@belfry/contracts/imports";
import { faultsOf } from "@belfry/contracts/problems";
import { NO_TIME_ZONE } from "@belfry/contracts/quiet-hours";
import { BatchUser } from "@belfry/contracts/users";
import type { Database } from "@belfry/database/connection";
import { suppressedForm } from "../events/suppression-rows.ts";
import type { InputFault } from "../input-error.ts";
import { hasTimeZone } from "../tenants/tenant-input.ts";
import type { ColumnNames } from "./csv-heading.ts";
import { changeMembersOf, heldTopic } from "./topic-rows.ts";
import { knownUsers, storeUsers, usersAtAddresses } from "./user-rows.ts";
import { userRow } from "./users.ts";

interface Place {
  tenantId: string;
  /** Topic of an import of members. */
  topic: string | null;
  /** The columns of a record's fields, in their order. */
  columns: readonly string[];
}

/** A good line: its user, and the fields to write. */
interface Line {
  line: number;
  userId: string;
  fields: readonly string[];
}

export interface Written {
  /** Number of lines that added something. */
  added: number;
  /** Faults of bad lines. The other lines are written. */
  faults: (InputFault & { line: number })[];
}

/** Lines with the ids of their users, and faults of the other lines. */
type FoundUsers = { lines: Line[] } & Pick<Written, "faults">;

/** A kind of CSV file that is imported in the background: its columns, and how its lines are written. */
interface Kind {
  columns: ColumnNames;
  /** A heading must name one of these columns. */
  needed: readonly string[];
  /** Whether a file may lack a heading. It then has one column, userId. */
  mayLackHeading: boolean;
  /** Finds the users of lines that name them otherwise than by id. Default: all lines have ids. */
  findUsers?(db: Database, place: Place, lines: readonly Line[]): Promise<FoundUsers>;
  /** Writes lines. If a user is in several lines, the last one counts. */
  write(db: Database, place: Place, lines: readonly Line[]): Promise<Written>;
}

const USER_ID = ["user id", "user", "external id", "external user id", "customer id", "id"];
const EMAIL = ADDRESSES.recipientEmail.headings;

export const IMPORTED: Readonly<Record<ImportKind, Kind>> = {
  users: {
    columns: {
      userId: USER_ID,
      email: EMAIL,
      phone: [
        "phone",
        "phone number",
        "mobile",
        "mobile phone",
        "sms",
        "telefon",
        "recipient phone",
      ],
      chat: ["chat", "chat address", "recipient chat"],
      locale: ["locale", "language", "lang"],
      timezone: ["timezone", "time zone", "tz", "zone"],
      quietHours: ["quiet hours"],
    },
    needed: ["userId"],
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
    columns: { userId: USER_ID, email: EMAIL },
    needed: ["userId", "email"],
    mayLackHeading: true,
    findUsers: findMembers,
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

/**
 * Finds users by id, or by their address in the directory. Refuses an id with an @ that no user has, because it is
 * probably an address in the wrong column.
 */
async function findMembers(
  db: Database,
  { tenantId, columns }: Place,
  lines: readonly Line[],
): Promise<FoundUsers> {
  const place = columns.indexOf("email");
  const given = lines.map((line) => {
    const text = line.userId === "" ? (line.fields[place] ?? "") : "";
    return { ...line, text, address: text === "" ? undefined : suppressedAddress(text) };
  });
  const addresses = given.flatMap(({ address }) => address ?? []);
  const users = await usersAtAddresses(db, tenantId, addresses);
  const likeAddresses = lines.map(({ userId }) => userId).filter((userId) => userId.includes("@"));
  const known = await knownUsers(db, tenantId, likeAddresses);
  const found: FoundUsers = { lines: [], faults: [] };
  for (const { text, address, ...line } of given) {
    const refuse = (field: string, message: string) =>
      void found.faults.push({ line: line.line, field, message });
    const [userId = "", ...others] = users.get(address ?? "") ?? [];
    if (text === "") {
      if (!line.userId.includes("@") || known.has(line.userId)) found.lines.push(line);
      else refuse("userId", NO_KNOWN_USER);
    } else if (address === undefined) refuse("email", `must be ${ADDRESSES.recipientEmail.form}`);
    else if (others.length > 0) refuse("email", "is the address of several users: give a userId");
    else if (userId === "") refuse("email", "is the address of no user");
    else found.lines.push({ ...line, userId });
  }
  return found;
}

const NO_KNOWN_USER =
  "is no known user: name the column email if it holds addresses, or name the users first";

function suppressedAddress(text: string): string | undefined {
  const address = ADDRESSES.recipientEmail.read(text);
  return address && suppressedForm(address);
}

interface UserOfLine {
  userId?: string;
  timezone?: string | null;
  [column: string]: unknown;
}

/** Returns the user of a line. An empty field removes the value; a column that the file lacks stays unchanged. */
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

/** Reads quiet hours such as 22:00-06:00. */
function quietHoursOf(text: string): unknown {
  if (text === "") return null;
  const [from = "", to = "", ...rest] = text.split("-").map((part) => part.trim());
  return rest.length > 0 ? text : { from, to };
}
