import type { FastifyRequest } from "fastify";
import { ownPath } from "./own-path.ts";

/** The page of ours that led here, for who cannot go on; undefined: none did, or it is this one. */
export function wayBack({ headers, host, url }: FastifyRequest): string | undefined {
  const { referer } = headers;
  if (referer === undefined || !URL.canParse(referer)) return undefined;
  const from = new URL(referer);
  if (from.host !== host) return undefined;
  const path = ownPath(from.pathname + from.search);
  return path === url || path === "/" ? undefined : path;
}
