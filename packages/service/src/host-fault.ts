import type { IncomingMessage } from "node:http";

/** `uri-host [":" port]` of RFC 3986, the literals of IPv6 among them; it may be empty. */
const HOST =
  /^(?:\[[0-9A-Fa-f:.]+\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)(?::[0-9]{0,5})?$/;

/**
 * Whether a request has to be refused for its `Host` (RFC 9112, 3.2): none in HTTP/1.1, more than one,
 * or one that is no host. Whoever reads it otherwise than a proxy before it would serve another's site.
 */
export function hasHostFault({ headers, httpVersion, rawHeaders }: IncomingMessage): boolean {
  const { host } = headers;
  if (host === undefined) return httpVersion === "1.1";
  // Node keeps the first and says nothing of the others.
  let lines = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === "host") lines += 1;
  }
  return lines > 1 || !HOST.test(host);
}
