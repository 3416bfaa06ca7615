import { showPerson } from "@belfry/administration/people/people";
import { forgiveCode, takeCode } from "@belfry/administration/people/sign-in-limits";
import { signInByCode, WRONG_CODE } from "@belfry/administration/people/two-factor";
import { type Answer, page, redirect } from "../drawing/answer.ts";
import { recoveryCodesLeft } from "../drawing/notices.ts";
import type { PageDeps } from "../page-deps.ts";
import type { Guest } from "../router.ts";
import { codeWasWrong, tooManyWrongCodes } from "./code-tries.ts";
import { sessionPlace, takeSession } from "./open-session.ts";

/** The second step of signing in, for who has two-factor authentication. */
export function codeSignInPages({
  route,
  db,
  keys,
  cookies,
  codePendings,
  nowMs,
  log,
}: PageDeps): void {
  const form = ({ query }: Guest, refused?: string, status = 200): Answer =>
    page(
      "sign-in-code",
      "Two-factor authentication",
      { refused, isRecovery: query.has("recovery") },
      status,
    );

  const beginAgain = ({ reply }: Guest): Answer => {
    codePendings.clear(reply);
    return redirect("/sign-in", "sign-in-over");
  };

  route("GET /sign-in/code", async (guest) =>
    (await codePendings.read(guest)) === undefined ? beginAgain(guest) : form(guest),
  );

  route("POST /sign-in/code", async (guest) => {
    const { address, reply } = guest;
    const pending = await codePendings.read(guest);
    if (pending === undefined) return beginAgain(guest);
    const { personId, next } = pending;
    const waitSeconds = await takeCode(db, personId);
    if (waitSeconds > 0) {
      reply.header("retry-after", String(waitSeconds));
      return form(guest, tooManyWrongCodes(waitSeconds), 429);
    }
    const code = guest.form.get("code") ?? "";
    const place = sessionPlace(guest);
    const signedIn = await signInByCode(db, keys, pending, code, place, new Date(nowMs()));
    if (signedIn === "wrong") {
      log.warn({ address }, "signing in failed");
      const { name, email } = await showPerson(db, personId);
      const person = `${name} <${email}>, by the password alone`;
      await codeWasWrong(db, { personId, person, address }, email);
      return form(guest, `The code ${WRONG_CODE}.`, 422);
    }
    await forgiveCode(db, personId);
    if (signedIn === "stale") return beginAgain(guest);
    codePendings.clear(reply);
    await takeSession({ db, cookies }, guest, signedIn.token);
    const { recoveryCodesLeft: left } = signedIn;
    return redirect(next, left === undefined ? undefined : recoveryCodesLeft(left));
  });
}
