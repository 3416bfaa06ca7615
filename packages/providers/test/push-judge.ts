import { createDecipheriv, createECDH, createHmac, randomBytes } from "node:crypto";
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import type { TestContext } from "node:test";
import type { PushSubscriptionJson } from "@belfry/contracts/devices";
import { listen } from "@belfry/testing/listen";
import { importJWK, type JWTPayload, jwtVerify } from "jose";

// Judges pushes by the RFCs: 8030 (protocol), 8188 and 8291 (encryption), 8292 (VAPID). It shares no code with what it
// judges.

/** HKDF with one block (RFC 5869), as RFC 8291 writes it out. */
function hkdf(salt: Buffer, secret: Buffer, info: string | Buffer, bytes: number): Buffer {
  const key = createHmac("sha256", salt).update(secret).digest();
  return createHmac("sha256", key).update(info).update(Buffer.of(1)).digest().subarray(0, bytes);
}

/** A browser's subscription, and what the browser reads. Give it keys to play the example of RFC 8291. */
export function createBrowser(
  privateKey?: Buffer,
  auth: Buffer = randomBytes(16),
): { keys: PushSubscriptionJson["keys"]; read(body: Buffer): string } {
  const pair = createECDH("prime256v1");
  if (privateKey === undefined) pair.generateKeys();
  else pair.setPrivateKey(privateKey);
  const own = pair.getPublicKey();
  return {
    keys: { p256dh: own.toString("base64url"), auth: auth.toString("base64url") },
    read(body) {
      if (body.length > 4096) throw new Error("a push service may refuse more than 4,096 bytes");
      const salt = body.subarray(0, 16);
      const recordBytes = body.readUInt32BE(16);
      const idBytes = body.readUInt8(20);
      const sender = body.subarray(21, 21 + idBytes);
      const record = body.subarray(21 + idBytes);
      if (idBytes !== 65) throw new Error("the key's id is not the sender's public key");
      if (record.length > recordBytes) throw new Error("more than one record");
      const info = Buffer.concat([Buffer.from("WebPush: info\0"), own, sender]);
      const secret = hkdf(auth, pair.computeSecret(sender), info, 32);
      const key = hkdf(salt, secret, "Content-Encoding: aes128gcm\0", 16);
      const nonce = hkdf(salt, secret, "Content-Encoding: nonce\0", 12);
      const decipher = createDecipheriv("aes-128-gcm", key, nonce).setAuthTag(record.subarray(-16));
      const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
      const end = padded.lastIndexOf(2);
      if (end === -1 || padded.subarray(end + 1).some((byte) => byte !== 0)) {
        throw new Error("the record does not end as the last one");
      }
      return padded.toString("utf8", 0, end);
    },
  };
}

/** A push as a push service got it. */
export interface ReceivedPush {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The token, and the public key that the sender claims. */
  token: string;
  key: string;
  claims: JWTPayload;
}

/** Returns the token, the key and the claims of a VAPID header; throws why it is refused. */
async function vapidOf({ authorization = "" }: IncomingHttpHeaders, origin: string, now: Date) {
  const [, token, key] = /^vapid t=([\w-]+\.[\w-]+\.[\w-]+), k=([\w-]+)$/.exec(authorization) ?? [];
  const point = Buffer.from(key ?? "", "base64url");
  if (token === undefined || point.length !== 65) throw new Error("no VAPID header");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((at) => at.toString("base64url"));
  const verified = await importJWK({ kty: "EC", crv: "P-256", x: x!, y: y! }, "ES256");
  const { payload: claims } = await jwtVerify(token, verified, {
    algorithms: ["ES256"],
    typ: "JWT",
    audience: origin,
    currentDate: now,
    requiredClaims: ["exp", "sub"],
  });
  if (claims.exp! > now.getTime() / 1000 + 86_400) throw new Error("valid for more than 24 hours");
  if (!/^(mailto:|https:)/.test(claims.sub!)) throw new Error("the subject is no contact");
  return { token, key: key!, claims };
}

export interface PushServiceOptions {
  /** The service's origin. Default: that of the header `host`, by http. */
  originOf?(host: string): string;
  now(): number;
  /** Answers a push that the service accepts. Default: 201 with the message's location. */
  answer?(response: ServerResponse, push: ReceivedPush): void;
}

/** Returns the handler of a push service, and the pushes that it let pass. A fault of the request is answered by 4xx. */
export function pushService({
  originOf = (host) => `http://${host}`,
  now,
  answer,
}: PushServiceOptions) {
  const received: ReceivedPush[] = [];
  const handle: RequestListener = async (request, response) => {
    const { headers, url: path = "", method } = request;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const refuse = (status: number, why: string) => response.writeHead(status).end(why);
    if (method !== "POST") return refuse(405, "method");
    if (!/^\d+$/.test(headers.ttl as string)) return refuse(400, "TTL");
    if (!/^(very-low|low|normal|high)$/.test(headers.urgency as string))
      return refuse(400, "urgency");
    const { topic = "t" } = headers;
    if (!/^[\w-]{1,32}$/.test(topic as string)) return refuse(400, "topic");
    if (headers["content-encoding"] !== "aes128gcm") return refuse(415, "encoding");
    let vapid: Awaited<ReturnType<typeof vapidOf>>;
    try {
      vapid = await vapidOf(headers, originOf(headers.host!), new Date(now()));
    } catch (error) {
      return refuse(403, String(error));
    }
    const push = { path, headers, body: Buffer.concat(chunks), ...vapid };
    received.push(push);
    if (answer !== undefined) return answer(response, push);
    response.writeHead(201, { location: `${originOf(headers.host!)}/m/${received.length}` }).end();
  };
  return { handle, received };
}

/** Starts a push service on a loopback port. */
export async function startPushService(t: TestContext, options: PushServiceOptions) {
  const { handle, received } = pushService(options);
  const server = createServer((request, response) => void handle(request, response));
  let connections = 0;
  server.on("connection", () => {
    connections += 1;
  });
  const url = `http://127.0.0.1:${await listen(t, server)}`;
  return { url, received, connections: () => connections };
}
