import type { FastifyReply } from "fastify";

/**
 * For pages whose address is a secret: what they load and lead to, our own pages too, is told the origin
 * alone. Not "no-referrer": with it browsers call the origin of our own forms null.
 */
export function withoutReferrer(reply: FastifyReply): void {
  reply.header("referrer-policy", "strict-origin");
}
