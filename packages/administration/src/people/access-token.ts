import { hash, randomBytes } from "node:crypto";

/** Of a session or an invitation: 256 bits for the browser, their SHA-256 for the database. */
export interface AccessToken {
  token: string;
  sha256: Buffer;
}

export function newAccessToken(): AccessToken {
  const token = randomBytes(32).toString("base64url");
  return { token, sha256: tokenHash(token) };
}

export function tokenHash(token: string): Buffer {
  return hash("sha256", token, "buffer");
}
