import { audited } from "@belfry/administration/audited";
import { invalid, NotFound } from "@belfry/administration/input-error";
import { newPassword } from "@belfry/administration/people/password";
import {
  passwordReset,
  resetPassword,
  showReset,
} from "@belfry/administration/people/password-resets";
import { forgiveFrom, takeFrom } from "@belfry/administration/people/sign-in-limits";
import { type Answer, type Faults, orFaults, page, redirect } from "../page/answer.ts";
import { say } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { Guest } from "../page/router.ts";
import { withoutReferrer } from "../page/security-headers.ts";
import { hashClient, tooManyTries } from "./sign-in-checks.ts";

/**
 * Registers the pages of the links by which a person sets a new password. A link signs nobody in: the person signs in
 * afterwards, with a code where one is needed. All wrong links get the same answer, and they are counted.
 */
export function resetPages({ route, db, log }: PageDeps): void {
  const limited = async (guest: Guest, answer: () => Promise<Answer>): Promise<Answer> => {
    const { reply, address } = guest;
    withoutReferrer(reply);
    const waitSeconds = await takeFrom(db, "reset", address);
    if (waitSeconds > 0) {
      const text = tooManyTries(reply, waitSeconds);
      return page("message", say`Too many attempts`, { text }, 429);
    }
    try {
      const found = await answer();
      await forgiveFrom(db, "reset", address);
      return found;
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
      log.warn({ address }, "a reset link did not work");
      const text = say`This link was already used, was replaced, or has expired. Ask for a new one.`;
      return page("message", say`This link does not work`, { text }, 404);
    }
  };

  const form = async ({ params }: Guest, faults: Faults = {}): Promise<Answer> => {
    const { email } = await showReset(db, params.token ?? "");
    return page("reset", say`Set a new password`, { values: { email }, faults });
  };

  route("GET /reset/:token", (guest) => limited(guest, () => form(guest)));

  route("POST /reset/:token", (guest) =>
    limited(guest, () =>
      orFaults(
        async () => {
          const { form: given, params, address } = guest;
          const token = params.token ?? "";
          const { id, name, email } = await showReset(db, token);
          const chosen = given.get("password") ?? "";
          if (given.get("repeated") !== chosen) {
            throw invalid("repeated", "does not match");
          }
          const password = await newPassword(chosen, hashClient(guest));
          await audited(
            db,
            // The link was probably used by that person, but this is not certain.
            { personId: id, person: `${name} <${email}>, by a reset link`, address },
            (transaction) => resetPassword(transaction, token, password),
            passwordReset,
          );
          return redirect("/sign-in", "password-set");
        },
        (faults) => form(guest, faults),
      ),
    ),
  );
}
