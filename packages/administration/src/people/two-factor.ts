import { randomInt } from "node:crypto";
import type { Database } from "@belfry/database/connection";
import { decryptSecret, encryptSecret, type SecretKeys, totpOwner } from "@belfry/database/secrets";
import { generateSecret, generateURI, verifySync } from "otplib";
import { type AuditNote, writeNote } from "../audited.ts";
import { type InvalidInput, invalid } from "../input-error.ts";
import { hasPassword } from "./identities.ts";
import { requireSomebodyElse } from "./people.ts";
import { endPendingSignIns, lockPerson, lockPersonOfEpoch } from "./person-rows.ts";
import {
  beginSession,
  deleteSessions,
  type PasswordGiven,
  type SessionPlace,
  tokenHash,
} from "./sessions.ts";
import {
  confirmTotp,
  countRecoveryCodes,
  deleteTotp,
  putRecoveryCodes,
  putUnconfirmedTotp,
  takeRecoveryCode,
  takeStep,
  totpOf,
} from "./totp-rows.ts";

/** A new secret must be confirmed within this time. */
const SETUP_MS = 15 * 60_000;

/** A person's second factor. */
interface TwoFactor {
  since: Date;
  recoveryCodesLeft: number;
}

/** A person, and the session that sets up or turns off the second factor. */
interface TwoFactorPerson {
  personId: string;
  sessionId: string;
}

/** Returns a person's second factor; undefined if two-factor authentication is off. */
export async function twoFactorOf(db: Database, personId: string): Promise<TwoFactor | undefined> {
  const since = (await totpOf(db, personId))?.confirmedAt ?? undefined;
  return since && { since, recoveryCodesLeft: await countRecoveryCodes(db, personId) };
}

/**
 * Makes and stores the secret for the person's authenticator app. Signing in requires no code until a code has
 * confirmed the secret. Check the password first, and call it in a transaction. Throws `InvalidInput`.
 */
export async function beginTwoFactor(
  db: Database,
  keys: SecretKeys,
  { personId, sessionId }: TwoFactorPerson,
  now: Date,
): Promise<void> {
  await lockPerson(db, personId);
  if (!(await hasPassword(db, personId))) {
    throw invalid("current", "is not set: you sign in without one");
  }
  const secret = await encryptSecret(keys, totpOwner(personId), newTotpSecret());
  if (!(await putUnconfirmedTotp(db, { personId, sessionId, secret, createdAt: now }))) {
    throw invalid("current", "is not asked for: it is on already");
  }
}

/** Returns the secret that this session is setting up; undefined for another session, or after `SETUP_MS`. */
export async function twoFactorSetup(
  db: Database,
  keys: SecretKeys,
  { personId, sessionId }: TwoFactorPerson,
  now: Date,
): Promise<string | undefined> {
  const totp = await totpOf(db, personId);
  if (totp?.sessionId !== sessionId || now.getTime() - totp.createdAt.getTime() >= SETUP_MS) {
    return undefined;
  }
  return await decryptSecret(keys, totpOwner(personId), totp.secret);
}

/**
 * Turns two-factor authentication on, if the code is one of the new secret. Ends every other session. Returns the
 * recovery codes, which cannot be read later. Call it in a transaction. Throws `InvalidInput`.
 */
export async function turnOnTwoFactor(
  db: Database,
  keys: SecretKeys,
  person: TwoFactorPerson,
  code: string,
  now: Date,
): Promise<{ recoveryCodes: string[]; sessionsEnded: number }> {
  const { personId, sessionId } = person;
  await lockPerson(db, personId);
  const secret = await twoFactorSetup(db, keys, person, now);
  const digits = digitsOf(code);
  const step = secret && digits && stepOfCode(secret, digits, now);
  if (!step || !(await confirmTotp(db, { ...person, step, now }))) {
    throw invalid("code", WRONG_CODE);
  }
  const recoveryCodes = await makeRecoveryCodes(db, personId);
  await endPendingSignIns(db, personId);
  const sessionsEnded = await deleteSessions(db, personId, { except: sessionId });
  return { recoveryCodes, sessionsEnded };
}

/**
 * Replaces the ten recovery codes and returns the new ones, which cannot be read later. Check password and code first,
 * and call it in a transaction. Throws `InvalidInput` if two-factor authentication is off.
 */
export async function renewRecoveryCodes(db: Database, personId: string): Promise<string[]> {
  await lockPerson(db, personId);
  if ((await twoFactorOf(db, personId)) === undefined) throw isOff();
  return await makeRecoveryCodes(db, personId);
}

async function makeRecoveryCodes(db: Database, personId: string): Promise<string[]> {
  const codes = newRecoveryCodes();
  await putRecoveryCodes(db, personId, codes.map(recoveryCodeHash));
  return codes;
}

/**
 * Turns two-factor authentication off and ends every other session. Check password and code first, and call it in a
 * transaction. Throws `InvalidInput`.
 */
export async function turnOffTwoFactor(db: Database, { personId, sessionId }: TwoFactorPerson) {
  return await takeAway(db, personId, sessionId);
}

/**
 * Turns two-factor authentication off for a person who has lost the app, and ends all sessions of the person. People
 * belong to no tenant, so only an operator or the command line (`operatorId` null) may do this, and no operator for the
 * own account. Call it in a transaction. Throws `NotFound`, `InvalidInput`.
 */
export async function removeTwoFactor(db: Database, personId: string, operatorId: string | null) {
  const instead = "turn two-factor authentication off";
  const person = await requireSomebodyElse(db, personId, operatorId, instead);
  return { person, ...(await takeAway(db, personId, undefined)) };
}

