import { decryptSecret, encryptSecret, type SecretKeys } from "@belfry/database/secrets";
import type { FastifyReply, FastifyRequest } from "fastify";

/**
 * What a browser brings back itself, encrypted: no row for every visitor who never comes back, and nothing that
 * somebody else could make.
 */
export interface SealedCookie<T> {
  keep(reply: FastifyReply, content: T): Promise<void>;
  /** Undefined: there is none, it is too old, or not of our making. */
  read(request: FastifyRequest): Promise<T | undefined>;
  clear(reply: FastifyReply): void;
}

/** The longest that browsers keep. */
const MAX_COOKIE = 4096;

export function createSealedCookie<T extends object>(options: {
  keys: SecretKeys;
  isHttps: boolean;
  name: string;
  /** How long it can be read. */
  seconds: number;
  /** lax: where the way back begins at another site. */
  sameSite: "lax" | "strict";
  nowMs(): number;
}): SealedCookie<T> {
  const { keys, isHttps, seconds, sameSite, nowMs } = options;
  const name = `${isHttps ? "__Host-" : ""}belfry_${options.name}`;
  const owner = `cookie:${options.name}`;
  const attributes = { path: "/", httpOnly: true, sameSite, secure: isHttps } as const;
  return {
    async keep(reply, content) {
      const endsMs = nowMs() + seconds * 1000;
      const sealed = await encryptSecret(keys, owner, JSON.stringify({ content, endsMs }));
      reply.setCookie(name, sealed, { ...attributes, maxAge: seconds });
    },
    async read(request) {
      const sealed = request.cookies[name];
      if (sealed === undefined || sealed.length > MAX_COOKIE) return undefined;
      const text = await decryptSecret(keys, owner, sealed).catch(() => undefined);
      if (text === undefined) return undefined;
      const { content, endsMs } = JSON.parse(text) as { content: T; endsMs: number };
      return nowMs() < endsMs ? content : undefined;
    },
    clear(reply) {
      reply.clearCookie(name, attributes);
    },
  };
}
