import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { Cleanup } from "@belfry/testing/cleanup";
import { listen } from "@belfry/testing/listen";

/** A push as a vendor received it. */
export interface Push {
  /** The collapse key, which is the event's. */
  key: string;
  device: string;
  /** When it arrived, by Date.now(), which is the clock of Postgres here. */
  at: number;
  isRefused: boolean;
}

export interface DeviceVendors {
  pushes: Push[];
  /** Called for each push before it is answered. */
  heard: () => void;
  /** Settings of a provider by its kind. */
  accounts: { webpush: object; fcm: object; apns: object };
  /** The URL at which a browser gets its pushes. */
  endpoint: (device: string) => string;
}

/** Delays answers so that a crash interrupts calls. */
const DELAY_MS = 400;

/** The token of an Apple device, and back. */
export const appleToken = (device: string) => Buffer.from(device.padEnd(32)).toString("hex");
const ofAppleToken = (token: string) => Buffer.from(token, "hex").toString().trim();

/** Web Push, Firebase and Apple on loopback. They answer one push in 50 with 503, by `random`. */
export async function startDeviceVendors(t: Cleanup, random: () => number): Promise<DeviceVendors> {
  const take = async (key: string, device: string): Promise<number> => {
    const isRefused = random() < 0.02;
    vendors.pushes.push({ key, device, at: Date.now(), isRefused });
    vendors.heard();
    await sleep(random() * DELAY_MS);
    return isRefused ? 503 : 200;
  };
  const server = createServer(async (request, response) => {
    const { url = "", headers } = request;
    const body = await text(request);
    if (url === "/token") {
      return response.end(JSON.stringify({ access_token: "t", expires_in: 3599 }));
    }
    if (url.startsWith("/push/")) {
      const status = await take(String(headers.topic), url.slice("/push/".length));
      return response.writeHead(status === 200 ? 201 : status).end();
    }
    const { token, android } = JSON.parse(body).message;
    const status = await take(android.collapse_key, token);
    const answer = status === 200 ? { name: "m" } : { error: { status: "UNAVAILABLE" } };
    response.writeHead(status).end(JSON.stringify(answer));
  });
  const apple = createHttp2Server();
  apple.on("session", (session) => session.on("error", () => undefined));
  apple.on("sessionError", () => undefined);
  apple.on("stream", async (stream, headers) => {
    stream.on("error", () => undefined).resume();
    const token = String(headers[":path"]).slice("/3/device/".length);
    const status = await take(String(headers["apns-collapse-id"]), ofAppleToken(token));
    if (stream.destroyed) return;
    stream.respond({ ":status": status, "apns-id": headers["apns-id"] });
    stream.end(status === 200 ? undefined : '{"reason":"ServiceUnavailable"}');
  });
  const url = `http://127.0.0.1:${await listen(t, server)}`;
  const appleUrl = `http://127.0.0.1:${await listen(t, apple as never)}`;
  const vendors: DeviceVendors = {
    ...{ pushes: [], heard: () => undefined, accounts: accountsAt(url, appleUrl) },
    endpoint: (device) => `${url}/push/${device}`,
  };
  return vendors;
}

function accountsAt(baseUrl: string, appleUrl: string): DeviceVendors["accounts"] {
  const pkcs8 = { type: "pkcs8", format: "pem" } as const;
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export(pkcs8);
  const ec = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export(pkcs8);
  const serviceAccount = JSON.stringify({
    ...{ type: "service_account", project_id: "shop-1234", client_email: "a@example.com" },
    ...{ private_key: rsa, token_uri: `${baseUrl}/token` },
  });
  return {
    webpush: { subject: "mailto:ops@example.com" },
    fcm: { serviceAccount, baseUrl },
    apns: {
      ...{ teamId: "TEAM123456", keyId: "KEY1234567", privateKey: ec },
      ...{ topic: "com.example.shop", baseUrl: appleUrl },
    },
  };
}
