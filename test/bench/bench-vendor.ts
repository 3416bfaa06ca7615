/**
 * SendGrid and Vonage on loopback, in a process of its own: accepts everything at once, and says how many
 * requests came when, how long their events were under way, and what the last mail was.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { percentile } from "./figures.ts";

export type VendorCommand =
  /** Counts anew; says `warm` after the first `warmUp` requests and `reached` after `count`. */
  { type: "count"; warmUp: number; count: number } | { type: "result" };

export type VendorReport =
  | { type: "listening"; url: string }
  | { type: "counting" }
  | { type: "warm"; requests: number }
  | { type: "reached"; perSecond: number }
  | VendorResult;

export interface VendorResult {
  type: "result";
  requests: number;
  /** The last body of a mail. */
  lastMail: string;
  /** From the trigger's beginning to the whole request here, for events that say when that was. */
  email: { p50Ms: number; p99Ms: number };
  sms: { p50Ms: number; p99Ms: number };
}

/** As the templates end with it: the monotonic clock in ns. */
const SENT_AT = /@(\d{9,})/;
const SMS_ANSWER = JSON.stringify({ message_uuid: "7ac8e4b1-3d80-4d4c-a5b0-94c1f1c6e1d7" });

let requests = 0;
let warmUp = 0;
let count = 0;
let warmAt = 0;
let lastMail = "";
let latencies: Record<"email" | "sms", number[]> = { email: [], sms: [] };
const send = (report: VendorReport) => process.send?.(report);

const server = createServer((request, response) => {
  const isMail = request.url === "/v3/mail/send";
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    if (isMail) response.writeHead(202, { "x-message-id": `m${requests}`, "content-length": 0 });
    else response.writeHead(202, { "content-type": "application/json" });
    response.end(isMail ? undefined : SMS_ANSWER);
    note(isMail, Buffer.concat(chunks).toString());
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  send({ type: "listening", url: `http://127.0.0.1:${port}` });
});

process.on("message", (command: VendorCommand) => {
  if (command.type === "count") {
    ({ warmUp, count } = command);
    requests = 0;
    latencies = { email: [], sms: [] };
    send({ type: "counting" });
    return;
  }
  const [email, sms] = [latencies.email, latencies.sms].map((all) => {
    all.sort((a, b) => a - b);
    return { p50Ms: percentile(all, 50), p99Ms: percentile(all, 99) };
  });
  send({ type: "result", requests, lastMail, email: email!, sms: sms! });
});
process.on("disconnect", () => process.exit());
process.on("SIGTERM", () => process.exit());

function note(isMail: boolean, body: string): void {
  requests += 1;
  if (isMail) lastMail = body;
  const [, sentAt] = SENT_AT.exec(body) ?? [];
  if (sentAt !== undefined) {
    const elapsedNs = process.hrtime.bigint() - BigInt(sentAt);
    latencies[isMail ? "email" : "sms"].push(Number(elapsedNs) / 1e6);
  }
  if (requests === warmUp) {
    warmAt = performance.now();
    send({ type: "warm", requests });
  } else if (requests === count) {
    const perSecond = (count - warmUp) / ((performance.now() - warmAt) / 1000);
    send({ type: "reached", perSecond });
  }
}
