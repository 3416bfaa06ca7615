import { beginSession, endSessions } from "@belfry/administration/people/sign-in";
import type { PageDeps } from "../page-deps.ts";
import type { Guest } from "../router.ts";

/**
 * For whoever has shown that they are this person: the only way to a session's cookie. It lasts `seconds`, by
 * default as long as any.
 */
export async function openSession(
  { db, cookies }: Pick<PageDeps, "db" | "cookies">,
  { person, request, reply, address }: Guest,
  personId: string,
  seconds?: number,
): Promise<void> {
  // A session that was there before is not taken over by this one.
  if (person !== undefined) await endSessions(db, person.personId, { id: person.sessionId });
  const userAgent = request.headers["user-agent"] ?? "";
  const place = { address, userAgent, ...(seconds !== undefined && { seconds }) };
  cookies.begin(reply, await beginSession(db, personId, place));
}
