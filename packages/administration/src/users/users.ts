import { emailAddress } from "@belfry/contracts/email-address";
import { PHONE, textFault } from "@belfry/contracts/identifiers";
import { canonicalLocale, NO_LOCALE } from "@belfry/contracts/locale";
import { type QuietHours, quietHoursFault, quietHoursOf } from "@belfry/contracts/quiet-hours";
import { NO_TIME_ZONE, timeZoneName } from "@belfry/contracts/time-zone";
import { type Database, inTransaction } from "@belfry/database/connection";
import { noteUse } from "@belfry/database/note-use";
import { faultAt, type InputFault, NotFound, refuseFaults } from "../input-error.ts";
import { isoTimes } from "../iso-times.ts";
import { requireTenant } from "../tenants/require-tenant.ts";
import { requireTimeZone } from "../tenants/time-zone.ts";
import { findUser, type StoredUser, storeUsers, type UserRow } from "./user-rows.ts";

/** A user of a tenant, as the tenant has named it. Times are ISO 8601, UTC. */
export interface User {
  /** The tenant's own id. */
  userId: string;
  /** An international domain in its ASCII form. */
  email: string | null;
  /** E.164. */
  phone: string | null;
  /** Canonical BCP 47. */
  locale: string | null;
  /** null: the tenant's. */
  timezone: string | null;
  /** null: the tenant's. */
  quietHours: QuietHours | null;
  createdAt: string;
  updatedAt: string;
}

/** All that is to be known of a user: what is absent, null or empty is forgotten. */
export interface UserInput {
  userId: string;
  email?: string | null | undefined;
  phone?: string | null | undefined;
  locale?: string | null | undefined;
  timezone?: string | null | undefined;
  quietHours?: QuietHours | null | undefined;
}

/**
 * In force for every event that is dispatched from now on. Within a caller's transaction it joins that one.
 * Throws `InvalidInput`, `NotFound`.
 */
export async function putUser(db: Database, tenantId: string, input: UserInput): Promise<User> {
  refuseFaults(userFaults(input));
  if (input.timezone) await requireTimeZone(db, input.timezone);
  await putUsers(db, tenantId, [input]);
  return await showUser(db, tenantId, input.userId);
}

/**
 * Stores users whose faults were looked for (`userFaults`, `hasTimeZone`): all of them, or none. The last one of a
 * user id counts. Throws `NotFound`.
 */
export async function putUsers(db: Database, tenantId: string, inputs: readonly UserInput[]) {
  if (inputs.length === 0) return;
  const rows = new Map(inputs.map((input) => [input.userId, userRow(input)]));
  await inTransaction(db, async (transaction) => {
    await requireTenant(transaction, tenantId);
    await noteUse(transaction, tenantId, "uses_recipients", () =>
      storeUsers(transaction, tenantId, [...rows.values()]),
    );
  });
}

/** Throws `NotFound` for a user that the tenant has not named. */
export async function showUser(db: Database, tenantId: string, userId: string): Promise<User> {
  const user = await knownUser(db, tenantId, userId);
  if (user === undefined) {
    throw new NotFound("user", `the tenant has not named a user ${JSON.stringify(userId)}`);
  }
  return user;
}

/** Undefined for a user that the tenant has not named. */
export async function knownUser(db: Database, tenantId: string, userId: string) {
  const row = await findUser(db, tenantId, userId);
  return row === undefined ? undefined : userView(row);
}

export function userFaults(input: UserInput): (InputFault | undefined)[] {
  const { email, phone, locale, timezone, quietHours } = input;
  const check = (field: string, value: unknown, isGood: boolean, message: string) =>
    value === undefined || value === null || value === "" || isGood
      ? undefined
      : { field, message };
  const idFault = textFault(input.userId);
  const quietFault = quietHours == null ? undefined : quietHoursFault(quietHours);
  return [
    faultAt("user", idFault),
    check("email", email, emailAddress(email ?? "") !== undefined, "must be an email address"),
    check("phone", phone, PHONE.test(phone ?? ""), "must be a phone number, as +12025550123"),
    check("locale", locale, canonicalLocale(locale ?? "") !== undefined, NO_LOCALE),
    check("timezone", timezone, timeZoneName(timezone ?? "") !== undefined, NO_TIME_ZONE),
    faultAt("quietHours", quietFault),
  ];
}

function userRow(input: UserInput): UserRow {
  return {
    userId: input.userId,
    email: emailAddress(input.email ?? "") ?? null,
    phone: input.phone || null,
    locale: canonicalLocale(input.locale ?? "") ?? null,
    timezone: timeZoneName(input.timezone ?? "") ?? null,
    quietFrom: input.quietHours?.from ?? null,
    quietTo: input.quietHours?.to ?? null,
  };
}

function userView({ quietFrom, quietTo, ...row }: StoredUser): User {
  return {
    ...isoTimes(row),
    quietHours: quietHoursOf(quietFrom, quietTo),
  };
}
