import type { FastifyReply } from "fastify";

/** The headers of every answer, and of the two kinds of document that show a tenant's email. */

export type Headers = Readonly<Record<string, string>>;

export function securityHeaders(options: {
  wsUrl: string;
  apiUrl: string;
  isHttps: boolean;
}): Headers {
  return {
    "content-security-policy": [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      // ingest-api serves the tenant's images.
      `img-src 'self' data: ${new URL(options.apiUrl).origin}`,
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

/**
 * Returns the headers for a tenant's mail: no scripts, forms or origin, only its own styles, images by https. If
 * ingest-api has http, as on the local stack, its images are allowed, too.
 */
export function mailHeaders(apiUrl: string): Headers {
  return {
    ...INSIDE_OUR_PAGES,
    "content-security-policy": ["sandbox", ...policyOfMail(apiUrl)].join("; "),
  };
}

/** Returns the headers for the preview's frame. Its one script puts the mail into an inner frame without scripts. */
export function previewFrameHeaders(apiUrl: string): Headers {
  const policy = ["sandbox allow-scripts", "script-src 'self'", ...policyOfMail(apiUrl)];
  return { ...INSIDE_OUR_PAGES, "content-security-policy": policy.join("; ") };
}

function policyOfMail(apiUrl: string): string[] {
  return [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `img-src data: https:${apiUrl.startsWith("http:") ? ` ${new URL(apiUrl).origin}` : ""}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ];
}

/**
 * Sets the referrer policy for pages whose address is a secret: browsers send only the origin, even to our own pages.
 * Not "no-referrer": with it browsers send the origin "null" with our own forms.
 */
export function withoutReferrer(reply: FastifyReply): void {
  reply.header("referrer-policy", "strict-origin");
}
