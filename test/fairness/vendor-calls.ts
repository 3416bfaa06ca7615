import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { INBOUND_PATH } from "@belfry/contracts/inbound";
import { WEBHOOK_PATH } from "@belfry/contracts/sending";
import { encryptSecret, providerSettingsOwner } from "@belfry/database/secrets";
import { INBOUND_READERS, RECEIPT_READERS } from "@belfry/providers/kinds";
import { uuidv7 } from "uuidv7";
import type { Ingest } from "../fuzz/start-ingest.ts";

/** A request from somebody who needs no key. */
export interface OpenCall {
  path: string;
  headers?: Record<string, string>;
  body?: string | undefined;
}

const SECRET = "a-secret-of-the-account";
const TOPIC = "arn:aws:sns:eu-central-1:123456789012:mail";
const SECONDS = String(Math.floor(Date.now() / 1000));
const HMAC = `${"A".repeat(43)}=`;
const BASIC = { authorization: `Basic ${btoa(`belfry:${SECRET}`)}` };
const EC = generateKeyPairSync("ec", { namedCurve: "P-256" });
const ED25519 = generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "der" });

/** A right token over another body. */
function vonageToken(): string {
  const claims = { iss: "Vonage", jti: "1", iat: Number(SECONDS), payload_hash: "0".repeat(64) };
  const text = [{ alg: "HS256" }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  return `${text}.${createHmac("sha256", SECRET).update(text).digest("base64url")}`;
}

/** Each vendor's settings, and headers that make us read the body. Those of Brevo and Postmark prove the body. */
const VENDORS: Readonly<
  Record<string, { settings: Record<string, string>; headers: Record<string, string> }>
> = {
  bird: {
    settings: { signingKey: SECRET },
    headers: { "messagebird-signature": HMAC, "messagebird-request-timestamp": SECONDS },
  },
  brevo: { settings: { webhookPassword: SECRET }, headers: BASIC },
  mailgun: { settings: { webhookSigningKey: SECRET }, headers: {} },
  plivo: {
    settings: { authToken: SECRET },
    headers: { "x-plivo-signature-v3-nonce": "1", "x-plivo-signature-v3": HMAC },
  },
  postmark: { settings: { webhookPassword: SECRET }, headers: BASIC },
  resend: {
    settings: { webhookSecret: btoa(SECRET) },
    headers: { "svix-id": "1", "svix-timestamp": SECONDS, "svix-signature": `v1,${HMAC}` },
  },
  sendgrid: {
    settings: {
      webhookPublicKey: EC.publicKey.export({ type: "spki", format: "der" }).toString("base64"),
    },
    headers: sendgridHeaders(""),
  },
  ses: { settings: { topicArn: TOPIC }, headers: { "x-amz-sns-topic-arn": TOPIC } },
  telnyx: {
    settings: { webhookPublicKey: ED25519.subarray(-32).toString("base64") },
    headers: {
      "telnyx-signature-ed25519": `${"A".repeat(86)}==`,
      "telnyx-timestamp": SECONDS,
    },
  },
  twilio: {
    settings: { authToken: SECRET },
    headers: { "x-twilio-signature": `${"A".repeat(27)}=` },
  },
  vonage: {
    settings: { signatureSecret: SECRET },
    headers: { authorization: `Bearer ${vonageToken()}` },
  },
};

function sendgridHeaders(body: string): Record<string, string> {
  return {
    "x-twilio-email-event-webhook-signature": sign(
      "sha256",
      Buffer.from(SECONDS + body),
      EC.privateKey,
    ).toString("base64"),
    "x-twilio-email-event-webhook-timestamp": SECONDS,
  };
}

/** Many names; its length is below the bound of a request's headers. */
export const QUERY = "a&".repeat(7_000);

/** Returns bodies with the most fields, the deepest arrays and the most values for this size. */
function bodiesOf(maxBytes: number): readonly [type: string, body: string][] {
  const half = Math.floor(maxBytes / 2) - 1;
  const deep = Math.min(half, 95_000);
  return [
    ["application/x-www-form-urlencoded", "a&".repeat(half)],
    ["application/json", "[".repeat(deep) + "]".repeat(deep)],
    ["application/json", `[${"0,".repeat(half - 1)}0]`],
    ["text/plain", `{"Message":"${"\\u0000".repeat(Math.floor(half / 3) - 10)}"}`],
  ];
}

/** Gives a tenant a provider of each vendor. Returns the dearest calls of each of their webhooks. */
export async function vendorCalls(
  { pool, keys }: Ingest,
  tenantId: string,
): Promise<[route: string, calls: OpenCall[]][]> {
  for (const [kind, { settings }] of Object.entries(VENDORS)) {
    const id = uuidv7();
    const owner = providerSettingsOwner(tenantId, id);
    const sealed = await encryptSecret(keys, owner, JSON.stringify(settings));
    const content = RECEIPT_READERS.find((one) => one.kind === kind)?.content;
    await pool.query(
      `insert into providers (id, tenant_id, channel, kind, name, settings, masked_settings)
       values ($1, $2, $3, $4, $4, $5, '{}')`,
      [id, tenantId, content === "text" ? "SMS" : "EMAIL", kind, sealed],
    );
  }
  const readers = [
    ...RECEIPT_READERS.map((reader) => [WEBHOOK_PATH, reader] as const),
    ...INBOUND_READERS.map((reader) => [INBOUND_PATH, reader] as const),
  ];
  const calls = readers.map(([route, { kind, maxBytes }]): [string, OpenCall[]] => {
    const vendor = VENDORS[kind];
    if (vendor === undefined) throw new Error(`a row is missing for ${kind}`);
    const path = route.replace(":provider", kind).replace(":tenantId", tenantId);
    return [
      `POST ${route}`,
      [path, `${path}?${QUERY}`].flatMap((address) =>
        bodiesOf(maxBytes).map(([type, body]) => ({
          path: address,
          headers: { ...vendor.headers, "content-type": type },
          body,
        })),
      ),
    ];
  });
  return [...calls, [`POST ${WEBHOOK_PATH}`, [signedReceipts(tenantId)]]];
}

/** The longest batch of receipts, signed by the tenant's own key. */
function signedReceipts(tenantId: string): OpenCall {
  const events = Array.from({ length: 8_000 }, (_, n) => ({
    sg_event_id: `event-${n}`,
    event: "bounce",
    delivery_id: `0198c0de-0000-7000-8000-${String(n).padStart(12, "0")}`,
  }));
  const body = JSON.stringify(events);
  return {
    path: WEBHOOK_PATH.replace(":provider", "sendgrid").replace(":tenantId", tenantId),
    headers: { ...sendgridHeaders(body), "content-type": "application/json" },
    body,
  };
}
