import { channelsWith, isProviderChannel } from "@belfry/contracts/channels";
import { clientNetwork } from "@belfry/contracts/client-network";
import { TENANT_ID } from "@belfry/contracts/identifiers";
import { Problem } from "@belfry/contracts/problems";
import { MAX_WEBHOOK_BYTES, type Receipt, WEBHOOK_PATH } from "@belfry/contracts/receipt";
import type { ReceiptsOrigin, StoredReceipts } from "@belfry/database/functions/store-receipts";
import type { ReceiptReader } from "@belfry/providers/receipt";
import { receiptReader } from "@belfry/providers/receipt-readers";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { AbuseLimits } from "./abuse-limits.ts";
import { UnverifiedBodies } from "./unverified-bodies.ts";
import type { WebhookKeys } from "./webhook-keys.ts";

export interface WebhookDeps {
  webhookKeys: WebhookKeys;
  storeReceipts(origin: ReceiptsOrigin, receipts: readonly Receipt[]): Promise<StoredReceipts>;
  limits: AbuseLimits;
  /** Default: with the bounds that a service of its own has. */
  bodies?: UnverifiedBodies;
  now(): Date;
}

interface Params {
  provider: string;
  tenantId: string;
}

/**
 * `POST /webhooks/{provider}/{tenant}`: receipts, signed with the key that stands in the tenant's
 * provider. 200 once they are stored (repeated ones and those of unknown deliveries too: the vendor
 * must not send them for ever), 404 where no key is set, 401 for a signature that is not the
 * vendor's, 429 and 5xx when it should be sent again.
 */
export function webhookRoute(app: FastifyInstance, deps: WebhookDeps): void {
  const { limits, bodies = new UnverifiedBodies() } = deps;
  const callers = new WeakMap<FastifyRequest, { reader: ReceiptReader; keys: readonly string[] }>();

  // Before the body is read: whoever has no key to be verified with sends it for nothing.
  const onRequest = async (request: FastifyRequest) => {
    const { provider, tenantId } = request.params as Params;
    const reader = receiptReader(provider);
    if (reader === undefined || !TENANT_ID.test(tenantId)) throw new Problem("notFound");
    const keys = await deps.webhookKeys.of(tenantId, reader.kind, "receipts");
    if (keys.length === 0) throw new Problem("notFound");
    if (Number(request.headers["content-length"]) > MAX_WEBHOOK_BYTES)
      throw new Problem("tooLarge");
    await limits.countReceipts(request);
    callers.set(request, { reader, keys });
  };

  const receive = async (request: FastifyRequest) => {
    const { tenantId } = request.params as Params;
    const { reader, keys } = callers.get(request)!;
    const address = clientNetwork(request.ip);
    using body = await bodies.read(request.raw, address, MAX_WEBHOOK_BYTES);
    const { headers } = request;
    const read = await reader.read({ headers, body: body.bytes }, keys, deps.now());
    if (!read.ok) {
      request.logFields = { tenantId, provider: reader.kind, webhook: read.fault };
      await limits.countUnverified(request);
      throw refusal(read.fault);
    }
    const origin = {
      tenantId,
      channels: channelsWith(reader.content).filter(isProviderChannel),
      providerKind: reader.kind,
    };
    const { fresh, moved } = await deps.storeReceipts(origin, read.receipts);
    const receipts = read.receipts.length;
    request.logFields = { tenantId, provider: reader.kind, receipts, fresh, moved };
    return {};
  };

  // A scope of its own, in which a body is the stream itself.
  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("application/json", (_request, payload, parsed) =>
      parsed(null, payload),
    );
    scope.post(WEBHOOK_PATH, { onRequest }, receive);
    done();
  });
}

export function refusal(fault: "forged" | "unsigned" | "unreadable"): Problem {
  if (fault === "unreadable") return new Problem("unparsable");
  const message = "The webhook's signature is missing, wrong or too old";
  return new Problem(fault === "unsigned" ? "unavailable" : "unauthorized", { message });
}
