import { channelsWith, isProviderChannel, type ProviderChannel } from "@belfry/contracts/channels";
import { clientNetwork } from "@belfry/contracts/client-network";
import { TENANT_ID } from "@belfry/contracts/identifiers";
import { INBOUND_PATH, type InboundText } from "@belfry/contracts/inbound";
import { Problem } from "@belfry/contracts/problems";
import { type Receipt, WEBHOOK_PATH } from "@belfry/contracts/sending";
import type { Database } from "@belfry/database/connection";
import type { ReceiptsOrigin, StoredReceipts } from "@belfry/database/functions/store-receipts";
import type { InboundOrigin, InboundOutcome } from "@belfry/database/inbound";
import { decryptSecret, providerSettingsOwner, type SecretKeys } from "@belfry/database/secrets";
import type { AbuseLimits } from "@belfry/http-api/abuse-limits";
import {
  INBOUND_READERS,
  inboundReader,
  RECEIPT_READERS,
  receiptReader,
} from "@belfry/providers/kinds";
import type {
  GetText,
  InboundReader,
  ReceiptReader,
  WebhookFault,
  WebhookRead,
  WebhookReader,
} from "@belfry/providers/receipt";
import { createVersionedCache, readEach } from "@belfry/service/versioned-cache";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { UnverifiedBodies } from "./unverified-bodies.ts";

const MIB = 1024 * 1024;
/** Most cached lists of keys; each is for a tenant, a vendor and a use. */
const MAX_CACHED_KEYS = 5_000;
/** Amazon SNS calls its JSON plain text. */
const TYPES = ["application/json", "application/x-www-form-urlencoded", "text/plain"];
/** The readers of each kind of webhook. */
const READERS = { receipts: RECEIPT_READERS, inbound: INBOUND_READERS } as const;
type WebhookUse = keyof typeof READERS;

export interface VendorWebhookDeps {
  webhookKeys: WebhookKeys;
  limits: AbuseLimits;
  /** Address at which vendors reach this service, without a slash at its end; "" if it is not configured. */
  publicUrl: string;
  now(): Date;
  /** Fetches from a vendor's servers the data that verifies a webhook. Default: over the Internet. */
  get?: GetText;
}

export interface ReceiptDeps extends VendorWebhookDeps {
  storeReceipts(origin: ReceiptsOrigin, receipts: readonly Receipt[]): Promise<StoredReceipts>;
  /** Default: a new one with `UNVERIFIED_BOUNDS`. */
  bodies?: UnverifiedBodies;
}

/**
 * Registers `POST /webhooks/{provider}/{tenant}` for receipts. It answers 200 once the receipts are stored, also for
 * repeated receipts and those of unknown deliveries, so that the vendor stops sending them.
 */
export function receiptRoute(app: FastifyInstance, deps: ReceiptDeps): void {
  vendorWebhook<{ receipts: Receipt[] }, ReceiptReader>(app, deps, {
    path: WEBHOOK_PATH,
    use: "receipts",
    bodies: deps.bodies ?? new UnverifiedBodies(),
    reader: receiptReader,
    async receive({ receipts }, origin, reply) {
      const { fresh, moved } = await deps.storeReceipts(origin, receipts);
      reply.send({});
      return { receipts: receipts.length, fresh, moved };
    },
  });
}

export interface InboundDeps extends VendorWebhookDeps {
  storeInbound(origin: InboundOrigin, message: InboundText): Promise<InboundOutcome>;
}

/**
 * Registers `POST /webhooks/{provider}/{tenant}/inbound` for people's replies to text messages. It answers 200 once a
 * reply is stored, also if it is repeated, so that the vendor stops sending it. The answer has no text, because the
 * vendor would send the text to the person.
 */
export function inboundRoute(app: FastifyInstance, deps: InboundDeps): void {
  vendorWebhook<{ message: InboundText | undefined }, InboundReader>(app, deps, {
    path: INBOUND_PATH,
    use: "inbound",
    bodies: new UnverifiedBodies({ bytes: 8 * MIB, bytesOfAddress: 2 * MIB }),
    reader: inboundReader,
    async receive({ message }, origin, reply, { answer }) {
      const inbound = message === undefined ? "no text" : await deps.storeInbound(origin, message);
      reply.header("content-type", answer.type).send(answer.body);
      return { inbound };
    },
  });
}

interface WebhookOrigin {
  tenantId: string;
  providerKind: string;
  channels: ProviderChannel[];
}

interface VendorWebhook<Held, Reader> {
  /** The route's path, with the parameters `:provider` and `:tenantId`. */
  path: string;
  use: WebhookUse;
  bodies: UnverifiedBodies;
  reader(kind: string): Reader | undefined;
  /** Stores the verified content and sends the answer. Returns fields for the log line. */
  receive(
    held: Held,
    origin: WebhookOrigin,
    reply: FastifyReply,
    reader: Reader,
  ): Promise<Record<string, unknown>>;
}

/** The reader and the body's verification for a request whose headers are accepted. */
interface Caller<Held, Reader> {
  reader: Reader;
  readBody(body: Buffer): Promise<WebhookRead<Held>>;
}

interface Params {
  provider: string;
  tenantId: string;
}

/**
 * Registers a webhook that is verified with the key in the tenant's provider. It answers 404 if no key is set, or if
 * the vendor signs our address and `publicUrl` is not configured; 401 for a wrong signature or password; 429 or 5xx if
 * the vendor should send the request again.
 */
