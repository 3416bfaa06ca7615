import type { Database } from "@belfry/database/connection";
import { totpOwner } from "@belfry/database/secret-owners";
import { decryptSecret, encryptSecret, type SecretKeys } from "@belfry/database/secrets";
import { type InvalidInput, invalid } from "../input-error.ts";
import { hasPassword } from "./identities.ts";
import { endPendingSignIns, lockPerson } from "./person-rows.ts";
import { newRecoveryCodes, recoveryCodeHash } from "./recovery-codes.ts";
import { requireSomebodyElse } from "./require-person.ts";
import { deleteSessions } from "./sessions.ts";
import { digitsOf, newTotpSecret, stepOfCode } from "./totp.ts";
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

/** What a person's sign-in asks for besides the password. */
export interface TwoFactor {
  since: Date;
  recoveryCodesLeft: number;
}

/** Whose session sets it up. */
export interface TwoFactorPerson {
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

/** Follows the field's name. Of a code no more is told: not whether it was one of yesterday's, say. */
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
