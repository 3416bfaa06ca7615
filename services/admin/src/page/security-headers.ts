import type { FastifyReply } from "fastify";

/** Headers of every answer, and of the two kinds of document that show a tenant's email. */

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
      // The tenant's images.
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
 * For a tenant's mail: no script, no form, no origin, its own styles, pictures by https. Those that the tenant uploaded
 * have http where ingest-api has, as on the local stack.
 */
export function mailHeaders(apiUrl: string): Headers {
  return {
    ...INSIDE_OUR_PAGES,
    "content-security-policy": ["sandbox", ...policyOfMail(apiUrl)].join("; "),
  };
}

/** For the frame of the live preview: our one script takes the mail and puts it into a frame without any. */
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
 * For pages whose address is a secret: browsers send only the origin to other pages, even to our own. Not
 * "no-referrer": with it browsers send the origin "null" with our own forms.
 */
export function withoutReferrer(reply: FastifyReply): void {
  reply.header("referrer-policy", "strict-origin");
}
