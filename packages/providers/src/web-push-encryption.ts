import {
  createCipheriv,
  createECDH,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
} from "node:crypto";
import type { PushSubscriptionJson } from "@belfry/contracts/devices";

const CURVE = "prime256v1";
const RECORD_BYTES = 4_096;
/** Most bytes of a payload: push services accept at least 4,096 bytes of body, of which the encryption takes 103. */
export const MAX_PUSH_PAYLOAD_BYTES = 3_993;
/** Ends the last record (RFC 8188, 2). */
const LAST_RECORD = Buffer.of(2);

/** A pair of P-256 keys with which an application server identifies itself (RFC 8292), in base64url. */
export interface VapidKeys {
  /** The uncompressed point of 65 bytes. */
  publicKey: string;
  privateKey: string;
}

export function createVapidKeys(): VapidKeys {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: CURVE });
  const { d } = privateKey.export({ format: "jwk" });
  return { publicKey: vapidPublicKey(d!)!, privateKey: d! };
}

/** Returns the public key of a private one; undefined if it is no private key. */
export function vapidPublicKey(privateKey: string): string | undefined {
  const pair = createECDH(CURVE);
  try {
    pair.setPrivateKey(privateKey, "base64url");
    return pair.getPublicKey("base64url");
  } catch {
    return undefined;
  }
}

/**
 * Encrypts a payload for a subscription as one record of aes128gcm (RFC 8291, 8188). Tests give the salt and the
 * sender's private key, which otherwise are random. Throws if the subscription's key is no point of the curve.
 */
export function encryptPush(
  payload: Buffer,
  { p256dh, auth }: PushSubscriptionJson["keys"],
  { salt = randomBytes(16), privateKey }: { salt?: Buffer; privateKey?: Buffer } = {},
): Buffer {
  const sender = createECDH(CURVE);
  if (privateKey === undefined) sender.generateKeys();
  else sender.setPrivateKey(privateKey);
  const own = sender.getPublicKey();
  const receiver = Buffer.from(p256dh, "base64url");
  const shared = sender.computeSecret(receiver);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), receiver, own]);
  const secret = derive(shared, Buffer.from(auth, "base64url"), info, 32);
  const key = derive(secret, salt, "Content-Encoding: aes128gcm\0", 16);
  const nonce = derive(secret, salt, "Content-Encoding: nonce\0", 12);
  const cipher = createCipheriv("aes-128-gcm", key, nonce);
  const sizes = Buffer.alloc(5);
  sizes.writeUInt32BE(RECORD_BYTES);
  sizes.writeUInt8(own.length, 4);
  const record = [cipher.update(payload), cipher.update(LAST_RECORD), cipher.final()];
  return Buffer.concat([salt, sizes, own, ...record, cipher.getAuthTag()]);
}

/** HKDF (RFC 5869). */
function derive(secret: Buffer, salt: Buffer, info: string | Buffer, bytes: number): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, salt, info, bytes));
}
