import {
  beginSession,
  deleteSessions,
  type SessionPlace,
} from "@belfry/administration/people/sessions";
import type { PageDeps } from "../page-deps.ts";
import type { Guest } from "../router.ts";

type SessionDeps = Pick<PageDeps, "db" | "cookies">;

/** For whoever has just been made this person. */
export async function openSession(
  deps: SessionDeps,
  guest: Guest,
  personId: string,
): Promise<void> {
  await takeSession(deps, guest, await beginSession(deps.db, personId, sessionPlace(guest)));
}

/** The only way to a session's cookie. */
export async function takeSession(
  { db, cookies }: SessionDeps,
  { person, reply }: Guest,
  token: string,
): Promise<void> {
  // A session that was there before is not taken over by this one.
  if (person !== undefined) await deleteSessions(db, person.personId, { id: person.sessionId });
  cookies.begin(reply, token);
}

export function sessionPlace({ request, address }: Guest): SessionPlace {
  return { address, userAgent: request.headers["user-agent"] ?? "" };
}
