import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeRealtimeMessage } from "@belfry/contracts/realtime-message";
import { realtimeSubject } from "@belfry/contracts/streams";
import { userSubjectToken } from "@belfry/contracts/user-subject";
import type { NatsConnection } from "@nats-io/transport-node";
import { announce } from "./announce.ts";

const MESSAGE = { version: 1, kind: "preferences", userId: "ann" } as const;

function linkOf(isConnected: boolean, publish: (subject: string, message: string) => void) {
  const nc = { publish } as unknown as NatsConnection;
  return { nc, isConnected: () => isConnected };
}

test("what is announced goes to its user's subject; with NATS away or closing nothing is kept, and nothing thrown", () => {
  const sent: [string, unknown][] = [];
  const publish = (subject: string, message: string) =>
    void sent.push([subject, decodeRealtimeMessage(new TextEncoder().encode(message))]);
  assert.equal(announce(linkOf(true, publish), "p", "acme", MESSAGE), true);
  assert.deepEqual(sent.splice(0), [
    [realtimeSubject("p", "acme", userSubjectToken("ann")), MESSAGE],
  ]);
  assert.equal(announce(undefined, "p", "acme", MESSAGE), false);
  assert.equal(announce(linkOf(false, publish), "p", "acme", MESSAGE), false);
  assert.deepEqual(sent, []);
  const closing = linkOf(true, () => {
    throw new Error("draining");
  });
  assert.equal(announce(closing, "p", "acme", MESSAGE), false);
});
