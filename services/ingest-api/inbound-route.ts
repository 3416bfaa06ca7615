import { INBOUND_PATH, type InboundText, MAX_INBOUND_BYTES } from "@belfry/contracts/inbound";
import type { InboundOrigin, InboundOutcome } from "@belfry/database/inbound";
import { type InboundReader, inboundReader } from "@belfry/providers/inbound-readers";
import type { FastifyInstance } from "fastify";
import { type SignedWebhookDeps, signedWebhook } from "./signed-webhook.ts";
import { UnverifiedBodies } from "./unverified-bodies.ts";

export interface InboundDeps extends SignedWebhookDeps {
  storeInbound(origin: InboundOrigin, message: InboundText): Promise<InboundOutcome>;
}

const MIB = 1024 * 1024;

/**
 * `POST /webhooks/{provider}/{tenant}/inbound`: what people answer to text messages. 200 once it is stored, with
 * nothing in it that the vendor would send; repeated ones too, since it must not come for ever.
 */
export function inboundRoute(app: FastifyInstance, deps: InboundDeps): void {
  signedWebhook<{ message: InboundText | undefined }, InboundReader>(app, deps, {
    path: INBOUND_PATH,
    use: "inbound",
    maxBytes: MAX_INBOUND_BYTES,
    bodies: new UnverifiedBodies({ bytes: 8 * MIB, bytesOfAddress: 2 * MIB }),
    reader: inboundReader,
    async receive({ message }, origin, reply, { answer }) {
      const inbound = message === undefined ? "no text" : await deps.storeInbound(origin, message);
      reply.header("content-type", answer.type).send(answer.body);
      return { inbound };
    },
  });
}
