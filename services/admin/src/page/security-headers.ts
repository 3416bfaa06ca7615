import type { FastifyReply } from "fastify";

/** Headers of every answer, and of the two kinds of document that show a tenant's email. */

export type Headers = Readonly<Record<string, string>>;

export function securityHeaders(options: { wsUrl: string; isHttps: boolean }): Headers {
  return {
    "content-security-policy": [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "font-src 'self'",
      `connect-src 'self' ${new URL(options.wsUrl).origin}`,
      "frame-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    // Not "no-referrer": with it browsers send the origin "null" with our own forms.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), interest-cohort=()",
    "cache-control": "no-store",
    ...(options.isHttps ? { "strict-transport-security": "max-age=31536000" } : {}),
  };
}

const INSIDE_OUR_PAGES = {
  "x-frame-options": "SAMEORIGIN",
  // The browser treats a sandboxed frame as another origin.
  "cross-origin-resource-policy": "cross-origin",
};

/** For a tenant's email: no script, no form, no origin, its own styles, pictures by https. */
export const MAIL_HEADERS: Headers = {
  ...INSIDE_OUR_PAGES,
  "content-security-policy": [
    "sandbox",
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    "img-src data: https:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join("; "),
};

/** For the frame of the live preview: our one script gets the email and puts it into a frame without scripts. */
export const PREVIEW_FRAME_HEADERS: Headers = {
  ...INSIDE_OUR_PAGES,
  "content-security-policy": [
    "sandbox allow-scripts",
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'unsafe-inline'",
    "img-src data: https:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join("; "),
};

/**
 * For pages whose address is a secret: browsers send only the origin to other pages, even to our own. Not
 * "no-referrer": with it browsers send the origin "null" with our own forms.
 */
export function withoutReferrer(reply: FastifyReply): void {
  reply.header("referrer-policy", "strict-origin");
}
