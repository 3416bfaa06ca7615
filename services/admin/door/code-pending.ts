import type { PasswordGiven } from "@belfry/administration/people/sessions";
import type { SecretKeys } from "@belfry/database/secrets";
import type { FastifyReply } from "fastify";
import type { Guest } from "../router.ts";
import type { Cookies } from "./cookies.ts";
import { formToken, isFormToken } from "./form-token.ts";
import { createSealedCookie } from "./sealed-cookie.ts";

/** Somebody has given the password, and is asked for a code. */
export interface CodePending extends PasswordGiven {
  /** A path of ours to go on to. */
  next: string;
}

/**
 * Rests in the browser in which the password was given, and is bound to what its forms are bound to: the
 * cookie alone, brought by another browser, is nothing.
 */
export interface CodePendings {
  keep(guest: Guest, pending: CodePending): Promise<void>;
  read(guest: Guest): Promise<CodePending | undefined>;
  clear(reply: FastifyReply): void;
}

export const CODE_PENDING_SECONDS = 5 * 60;

export function createCodePendings(
  cookies: Cookies,
  keys: SecretKeys,
  { isHttps, nowMs }: { isHttps: boolean; nowMs(): number },
): CodePendings {
  const cookie = createSealedCookie<CodePending & { browser: string }>({
    ...{ keys, isHttps, nowMs, name: "code", seconds: CODE_PENDING_SECONDS, sameSite: "strict" },
  });
  const secretOf = ({ request, person }: Guest) => cookies.secretOf(request, person !== undefined);
  return {
    async keep(guest, pending) {
      // A form was accepted, so there is one.
      const browser = formToken(secretOf(guest) ?? "");
      await cookie.keep(guest.reply, { ...pending, browser });
    },
    async read(guest) {
      const found = await cookie.read(guest.request);
      return found !== undefined && isFormToken(found.browser, secretOf(guest)) ? found : undefined;
    },
    clear: cookie.clear,
  };
}
