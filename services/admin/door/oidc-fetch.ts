import { isLoopback } from "./loopback.ts";
import type { OidcSettings } from "./oidc-settings.ts";

/** More than any discovery document, set of keys or token answer: what is longer is none. */
export const MAX_ANSWER_BYTES = 512 * 1024;

type Init = RequestInit & { signal?: AbortSignal | null | undefined };

/** `fetch` of one provider: one deadline for head and body, bounded bytes, https, no redirects. */
export function createOidcFetch({
  timeoutMs,
  allowHttpOnLoopback,
}: Pick<OidcSettings, "timeoutMs" | "allowHttpOnLoopback">): (
  url: string,
  init: object,
) => Promise<Response> {
  return async (url, init) => {
    requireSafe(new URL(url), allowHttpOnLoopback);
    const deadline = AbortSignal.timeout(timeoutMs);
    const { signal } = init as Init;
    const response = await fetch(url, {
      ...init,
      redirect: "manual",
      signal: signal ? AbortSignal.any([deadline, signal]) : deadline,
    });
    const body = await readBounded(response);
    const headers = new Headers(response.headers);
    // Of the bytes on the wire; what was read is unpacked.
    for (const name of ["content-encoding", "content-length"]) headers.delete(name);
    const { status } = response;
    return new Response(status === 204 || status === 304 ? null : body, { status, headers });
  };
}

/** Throws unless nobody between us and the provider can listen. */
export function requireSafe(url: URL, allowHttpOnLoopback: boolean): void {
  if (url.protocol === "https:") return;
  if (url.protocol === "http:" && allowHttpOnLoopback && isLoopback(url.hostname)) return;
  throw new Error("the provider names an address that is not https");
}

async function readBounded({ body }: Response): Promise<Buffer<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop early ends the connection.
  for await (const part of body ?? []) {
    bytes += part.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`more than ${MAX_ANSWER_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