function vendorWebhook<Held, Reader extends WebhookReader<Held>>(
  app: FastifyInstance,
  deps: VendorWebhookDeps,
  webhook: VendorWebhook<Held, Reader>,
): void {
  const { limits, publicUrl } = deps;
  const callers = new WeakMap<FastifyRequest, Caller<Held, Reader>>();

  const unverified = async (request: FastifyRequest, { kind }: Reader, fault: WebhookFault) => {
    const { tenantId } = request.params as Params;
    request.logFields = { tenantId, provider: kind, webhook: fault };
    await limits.countUnverified(request);
    return refusal(fault);
  };

  // Runs before the body is read, so that the body of a request without proof in its headers is never read.
  const onRequest = async (request: FastifyRequest) => {
    const { provider, tenantId } = request.params as Params;
    const reader = webhook.reader(provider);
    if (reader === undefined || !TENANT_ID.test(tenantId)) throw new Problem("notFound");
    if (reader.signsAddress && publicUrl === "") throw new Problem("notFound");
    const keys = await deps.webhookKeys.of(tenantId, reader.kind, webhook.use);
    if (keys.length === 0) throw new Problem("notFound");
    if (Number(request.headers["content-length"]) > reader.maxBytes) throw new Problem("tooLarge");
    await limits.countReceipts(request);
    const head = { headers: request.headers, url: publicUrl + request.url };
    const readBody = await reader.read(head, keys, deps.now(), deps.get);
    if (typeof readBody === "string") throw await unverified(request, reader, readBody);
    callers.set(request, { reader, readBody });
  };

  const receive = async (request: FastifyRequest, reply: FastifyReply) => {
    const { tenantId } = request.params as Params;
    const { reader, readBody } = callers.get(request)!;
    const from = clientNetwork(request.ip);
    using body = await webhook.bodies.read(request.raw, from, reader.maxBytes);
    const read = await readBody(body.bytes);
    if (!read.ok) throw await unverified(request, reader, read.fault);
    const channels = channelsWith(reader.content).filter(isProviderChannel);
    const origin = { tenantId, providerKind: reader.kind, channels };
    const stored = await limits.inTurn(request, { door: "vendor", tenantId }, () =>
      webhook.receive(read, origin, reply, reader),
    );
    request.logFields = { tenantId, provider: reader.kind, ...stored };
    return reply;
  };

  // In a scope of its own, in which a body is not parsed but stays a stream.
  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(TYPES, (_request, payload, parsed) => parsed(null, payload));
    scope.post(webhook.path, { onRequest }, receive);
    done();
  });
}

function refusal(fault: WebhookFault): Problem {
  if (fault === "unreadable") return new Problem("unparsable");
  if (fault === "unreachable") return new Problem("unavailable");
  const message = "The webhook's signature or password is missing, wrong or too old";
  return new Problem(fault === "unsigned" ? "unavailable" : "unauthorized", { message });
}

export type WebhookKeys = ReturnType<typeof createWebhookKeys>;

/** Returns a cache of the keys that verify vendors' webhooks: settings of the tenants' providers, decrypted. */
export function createWebhookKeys(db: Database, keys: SecretKeys) {
  const cache = createVersionedCache<readonly string[]>({
    max: MAX_CACHED_KEYS,
    read: (names) => readEach(names, (name) => readKeys(db, keys, name)),
  });
  /** All webhooks, from one query until the configuration changes, so that guessed names cost no query. */
  const webhooks = createVersionedCache<ReadonlySet<string>>({
    max: 1,
    read: async ([all = ""]) => new Map([[all, await readWebhooks(db)]]),
  });
  return {
    /**
     * Returns the keys that verify webhooks of the tenant's providers of this kind, active or not; empty if there are
     * none.
     */
    async of(tenantId: string, kind: string, use: WebhookUse): Promise<readonly string[]> {
      const name = `${kind} ${tenantId}`;
      if (!(await webhooks.get("all"))?.has(name)) return [];
      return (await cache.get(`${use} ${name}`)) ?? [];
    },
    /** Empties the cache. Called when the configuration has changed. */
    clear(): void {
      cache.clear();
      webhooks.clear();
    },
  };
}

async function readWebhooks(db: Database): Promise<Set<string>> {
  const kinds = Object.values(READERS).flatMap((readers) => readers.map((reader) => reader.kind));
  const rows = await db
    .selectFrom("providers")
    .select(["tenant_id", "kind"])
    .where("kind", "in", kinds)
    .execute();
  return new Set(rows.map((row) => `${row.kind} ${row.tenant_id}`));
}

async function readKeys(db: Database, keys: SecretKeys, name: string): Promise<string[]> {
  const [use = "", kind = "", tenantId = ""] = name.split(" ");
  const reader = READERS[use as WebhookUse].find((one) => one.kind === kind);
  if (reader === undefined) return [];
  // Inactive providers are included, because receipts still arrive for messages that they sent before.
  const rows = await db
    .selectFrom("providers")
    .select(["id", "settings"])
    .where("tenant_id", "=", tenantId)
    .where("kind", "=", reader.kind)
    .orderBy("position")
    .execute();
  const settings = await Promise.all(
    rows.map((row) => decryptSecret(keys, providerSettingsOwner(tenantId, row.id), row.settings)),
  );
  return settings
    .map((text) => reader.keyOf(JSON.parse(text) as Record<string, unknown>))
    .filter((key) => key !== undefined);
}
