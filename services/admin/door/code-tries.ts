import { type Actor, writeNote } from "@belfry/administration/audited";
import { wasLastCode } from "@belfry/administration/people/sign-in-limits";
import { tooManyCodes } from "@belfry/administration/people/two-factor";
import type { Database } from "@belfry/database/connection";

/** Of so many wrong ones that no more are looked at for a while, the audit log tells once. */
export async function codeWasWrong(
  db: Database,
  actor: Actor & { personId: string },
  email: string,
): Promise<void> {
  if (await wasLastCode(db, actor.personId)) await writeNote(db, actor, tooManyCodes(email));
}

export function tooManyWrongCodes(waitSeconds: number): string {
  return `Too many wrong codes. Wait ${Math.ceil(waitSeconds / 60)} min and try again.`;
}
