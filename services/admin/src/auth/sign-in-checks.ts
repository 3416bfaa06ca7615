import { type Actor, writeNote } from "@belfry/administration/audited";
import { checkOwnPassword } from "@belfry/administration/people/identities";
import type { HashClient } from "@belfry/administration/people/scrypt-queue";
import {
  beginSession,
  deleteSessions,
  type SessionPlace,
} from "@belfry/administration/people/sessions";
import {
  forgiveCode,
  takeCode,
  takePasswordChange,
  wasLastCode,
} from "@belfry/administration/people/sign-in-limits";
import {
  recoveryCodeUsed,
  tooManyCodes,
  twoFactorOf,
  useCode,
  WRONG_CODE,
} from "@belfry/administration/people/two-factor";
import { clientNetwork } from "@belfry/contracts/client-network";
import type { Database } from "@belfry/database/connection";
import type { FastifyReply } from "fastify";
import type { Faults } from "../page/answer.ts";
import { faultWords } from "../page/fault-words.ts";
import { type Phrase, say } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { Guest, Signed } from "../page/router.ts";
import { number } from "../page/words.ts";
import type { AuthDeps } from "./pending-sign-ins.ts";

const CODE_FAULT = faultWords(WRONG_CODE);
export const CODE_IS_WRONG = say`The code ${CODE_FAULT}.`;

/** Why password or code were refused: faults by field, and the same as a sentence. */
interface RefusedFactors {
  faults: Faults;
  text: Phrase;
  status: number;
}

/**
 * Checks a signed-in person's password and code again, in the fields `current` and `code`, before a change that opens
 * the account: somebody who finds an open session must not make it. Returns undefined if both are right.
 */
export async function refusedFactors(
  { db, keys, nowMs }: Pick<PageDeps, "db" | "keys" | "nowMs">,
  { person, actor, form, reply, address }: Signed,
): Promise<RefusedFactors | undefined> {
  const { personId, email } = person;
  const notNow = (field: string, text: Phrase) => ({
    faults: { [field]: say`cannot be checked. ${text}` },
    text,
    status: 429,
  });
  const wrong = (field: string, message: Phrase, text: Phrase) => ({
    faults: { [field]: message },
    text,
    status: 422,
  });
  const passwordWait = await takePasswordChange(db, personId);
  if (passwordWait > 0) return notNow("current", tooManyTries(reply, passwordWait));
  const client = hashClient({ address, reply });
  if (!(await checkOwnPassword(db, personId, form.get("current") ?? "", client))) {
    return wrong("current", say`is not your password`, say`That is not your password.`);
  }
  if ((await twoFactorOf(db, personId)) === undefined) return undefined;
  const codeWait = await takeCode(db, personId);
  if (codeWait > 0) return notNow("code", tooManyTries(reply, codeWait, "wrong codes"));
  const used = await useCode(db, keys, personId, form.get("code") ?? "", new Date(nowMs()));
  if (used === undefined) {
    await codeWasWrong(db, { ...actor, personId }, email);
    return wrong("code", CODE_FAULT, CODE_IS_WRONG);
  }
  await forgiveCode(db, personId);
  if (used === "recovery") {
    const left = (await twoFactorOf(db, personId))?.recoveryCodesLeft ?? 0;
    await writeNote(db, actor, recoveryCodeUsed(email, left));
  }
  return undefined;
}

/** Writes to the audit log, once a period, that after so many wrong codes we accept none for a while. */
export async function codeWasWrong(
  db: Database,
  actor: Actor & { personId: string },
  email: string,
): Promise<void> {
  if (await wasLastCode(db, actor.personId)) await writeNote(db, actor, tooManyCodes(email));
}

/** Returns the client of a request, for checking a password. Its signal aborts when the connection ends. */
export function hashClient({ address, reply }: Pick<Guest, "address" | "reply">): HashClient {
  const closed = new AbortController();
  if (reply.raw.destroyed) closed.abort();
  else reply.raw.once("close", () => closed.abort());
  return { network: clientNetwork(address), signal: closed.signal };
}

type SessionDeps = Pick<AuthDeps, "db" | "cookies">;

/** Begins a session for the guest, who has just joined as this person. */
export async function openSession(
  deps: SessionDeps,
  guest: Guest,
  personId: string,
): Promise<void> {
  await takeSession(deps, guest, await beginSession(deps.db, personId, sessionPlace(guest)));
}

/** Gives the browser the cookie of a session. No other function does. */
export async function takeSession(
  { db, cookies }: SessionDeps,
  { person, reply }: Guest,
  token: string,
): Promise<void> {
  // The browser's previous session ends, so that the new one does not inherit it.
  if (person !== undefined) await deleteSessions(db, person.personId, { id: person.sessionId });
  cookies.begin(reply, token);
}

export function sessionPlace({ request, address }: Guest): SessionPlace {
  return { address, userAgent: request.headers["user-agent"] ?? "" };
}

/** Returns the sentence for the page. Programs find the time to wait in the header of the answer. */
export function tooManyTries(
  reply: FastifyReply,
  waitSeconds: number,
  tries: "attempts" | "wrong codes" = "attempts",
): Phrase {
  reply.header("retry-after", String(waitSeconds));
  const minutes = number(Math.ceil(waitSeconds / 60));
  return tries === "attempts"
    ? say`Too many attempts. Wait ${minutes} min and try again.`
    : say`Too many wrong codes. Wait ${minutes} min and try again.`;
}
