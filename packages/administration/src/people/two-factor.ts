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

/** How long a secret that was shown may be confirmed. */
const SETUP_MS = 15 * 60_000;

/** A person's second factor. */
interface TwoFactor {
  since: Date;
  recoveryCodesLeft: number;
}

/** The person whose session sets it up. */
interface TwoFactorPerson {
  personId: string;
  sessionId: string;
}

/** Undefined: it is off. */
export async function twoFactorOf(db: Database, personId: string): Promise<TwoFactor | undefined> {
  const since = (await totpOf(db, personId))?.confirmedAt ?? undefined;
  return since && { since, recoveryCodesLeft: await countRecoveryCodes(db, personId) };
}

/**
 * Makes the secret that the person's authenticator app is given; nothing is asked for before a code has
 * confirmed it. Call in a transaction, after the password. Throws `InvalidInput`.
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

/** The secret that this session is setting up; of another's nothing is shown. */
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
 * Turns it on by a code of the app that was given the secret. Every other session ends. The recovery codes
 * are returned this once. Call in a transaction. Throws `InvalidInput`.
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
 * Ten new ones, returned this once; the ones before end. Call in a transaction, after password and code. Throws
 * `InvalidInput` where it is off.
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

/** Call in a transaction, after password and code. Ends every other session. Throws `InvalidInput`. */
export async function turnOffTwoFactor(db: Database, { personId, sessionId }: TwoFactorPerson) {
  return await takeAway(db, personId, sessionId);
}

/**
 * For who has lost the app: signing in asks for the password alone, and every session ends. Only an operator
 * does so, or the command line (null), as people are global; and nobody for themselves. Call in a transaction.
 * Throws `NotFound`, `InvalidInput`.
 */
export async function removeTwoFactor(db: Database, personId: string, operatorId: string | null) {
  const instead = "turn two-factor authentication off";
  const person = await requireSomebodyElse(db, personId, operatorId, instead);
  return { person, ...(await takeAway(db, personId, undefined)) };
}

/** Follows the field's name. It tells nothing else about a code, for example whether it is an old one. */
export const WRONG_CODE = "is wrong, or was used already. Wait for the next one, and try again";

/** A code of the app or a recovery code, used up with this: one caller has it, over all replicas. */
export async function useCode(
  db: Database,
  keys: SecretKeys,
  personId: string,
  typed: string,
  now: Date,
): Promise<"app" | "recovery" | undefined> {
  const digits = digitsOf(typed);
  if (digits === undefined) {
    // No key of secrets is needed for it: it opens even what was encrypted under one that is lost.
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

/** A session, and how many recovery codes are left where one was used. */
interface SignedInByCode {
  token: string;
  recoveryCodesLeft?: number;
}

/**
 * The second step of signing in. One caller for a code, over all replicas: the person's row is held until the
 * session is there. `stale`: the password, say, was changed since it was given.
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

/** How the audit log tells of two-factor authentication: no secret and no code is in it. */

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

/** So many that the next is not looked at for an hour. */
export function tooManyCodes(email: string): AuditNote {
  return noteOf(email, "wrong-codes");
}

function noteOf(target: string, what: string, after?: object): AuditNote {
  return { tenantId: null, action: `account.${what}`, target, ...(after && { after }) };
}

export const RECOVERY_CODES = 10;
/** No l, o, 0 or 1: they are read from paper. 32 of them: 5 bits each. */
const ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789";
const GROUPS = 3;
const GROUP_LENGTH = 5;

/** `k7m2p-x9w4q-b3n8t`: 75 bits each, so that a plain hash of one tells nobody the code. */
function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () =>
    Array.from({ length: GROUPS }, () =>
      Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join(""),
    ).join("-"),
  );
}

/** However it was typed: in capitals, with blanks or without the dashes. */
function recoveryCodeHash(code: string): Buffer {
  return tokenHash(code.toLowerCase().replaceAll(/[\s-]/g, ""));
}

/** How long a code is shown, as all authenticator apps take it. */
const STEP_SECONDS = 30;

export function newTotpSecret(): string {
  return generateSecret();
}

/** Returns the address that an authenticator app reads as a QR code. The issuer must not contain a colon. */
export function totpUri(secret: string, email: string, issuer: string): string {
  return generateURI({ issuer, label: email, secret });
}

/** The six digits, as they may be typed: `123 456`. Undefined: it is no code of an authenticator app. */
export function digitsOf(typed: string): string | undefined {
  const digits = typed.replaceAll(/[\s-]/g, "");
  return /^\d{6}$/.test(digits) ? digits : undefined;
}

/**
 * The step whose code it is: the one at `now`, the one before or the one after, as clocks differ. Undefined:
 * it is none of these. Compared in constant time.
 */
export function stepOfCode(secret: string, digits: string, now: Date): number | undefined {
  const epoch = Math.floor(now.getTime() / 1000);
  const found = verifySync({ secret, token: digits, epoch, epochTolerance: STEP_SECONDS });
  return found.valid && "timeStep" in found ? found.timeStep : undefined;
}
