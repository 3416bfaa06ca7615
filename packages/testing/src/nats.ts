import { randomBytes } from "node:crypto";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import type { Cleanup } from "./cleanup.ts";
import { testServerUrl } from "./test-server-url.ts";

/** Returns the URL of this test run's NATS server (with JetStream). */
export function testNatsUrl(): string {
  return testServerUrl("TEST_NATS_URL");
}

/**
 * Returns a `NATS_PREFIX` that no other test uses, so that stream names never collide. After the test it deletes the
 * streams with this prefix.
 */
export function testPrefix(t?: Cleanup): string {
  const prefix = `test${randomBytes(6).toString("hex")}`;
  t?.after(() => deleteStreams(prefix));
  return prefix;
}

/** Deletes every stream whose name begins with the prefix. */
export async function deleteStreams(prefix: string, url: string = testNatsUrl()): Promise<void> {
  const nc = await connect({ servers: url });
  try {
    const manager = await jetstreamManager(nc, { checkAPI: false });
    for await (const { config } of manager.streams.list()) {
      if (config.name.startsWith(prefix)) await manager.streams.delete(config.name);
    }
  } finally {
    await nc.close();
  }
}