/** Follows the field's name. It does not reveal why a code is wrong, for example that it was used before. */
export const WRONG_CODE = "is wrong, or was used already. Wait for the next one, and try again";

/**
 * Checks a code and uses it up: only one caller over all replicas succeeds. Returns whether it is a code of the app or
 * a recovery code; undefined if it is wrong.
 */
export async function useCode(
  db: Database,
  keys: SecretKeys,
  personId: string,
  typed: string,
  now: Date,
): Promise<"app" | "recovery" | undefined> {
  const digits = digitsOf(typed);
  if (digits === undefined) {
    // A recovery code needs no secret key, so it works even if the key that encrypts the app's secret is lost.
    return (await takeRecoveryCode(db, personId, recoveryCodeHash(typed))) ? "recovery" : undefined;
  }
  const totp = await totpOf(db, personId);
  if (totp === undefined || totp.confirmedAt === null) return undefined;
  const secret = await decryptSecret(keys, totpOwner(personId), totp.secret);
  const step = stepOfCode(secret, digits, now);
  return step !== undefined && (await takeStep(db, personId, step)) ? "app" : undefined;
}

async function takeAway(db: Database, personId: string, except: string | undefined) {
  await lockPerson(db, personId);
  if (!(await deleteTotp(db, personId))) throw isOff();
  await endPendingSignIns(db, personId);
  return { sessionsEnded: await deleteSessions(db, personId, { except }) };
}

function isOff(): InvalidInput {
  return invalid("person", "this person has no two-factor authentication");
}

/** A session's token and, if a recovery code was used, the number of codes that are left. */
interface SignedInByCode {
  token: string;
  recoveryCodesLeft?: number;
}

/**
 * Runs the second step of signing in. Locks the person's row until the session is stored, so that a code works for one
 * caller only, over all replicas. Returns `stale` if the password, for example, was changed since it was checked.
 */
export async function signInByCode(
  db: Database,
  keys: SecretKeys,
  { personId, epoch }: PasswordGiven,
  code: string,
  place: SessionPlace,
  now: Date,
): Promise<SignedInByCode | "wrong" | "stale"> {
  return await db.transaction().execute(async (transaction) => {
    const person = await lockPersonOfEpoch(transaction, personId, epoch);
    if (person === undefined) return "stale";
    const used = await useCode(transaction, keys, personId, code, now);
    if (used === undefined) return "wrong";
    const token = await beginSession(transaction, personId, place);
    if (used === "app") return { token };
    const recoveryCodesLeft = await countRecoveryCodes(transaction, personId);
    const actor = { personId, person: `${person.name} <${person.email}>`, address: place.address };
    await writeNote(transaction, actor, recoveryCodeUsed(person.email, recoveryCodesLeft));
    return { token, recoveryCodesLeft };
  });
}

interface Ended {
  sessionsEnded: number;
}

export function twoFactorOn(email: string, { sessionsEnded }: Ended): AuditNote {
  return noteOf(email, "two-factor-on", { sessionsEnded });
}

export function twoFactorOff(email: string, { sessionsEnded }: Ended): AuditNote {
  return noteOf(email, "two-factor-off", { sessionsEnded });
}

export function recoveryCodesMade(email: string): AuditNote {
  return noteOf(email, "recovery-codes");
}

export function recoveryCodeUsed(email: string, left: number): AuditNote {
  return noteOf(email, "recovery-code-used", { left });
}

/** The audit note for so many wrong codes that no code is checked for an hour. */
export function tooManyCodes(email: string): AuditNote {
  return noteOf(email, "wrong-codes");
}

function noteOf(target: string, what: string, after?: object): AuditNote {
  return { tenantId: null, action: `account.${what}`, target, ...(after && { after }) };
}

export const RECOVERY_CODES = 10;
/** Lacks l, o, 0 and 1, because people read the codes from paper. 32 characters: 5 bits each. */
const ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789";
const GROUPS = 3;
const GROUP_LENGTH = 5;

/** Returns codes such as `k7m2p-x9w4q-b3n8t`. Each has 75 bits, so that nobody can find it from its plain hash. */
function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () =>
    Array.from({ length: GROUPS }, () =>
      Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join(""),
    ).join("-"),
  );
}

/** Hashes a code. Accepts capitals, blanks and missing dashes. */
function recoveryCodeHash(code: string): Buffer {
  return tokenHash(code.toLowerCase().replaceAll(/[\s-]/g, ""));
}

/** Period of a code in seconds, the default of all authenticator apps. */
const STEP_SECONDS = 30;

export function newTotpSecret(): string {
  return generateSecret();
}

/** Returns the address that an authenticator app reads as a QR code. The issuer must not contain a colon. */
export function totpUri(secret: string, email: string, issuer: string): string {
  return generateURI({ issuer, label: email, secret });
}

/**
 * Returns the six digits without the blanks people may type, as in `123 456`; undefined if `typed` is not a code of an
 * app.
 */
export function digitsOf(typed: string): string | undefined {
  const digits = typed.replaceAll(/[\s-]/g, "");
  return /^\d{6}$/.test(digits) ? digits : undefined;
}

/**
 * Returns the 30-second step of a code: the step of `now`, the one before or the one after, because clocks differ.
 * Undefined if the code belongs to none of them. The comparison takes constant time.
 */
export function stepOfCode(secret: string, digits: string, now: Date): number | undefined {
  const epoch = Math.floor(now.getTime() / 1000);
  const found = verifySync({ secret, token: digits, epoch, epochTolerance: STEP_SECONDS });
  return found.valid && "timeStep" in found ? found.timeStep : undefined;
}
