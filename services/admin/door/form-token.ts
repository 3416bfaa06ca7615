import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/**
 * Against requests that another site makes in a person's name. Every form carries a token that only
 * our own pages can know: it is made from the cookie, of the session or, before there is one, of the
 * guest. A browser's own word on where a request comes from is checked besides.
 */

export const FORM_TOKEN = "_token";

export function newGuestToken(): string {
  return randomBytes(32).toString("base64url");
}

export function formToken(cookie: string): string {
  return createHmac("sha256", cookie).update("belfry form").digest("base64url");
}

export function isFormToken(given: string | null, cookie: string | undefined): boolean {
  if (given === null || cookie === undefined || cookie === "") return false;
  const expected = Buffer.from(formToken(cookie));
  const found = Buffer.from(given);
  return expected.length === found.length && timingSafeEqual(expected, found);
}

/** False when the browser says that the request comes from elsewhere. */
export function isFromOurPages(headers: IncomingHttpHeaders): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin") return false;
  if (headers.origin === undefined) return true;
  try {
    return new URL(headers.origin).host === headers.host;
  } catch {
    return false;
  }
}
