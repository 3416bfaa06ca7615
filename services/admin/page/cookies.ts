import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import {
  SESSION_SECONDS,
  type SessionHolder,
  sessionHolder,
} from "@belfry/administration/people/sign-in";
import type { Database } from "@belfry/database/connection";
import type { FastifyReply, FastifyRequest } from "fastify";

/**
 * Two cookies, both out of reach of scripts and of other sites: the session's token, made anew at each
 * signing in, and before that a guest's, for the token of the forms.
 */
export interface Cookies {
  holder(request: FastifyRequest): Promise<SessionHolder | undefined>;
  /** What the form token of this request is made from. */
  secretOf(request: FastifyRequest, signedIn: boolean): string | undefined;
  /** The form token for the page that answers; gives a guest without a cookie one. */
  formToken(request: FastifyRequest, reply: FastifyReply, signedIn: boolean): string;
  begin(reply: FastifyReply, token: string): void;
  end(reply: FastifyReply): void;
}

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export function createCookies(db: Database, isHttps: boolean): Cookies {
  // A __Host- cookie cannot be set by a neighbour's subdomain.
  const prefix = isHttps ? "__Host-" : "";
  const session = `${prefix}belfry_session`;
  const guest = `${prefix}belfry_guest`;
  const options = { path: "/", httpOnly: true, sameSite: "lax", secure: isHttps } as const;
  const read = (request: FastifyRequest, name: string) => {
    // Not read yet where the request was refused before: for its `Host`, say.
    const value = (request.cookies as FastifyRequest["cookies"] | null)?.[name];
    return value !== undefined && TOKEN.test(value) ? value : undefined;
  };
  return {
    async holder(request) {
      const token = read(request, session);
      return token === undefined ? undefined : await sessionHolder(db, token);
    },
    secretOf: (request, signedIn) => read(request, signedIn ? session : guest),
    formToken(request, reply, signedIn) {
      const found = read(request, signedIn ? session : guest);
      if (found !== undefined) return formToken(found);
      const made = newGuestToken();
      reply.setCookie(guest, made, options);
      return formToken(made);
    },
    begin(reply, token) {
      reply.setCookie(session, token, { ...options, maxAge: SESSION_SECONDS });
      reply.clearCookie(guest, options);
    },
    end(reply) {
      reply.clearCookie(session, options);
    },
  };
}

/**
 * Against requests that another site makes in a person's name. Every form carries a token that only
 * our own pages can know: it is made from the cookie, of the session or, before there is one, of the
 * guest. A browser's own word on where a request comes from is checked besides.
 */

export const FORM_TOKEN = "_token";

function newGuestToken(): string {
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
