import type { FastifyReply, FastifyRequest } from "fastify";
import { DEMO_WEBHOOKS_PATH } from "./demo-webhooks.ts";

const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/;
const SAFE_METHODS = ["GET", "HEAD"];

/**
 * The demo server acts with the tenant's key for whoever asks, so it answers this machine's own pages
 * only: a Host that is no loopback name is DNS rebinding, a change asked for by another origin is
 * forgery. Returns why a request is refused.
 */
export function refusal(request: FastifyRequest): string | undefined {
  const { host, origin } = request.headers;
  const site = request.headers["sec-fetch-site"];
  if (host === undefined || !LOOPBACK.test(host)) {
    return "open this page by http://127.0.0.1 or http://localhost";
  }
  if (SAFE_METHODS.includes(request.method)) return undefined;
  // Belfry's sender is no page and says no origin, as every browser does; its signature is looked at instead.
  if (request.url === DEMO_WEBHOOKS_PATH && origin === undefined && site === undefined) {
    return undefined;
  }
  const ownOrigin = origin === undefined ? site === "same-origin" : origin === `http://${host}`;
  const ownSite = site === undefined || site === "same-origin";
  return ownOrigin && ownSite ? undefined : "only the demo page itself may ask for this";
}

/** Headers of every answer; a mail, which is somebody else's HTML, gets a policy of its own. */
export function setSecurityHeaders(
  reply: FastifyReply,
  options: { wsUrl: string; importMapHash: string },
): void {
  reply.headers({
    "content-security-policy": [
      "default-src 'none'",
      // An import map stands in the page itself or nowhere.
      `script-src 'self' '${options.importMapHash}'`,
      "style-src 'self'",
      "img-src 'self'",
      "frame-src 'self'",
      `connect-src 'self' ${new URL(options.wsUrl).origin}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
  });
}

/** No script, no form, no origin: what a mail may do inside the page's frame. */
export const MAIL_POLICY = [
  "sandbox",
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src data: https:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join("; ");
