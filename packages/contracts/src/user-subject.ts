import { hash } from "node:crypto";

/** The NATS token of a user: the first 32 hex digits of SHA-256 over the user id. */
export function userSubjectToken(userId: string): string {
  return hash("sha256", userId, "hex").slice(0, 32);
}
