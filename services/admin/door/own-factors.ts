import { writeNote } from "@belfry/administration/audited";
import { checkOwnPassword } from "@belfry/administration/people/identities";
import {
  forgiveCode,
  takeCode,
  takePasswordChange,
} from "@belfry/administration/people/sign-in-limits";
import {
  recoveryCodeUsed,
  twoFactorOf,
  useCode,
  WRONG_CODE,
} from "@belfry/administration/people/two-factor";
import type { Faults } from "../drawing/answer.ts";
import type { PageDeps } from "../page-deps.ts";
import type { Signed } from "../router.ts";
import { codeWasWrong, tooManyWrongCodes } from "./code-tries.ts";
import { hashClient } from "./hash-client.ts";
import { tooManyTries } from "./sign-in.ts";

/** By the field, and as a sentence of its own. */
export interface RefusedFactors {
  faults: Faults;
  text: string;
  status: number;
}

/**
 * Asks who is signed in for what signing in asks for, in the fields `current` and `code`, before something that
 * opens the account: whoever sits at an open session must not do that. Undefined: all of it was right.
 */
export async function refusedFactors(
  { db, keys, nowMs }: Pick<PageDeps, "db" | "keys" | "nowMs">,
  { person, actor, form, reply, address }: Signed,
): Promise<RefusedFactors | undefined> {
  const { personId, email } = person;
  const notNow = (field: string, waitSeconds: number, text: string) => {
    reply.header("retry-after", String(waitSeconds));
    return { faults: { [field]: `cannot be checked. ${text}` }, text, status: 429 };
  };
  const wrong = (field: string, message: string, text: string) => ({
    ...{ faults: { [field]: message }, text, status: 422 },
  });
  const passwordWait = await takePasswordChange(db, personId);
  if (passwordWait > 0) return notNow("current", passwordWait, tooManyTries(passwordWait));
  const client = hashClient({ address, reply });
  if (!(await checkOwnPassword(db, personId, form.get("current") ?? "", client))) {
    return wrong("current", "is not your password", "That is not your password.");
  }
  if ((await twoFactorOf(db, personId)) === undefined) return undefined;
  const codeWait = await takeCode(db, personId);
  if (codeWait > 0) return notNow("code", codeWait, tooManyWrongCodes(codeWait));
  const used = await useCode(db, keys, personId, form.get("code") ?? "", new Date(nowMs()));
  if (used === undefined) {
    await codeWasWrong(db, { ...actor, personId }, email);
    return wrong("code", WRONG_CODE, `The code ${WRONG_CODE}.`);
  }
  await forgiveCode(db, personId);
  if (used === "recovery") {
    const left = (await twoFactorOf(db, personId))?.recoveryCodesLeft ?? 0;
    await writeNote(db, actor, recoveryCodeUsed(email, left));
  }
  return undefined;
}
