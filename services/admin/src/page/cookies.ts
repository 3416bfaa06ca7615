import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import {
  SESSION_SECONDS,
  type SessionHolder,
  sessionHolder,
} from "@belfry/administration/people/sessions";
import type { Database } from "@belfry/database/connection";
import type { FastifyReply, FastifyRequest } from "fastify";

/**
 * Two cookies that neither scripts nor other sites can read: a guest's token, and after signing in the session's token,
 * which is new at each sign-in. The token of the forms is made from one of them.
 */
export interface Cookies {
  holder(request: FastifyRequest): Promise<SessionHolder | undefined>;
  /** Returns the cookie from which this request's form token is made. */
  secretOf(request: FastifyRequest, signedIn: boolean): string | undefined;
  /** Returns the form token for this answer's page; sets a cookie for a new guest. */
  formToken(request: FastifyRequest, reply: FastifyReply, signedIn: boolean): string;
  begin(reply: FastifyReply, token: string): void;
  end(reply: FastifyReply): void;
}

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export function createCookies(db: Database, isHttps: boolean): Cookies {
  // Other subdomains cannot set a __Host- cookie.
  const prefix = isHttps ? "__Host-" : "";
  const session = `${prefix}belfry_session`;
  const guest = `${prefix}belfry_guest`;
  const options = { path: "/", httpOnly: true, sameSite: "lax", secure: isHttps } as const;
  const read = (request: FastifyRequest, name: string) => {
    // `cookies` is undefined if a hook refused the request earlier, because of its `Host`, for example.
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
 * The field of each form that protects against cross-site request forgery. Its token is made from the cookie of the
 * session or guest, so that only our own pages know it. `isFromOurPages` checks the browser's headers as well.
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

/** Whether the request comes from our own pages, according to the browser's headers; true if they are missing. */
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
