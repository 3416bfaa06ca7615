import type { IncomingMessage } from "node:http";
import { Problem } from "@belfry/contracts/problems";

/** 16 bytes in base64 (RFC 6455, 4.1). */
const KEY = /^[+/0-9A-Za-z]{22}==$/;
const VERSIONS = ["13", "8"];

/** Why an upgrade cannot become a WebSocket; undefined when it can. */
export function handshakeFault({ headers }: IncomingMessage): Problem | undefined {
  if (headers.upgrade?.toLowerCase() !== "websocket") {
    return new Problem("badRequest", { message: "Upgrade must be websocket" });
  }
  if (!KEY.test(headers["sec-websocket-key"] ?? "")) {
    return new Problem("badRequest", { message: "Sec-WebSocket-Key is missing or invalid" });
  }
  if (!VERSIONS.includes(headers["sec-websocket-version"] ?? "")) {
    return new Problem("badRequest", {
      message: "Sec-WebSocket-Version is missing or not supported",
      headers: { "sec-websocket-version": VERSIONS.join(", ") },
    });
  }
  return undefined;
}
