import type { Database } from "@belfry/database/connection";
import type { SecretKeys } from "@belfry/database/secrets";
import { writeNote } from "../audited.ts";
import { lockPersonOfEpoch } from "./person-rows.ts";
import { beginSession, type PasswordGiven, type SessionPlace } from "./sign-in.ts";
import { countRecoveryCodes } from "./totp-rows.ts";
import { useCode } from "./two-factor.ts";
import { recoveryCodeUsed } from "./two-factor-notes.ts";

/** A session, and how many recovery codes are left where one was used. */
export interface SignedInByCode {
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
