import { showPerson } from "@belfry/administration/people/people";
import { listMemberships } from "@belfry/administration/people/person-rows";
import { TooBusy } from "@belfry/administration/people/scrypt-queue";
import {
  checkPassword,
  deleteSessions,
  type SessionHolder,
  signInByPassword,
} from "@belfry/administration/people/sessions";
import {
  forgiveCode,
  forgiveSignIn,
  takeCode,
  takeSignIn,
  takeSignInBack,
} from "@belfry/administration/people/sign-in-limits";
import { signInByCode } from "@belfry/administration/people/two-factor";
import type { Database } from "@belfry/database/connection";
import { type Answer, ownPath, page, redirect } from "../page/answer.ts";
import { type Phrase, say } from "../page/language.ts";
import { noticeOf, recoveryCodesLeft } from "../page/notices.ts";
import type { Guest } from "../page/router.ts";
import type { AuthDeps } from "./pending-sign-ins.ts";
import {
  CODE_IS_WRONG,
  codeWasWrong,
  hashClient,
  sessionPlace,
  takeSession,
  tooManyTries,
} from "./sign-in-checks.ts";

const WRONG = say`The email address or the password is wrong.`;

/** Registers the pages for signing in and out, and the redirect to a person's first page. */
export function signInPages(deps: AuthDeps): void {
  const { route, db, cookies, pendings, log } = deps;
  route("GET /", async ({ person, query }) => {
    if (person === undefined) return redirect("/sign-in");
    const done = query.get("done") ?? undefined;
    return redirect(await homeOf(db, person), noticeOf(done) && done);
  });

  route("GET /sign-in", async ({ person, query }) => {
    const next = ownPath(query.get("next"));
    if (person !== undefined) return redirect(next);
    return page("sign-in", say`Sign in`, { next });
  });

  route("POST /sign-in", async (guest) => {
    const { form, address, reply } = guest;
    const email = (form.get("email") ?? "").trim().toLowerCase();
    const next = ownPath(form.get("next"));
    const again = (refused: Phrase, status: number) =>
      page("sign-in", say`Sign in`, { next, values: { email }, refused }, status);
    const waitSeconds = await takeSignIn(db, { address, email });
    if (waitSeconds > 0) return again(tooManyTries(reply, waitSeconds), 429);
    const client = hashClient(guest);
    const given = await checkPassword(db, email, form.get("password") ?? "", client).catch(
      async (error) => {
        // A try that we had no time to check does not count, unless the client has hung up.
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
      await pendings.code.keep(guest, { ...given, next });
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

  codePages(deps);
}

async function homeOf(db: Database, person: SessionHolder): Promise<string> {
  if (person.operator) return "/tenants";
  const [first] = await listMemberships(db, person.personId);
  return first === undefined ? "/account" : `/tenants/${first.tenantId}`;
}

/** Registers the second step of signing in, for people with two-factor authentication. */
function codePages({ route, db, keys, cookies, pendings, nowMs, log }: AuthDeps): void {
  const form = ({ query }: Guest, refused?: Phrase, status = 200): Answer =>
    page(
      "sign-in-code",
      say`Two-factor authentication`,
      { refused, isRecovery: query.has("recovery") },
      status,
    );

  const beginAgain = ({ reply }: Guest): Answer => {
    pendings.code.clear(reply);
    return redirect("/sign-in", "sign-in-over");
  };

  route("GET /sign-in/code", async (guest) =>
    (await pendings.code.read(guest)) === undefined ? beginAgain(guest) : form(guest),
  );

  route("POST /sign-in/code", async (guest) => {
    const { address, reply } = guest;
    const pending = await pendings.code.read(guest);
    if (pending === undefined) return beginAgain(guest);
    const { personId, next } = pending;
    const waitSeconds = await takeCode(db, personId);
    if (waitSeconds > 0) return form(guest, tooManyTries(reply, waitSeconds, "wrong codes"), 429);
    const code = guest.form.get("code") ?? "";
    const place = sessionPlace(guest);
    const signedIn = await signInByCode(db, keys, pending, code, place, new Date(nowMs()));
    if (signedIn === "wrong") {
      log.warn({ address }, "signing in failed");
      const { name, email } = await showPerson(db, personId);
      const person = `${name} <${email}>, by the password alone`;
      await codeWasWrong(db, { personId, person, address }, email);
      return form(guest, CODE_IS_WRONG, 422);
    }
    await forgiveCode(db, personId);
    if (signedIn === "stale") return beginAgain(guest);
    pendings.code.clear(reply);
    await takeSession({ db, cookies }, guest, signedIn.token);
    const { recoveryCodesLeft: left } = signedIn;
    return redirect(next, left === undefined ? undefined : recoveryCodesLeft(left));
  });
}
