import { listMemberships } from "@belfry/administration/people/person-rows";
import { TooBusy } from "@belfry/administration/people/scrypt-queue";
import {
  checkPassword,
  deleteSessions,
  type SessionHolder,
  signInByPassword,
} from "@belfry/administration/people/sessions";
import {
  forgiveSignIn,
  takeSignIn,
  takeSignInBack,
} from "@belfry/administration/people/sign-in-limits";
import type { Database } from "@belfry/database/connection";
import { page, redirect } from "../drawing/answer.ts";
import { noticeOf } from "../drawing/notices.ts";
import type { PageDeps } from "../page-deps.ts";
import { hashClient } from "./hash-client.ts";
import { sessionPlace, takeSession } from "./open-session.ts";
import { ownPath } from "./own-path.ts";

const WRONG = "The email address or the password is wrong.";

/** Signing in and out, and the first page after it. */
export function signInPages({ route, db, cookies, codePendings, log }: PageDeps): void {
  route("GET /", async ({ person, query }) => {
    if (person === undefined) return redirect("/sign-in");
    const done = query.get("done") ?? undefined;
    return redirect(await homeOf(db, person), noticeOf(done) && done);
  });

  route("GET /sign-in", async ({ person, query }) => {
    const next = ownPath(query.get("next"));
    if (person !== undefined) return redirect(next);
    return page("sign-in", "Sign in", { next, email: "", refused: undefined });
  });

  route("POST /sign-in", async (guest) => {
    const { form, address, reply } = guest;
    const email = (form.get("email") ?? "").trim().toLowerCase();
    const next = ownPath(form.get("next"));
    const again = (refused: string, status: number) =>
      page("sign-in", "Sign in", { next, email, refused }, status);
    const waitSeconds = await takeSignIn(db, { address, email });
    if (waitSeconds > 0) {
      reply.header("retry-after", String(waitSeconds));
      return again(tooManyTries(waitSeconds), 429);
    }
    const client = hashClient(guest);
    const given = await checkPassword(db, email, form.get("password") ?? "", client).catch(
      async (error) => {
        // Of whoever hangs up the try stays counted.
        if (error instanceof TooBusy && !client.signal?.aborted) {
          await takeSignInBack(db, { address, email });
        }
        throw error;
      },
    );
    const signedIn = given && (await signInByPassword(db, given, sessionPlace(guest)));
    if (given === undefined || signedIn === undefined || signedIn === "stale") {
      log.warn({ address }, "signing in failed");
      return again(WRONG, 422);
    }
    await forgiveSignIn(db, { address, email });
    if (signedIn === "code") {
      await codePendings.keep(guest, { ...given, next });
      return redirect("/sign-in/code");
    }
    await takeSession({ db, cookies }, guest, signedIn.token);
    return redirect(next);
  });

  route("POST /sign-out", async ({ person, reply }) => {
    await deleteSessions(db, person.personId, { id: person.sessionId });
    cookies.end(reply);
    return redirect("/sign-in", "signed-out");
  });
}

export function tooManyTries(waitSeconds: number): string {
  return `Too many attempts. Wait ${Math.ceil(waitSeconds / 60)} min and try again.`;
}

async function homeOf(db: Database, person: SessionHolder): Promise<string> {
  if (person.operator) return "/tenants";
  const [first] = await listMemberships(db, person.personId);
  return first === undefined ? "/account" : `/tenants/${first.tenantId}`;
}
