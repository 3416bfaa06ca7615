import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import type { TestContext } from "node:test";
import { encryptSecret, parseSecretKeys, providerSettingsOwner } from "@belfry/database/secrets";
import { type AbuseBounds, createAbuseLimits } from "@belfry/http-api/abuse-limits";
import { birdSignature } from "@belfry/providers/bird";
import { plivoSignature } from "@belfry/providers/plivo";
import { twilioSignature } from "@belfry/providers/twilio";
import { createHttpServer } from "@belfry/service/http";
import { createLogger } from "@belfry/service/logger";
import { connectedDatabase } from "@belfry/testing/database";
import type { FastifyInstance } from "fastify";
import { SignJWT } from "jose";
import { uuidv7 } from "uuidv7";
import { createWebhookKeys, type VendorWebhookDeps } from "../src/vendor-webhooks.ts";

export const SECRET = "a-signature-secret-of-the-account";
export const PUBLIC_URL = "https://mail.example.com/belfry";
const TELNYX = generateKeyPairSync("ed25519");
const TELNYX_KEY = TELNYX.publicKey.export({ type: "spki", format: "der" }).subarray(-32);
const secretKeys = parseSecretKeys(`t1:${Buffer.alloc(32, 7).toString("base64")}`);

/** The settings with which each vendor of text messages is verified. */
export const TEXT_SETTINGS = {
  vonage: { signatureSecret: SECRET },
  twilio: { authToken: SECRET },
  plivo: { authToken: SECRET },
  telnyx: { webhookPublicKey: TELNYX_KEY.toString("base64") },
  bird: { signingKey: SECRET },
};
export type TextVendor = keyof typeof TEXT_SETTINGS;

export type Signed = readonly [path: string, body: string, headers: Record<string, string>];
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const seconds = () => String(Math.floor(Date.now() / 1000));

/** Returns a request with this content as each vendor of text messages posts and signs it. */
export const SIGNED_BY: Record<
  TextVendor,
  (path: string, content: Record<string, unknown>, key?: string) => Signed | Promise<Signed>
> = {
  async vonage(path, content) {
    const body = JSON.stringify(content);
    const payload_hash = createHash("sha256").update(body).digest("hex");
    const token = await new SignJWT({ payload_hash })
      .setProtectedHeader({ alg: "HS256" })
      .setIssuer("Vonage")
      .setIssuedAt()
      .setJti(randomUUID())
      .sign(new TextEncoder().encode(SECRET));
    return [path, body, { authorization: `Bearer ${token}` }];
  },
  twilio(path, content, key = SECRET) {
    const form = new URLSearchParams(content as Record<string, string>);
    const signature = twilioSignature(key, PUBLIC_URL + path, form);
    return [path, form.toString(), { ...FORM, "x-twilio-signature": signature }];
  },
  plivo(path, content) {
    const form = new URLSearchParams(content as Record<string, string>);
    const nonce = randomUUID();
    const signature = plivoSignature(SECRET, PUBLIC_URL + path, nonce, form);
    const proof = { "x-plivo-signature-v3": signature, "x-plivo-signature-v3-nonce": nonce };
    return [path, form.toString(), { ...FORM, ...proof }];
  },
  telnyx(path, data) {
    const body = JSON.stringify({ data });
    const time = seconds();
    const signature = sign(null, Buffer.from(`${time}|${body}`), TELNYX.privateKey);
    const text = signature.toString("base64");
    return [path, body, { "telnyx-timestamp": time, "telnyx-signature-ed25519": text }];
  },
  bird(path, content) {
    const body = JSON.stringify({ service: "channels", ...content });
    const time = seconds();
    const signature = birdSignature(SECRET, time, PUBLIC_URL + path, Buffer.from(body));
    const text = signature.toString("base64");
    return [path, body, { "messagebird-request-timestamp": time, "messagebird-signature": text }];
  },
};

/** Starts a server with the webhooks that `register` adds, over a database with these tenants. */
export async function webhooksUnderTest(
  t: TestContext,
  tenants: readonly string[],
  register: (app: FastifyInstance, deps: VendorWebhookDeps, database: Connected) => void,
  { publicUrl = PUBLIC_URL, bounds }: { publicUrl?: string; bounds?: Partial<AbuseBounds> } = {},
) {
  const { pool, db } = await connectedDatabase(t);
  for (const id of tenants) {
    await db.insertInto("tenants").values({ id, name: id, per_minute: 600 }).execute();
  }
  /** Adds a provider to a tenant. */
  const provider = async (tenantId: string, kind: string, settings: object, name = kind) => {
    const id = uuidv7();
    const owner = providerSettingsOwner(tenantId, id);
    const sealed = await encryptSecret(secretKeys, owner, JSON.stringify(settings));
    await pool.query(
      `insert into providers (id, tenant_id, channel, kind, name, settings, masked_settings)
       values ($1, $2, $3, $4, $5, $6, '{}')`,
      [id, tenantId, kind in TEXT_SETTINGS ? "SMS" : "EMAIL", kind, name, sealed],
    );
  };
  const app = createHttpServer({
    log: createLogger({ service: "test", level: "silent" }),
    maxBodyBytes: 256 * 1024,
    jsonBody: "raw",
    trustProxy: "127.0.0.1",
  });
  const limits = await createAbuseLimits(app, {
    unknownKeysPerMinute: 60,
    otherPerMinute: 60,
    receiptsPerMinute: 1000,
    linksPerMinute: 60,
    otherAtATime: 8,
    ...bounds,
  });
  const webhookKeys = createWebhookKeys(db, secretKeys);
  register(app, { webhookKeys, limits, publicUrl, now: () => new Date() }, { pool, db });
  const address = await app.listen({ host: "127.0.0.1", port: 0 });
  t.after(() => app.close());
  const post = async (path: string, body: string, headers: Record<string, string>) => {
    const all = { "content-type": "application/json", ...headers };
    const response = await fetch(address + path, { method: "POST", body, headers: all });
    const type = response.headers.get("content-type");
    return { status: response.status, type, body: await response.text() };
  };
  return { pool, db, address, provider, webhookKeys, post };
}

type Connected = Pick<Awaited<ReturnType<typeof connectedDatabase>>, "pool" | "db">;
