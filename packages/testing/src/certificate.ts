import { type KeyObject, sign } from "node:crypto";

const RSA_WITH_SHA256 = Buffer.from("2a864886f70d01010b", "hex");
const COMMON_NAME = Buffer.from("550403", "hex");

/** Returns a self-signed certificate for an RSA key, as PEM. Node.js can read certificates, but not create them. */
export function selfSigned(
  keys: { publicKey: KeyObject; privateKey: KeyObject },
  validity: { from: string; to: string },
): string {
  const algorithm = der(0x30, der(0x06, RSA_WITH_SHA256), der(0x05));
  const name = der(0x0c, Buffer.from("sns.amazonaws.com"));
  const subject = der(0x30, der(0x31, der(0x30, der(0x06, COMMON_NAME), name)));
  const toBeSigned = der(
    0x30,
    der(0x02, Buffer.of(1)),
    algorithm,
    subject,
    der(0x30, ...[validity.from, validity.to].map(time)),
    subject,
    keys.publicKey.export({ type: "spki", format: "der" }),
  );
  const signature = sign("sha256", toBeSigned, keys.privateKey);
  const bits = der(0x03, Buffer.of(0), signature);
  const base64 = der(0x30, toBeSigned, algorithm, bits).toString("base64");
  return `-----BEGIN CERTIFICATE-----\n${base64.replaceAll(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
}

/** Encodes the start of a day, such as `2026-01-01`, in UTC. */
function time(day: string): Buffer {
  return der(0x18, Buffer.from(`${day.replaceAll("-", "")}000000Z`));
}

/** Encodes an ASN.1 value of less than 64 KiB in DER. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const value = Buffer.concat(parts);
  const { length } = value;
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), value]);
}
