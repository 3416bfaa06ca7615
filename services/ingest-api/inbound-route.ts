import { channelsWith, isProviderChannel } from "@belfry/contracts/channels";
import { clientNetwork } from "@belfry/contracts/client-network";
import { TENANT_ID } from "@belfry/contracts/identifiers";
import { INBOUND_PATH, type InboundText, MAX_INBOUND_BYTES } from "@belfry/contracts/inbound";
import { Problem } from "@belfry/contracts/problems";
import type { InboundOrigin, InboundOutcome } from "@belfry/database/inbound";
import { type InboundReader, inboundReader } from "@belfry/providers/inbound-readers";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AbuseLimits } from "./abuse-limits.ts";
import { UnverifiedBodies } from "./unverified-bodies.ts";
import type { WebhookKeys } from "./webhook-keys.ts";
import { refusal } from "./webhook-route.ts";

export interface InboundDeps {
  webhookKeys: WebhookKeys;
  storeInbound(origin: InboundOrigin, message: InboundText): Promise<InboundOutcome>;
  limits: AbuseLimits;
  /** Where vendors reach this service, without a slash at its end; empty: nobody has said. */
  publicUrl: string;
  now(): Date;
}

interface Params {
  provider: string;
  tenantId: string;
}

const MIB = 1024 * 1024;
const TYPES = ["application/json", "application/x-www-form-urlencoded"];

/**
 * `POST /webhooks/{provider}/{tenant}/inbound`: what people answer to text messages, signed as the vendor does.
 * 200 once it is stored, with nothing in it that the vendor would send (repeated ones too: it must not come for
 * ever), 404 where it cannot be verified, and else as receipts are.
 */
export function inboundRoute(app: FastifyInstance, deps: InboundDeps): void {
  const bodies = new UnverifiedBodies({ bytes: 8 * MIB, bytesOfAddress: 2 * MIB });
  const callers = new WeakMap<FastifyRequest, { reader: InboundReader; keys: readonly string[] }>();

  // Before the body is read: whoever has no key to be verified with sends it for nothing.
  const onRequest = async (request: FastifyRequest) => {
    const { provider, tenantId } = request.params as Params;
    const reader = inboundReader(provider);
    if (reader === undefined || !TENANT_ID.test(tenantId)) throw new Problem("notFound");
    if (reader.signsAddress && deps.publicUrl === "") throw new Problem("notFound");
    const keys = await deps.webhookKeys.of(tenantId, reader.kind, "inbound");
    if (keys.length === 0) throw new Problem("notFound");
    if (Number(request.headers["content-length"]) > MAX_INBOUND_BYTES) {
      throw new Problem("tooLarge");
    }
    await deps.limits.countReceipts(request);
    callers.set(request, { reader, keys });
  };

  const receive = async (request: FastifyRequest, reply: FastifyReply) => {
    const { tenantId } = request.params as Params;
    const { reader, keys } = callers.get(request)!;
    using body = await bodies.read(request.raw, clientNetwork(request.ip), MAX_INBOUND_BYTES);
    const url = deps.publicUrl + request.url;
    const { headers } = request;
    const read = await reader.read({ headers, body: body.bytes, url }, keys, deps.now());
    const fields = { tenantId, provider: reader.kind };
    if (!read.ok) {
      request.logFields = { ...fields, webhook: read.fault };
      await deps.limits.countUnverified(request);
      throw refusal(read.fault);
    }
    const channels = channelsWith(reader.content).filter(isProviderChannel);
    const origin = { tenantId, providerKind: reader.kind, channels };
    const { message } = read;
    const inbound = message === undefined ? "no text" : await deps.storeInbound(origin, message);
    request.logFields = { ...fields, inbound };
    return reply.header("content-type", reader.answer.type).send(reader.answer.body);
  };

  // A scope of its own, in which a body is the stream itself.
  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(TYPES, (_request, payload, parsed) => parsed(null, payload));
    scope.post(INBOUND_PATH, { onRequest }, receive);
    done();
  });
}
