import { channelsWith, isProviderChannel, type ProviderChannel } from "@belfry/contracts/channels";
import { clientNetwork } from "@belfry/contracts/client-network";
import { TENANT_ID } from "@belfry/contracts/identifiers";
import { Problem } from "@belfry/contracts/problems";
import type { AbuseLimits } from "@belfry/http-api/abuse-limits";
import type { WebhookFault, WebhookReader } from "@belfry/providers/receipt";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { UnverifiedBodies } from "./unverified-bodies.ts";
import type { WebhookKeys, WebhookUse } from "./webhook-keys.ts";

export interface SignedWebhookDeps {
  webhookKeys: WebhookKeys;
  limits: AbuseLimits;
  /** Where vendors reach this service, without a slash at its end; empty: nobody has said. */
  publicUrl: string;
  now(): Date;
}

export interface WebhookOrigin {
  tenantId: string;
  providerKind: string;
  channels: ProviderChannel[];
}

interface SignedWebhook<Held, Reader> {
  /** With `:provider` and `:tenantId`. */
  path: string;
  use: WebhookUse;
  maxBytes: number;
  bodies: UnverifiedBodies;
  reader(kind: string): Reader | undefined;
  /** What is verified. Returns what the log tells of it; answers by itself. */
  receive(
    held: Held,
    origin: WebhookOrigin,
    reply: FastifyReply,
    reader: Reader,
  ): Promise<Record<string, unknown>>;
}

interface Params {
  provider: string;
  tenantId: string;
}

const TYPES = ["application/json", "application/x-www-form-urlencoded"];

/**
 * A webhook of vendors, which sign it with the key that stands in the tenant's provider. 404 where no key is
 * set, or the vendor signs an address that nobody has told us; 401 for a signature that is not the vendor's;
 * 429 and 5xx when it should be sent again.
 */
export function signedWebhook<Held, Reader extends WebhookReader<Held>>(
  app: FastifyInstance,
  deps: SignedWebhookDeps,
  webhook: SignedWebhook<Held, Reader>,
): void {
  const { limits, publicUrl } = deps;
  const { maxBytes } = webhook;
  const callers = new WeakMap<FastifyRequest, { reader: Reader; keys: readonly string[] }>();

  // Before the body is read: whoever has no key to be verified with sends it for nothing.
  const onRequest = async (request: FastifyRequest) => {
    const { provider, tenantId } = request.params as Params;
    const reader = webhook.reader(provider);
    if (reader === undefined || !TENANT_ID.test(tenantId)) throw new Problem("notFound");
    if (reader.signsAddress && publicUrl === "") throw new Problem("notFound");
    const keys = await deps.webhookKeys.of(tenantId, reader.kind, webhook.use);
    if (keys.length === 0) throw new Problem("notFound");
    if (Number(request.headers["content-length"]) > maxBytes) throw new Problem("tooLarge");
    await limits.countReceipts(request);
    callers.set(request, { reader, keys });
  };

  const receive = async (request: FastifyRequest, reply: FastifyReply) => {
    const { tenantId } = request.params as Params;
    const { reader, keys } = callers.get(request)!;
    using body = await webhook.bodies.read(request.raw, clientNetwork(request.ip), maxBytes);
    const { headers } = request;
    const url = publicUrl + request.url;
    const read = await reader.read({ headers, body: body.bytes, url }, keys, deps.now());
    const fields = { tenantId, provider: reader.kind };
    if (!read.ok) {
      request.logFields = { ...fields, webhook: read.fault };
      await limits.countUnverified(request);
      throw refusal(read.fault);
    }
    const channels = channelsWith(reader.content).filter(isProviderChannel);
    const origin = { tenantId, providerKind: reader.kind, channels };
    const stored = await limits.inTurn(request, { door: "vendor", tenantId }, () =>
      webhook.receive(read, origin, reply, reader),
    );
    request.logFields = { ...fields, ...stored };
    return reply;
  };

  // A scope of its own, in which a body is the stream itself.
  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(TYPES, (_request, payload, parsed) => parsed(null, payload));
    scope.post(webhook.path, { onRequest }, receive);
    done();
  });
}

function refusal(fault: WebhookFault): Problem {
  if (fault === "unreadable") return new Problem("unparsable");
  const message = "The webhook's signature is missing, wrong or too old";
  return new Problem(fault === "unsigned" ? "unavailable" : "unauthorized", { message });
}
