import { randomBytes } from "node:crypto";
import type { Database, Pool } from "@belfry/database/connection";
import { parseSecretKeys } from "@belfry/database/secrets";
import { createTenantDirectory } from "@belfry/http-api/tenant-directory";
import { createLogger } from "@belfry/service/logger";
import type { Cleanup } from "@belfry/testing/cleanup";
import { type AcceptorDeps, createAcceptor } from "../src/accept.ts";
import { type AppDeps, createApp } from "../src/app.ts";
import { createImages } from "../src/image-route.ts";
import { KnownRefusals } from "../src/tenant-limits.ts";

const log = createLogger({ service: "test", level: "silent" });
const unused = () => Promise.reject(new Error("not asked in this test"));

/** Builds the API over a database, without listening. Dependencies that are not given refuse or do nothing. */
export async function appUnderTest(
  db: Database,
  over: Partial<AppDeps> = {},
  bounds: Partial<AppDeps["config"]> = {},
) {
  const secretKeys = parseSecretKeys(`k1:${randomBytes(32).toString("base64")}`);
  const directory = createTenantDirectory(db, secretKeys);
  const app = await createApp({
    config: {
      trustProxy: "",
      trustTraceSampling: false,
      packagesFolder: "",
      manageUrl: "",
      unknownKeysPerMinute: 60,
      otherPerMinute: 6000,
      receiptsPerMinute: 60,
      linksPerMinute: 60,
      imagesPerMinute: 6000,
      otherAtATime: 8,
      ...bounds,
    },
    acceptor: { accept: unused },
    nats: { isConnected: () => false },
    refusals: new KnownRefusals(),
    eventTypes: { load: () => undefined, has: () => undefined, clear: () => undefined },
    images: createImages(db),
    directory,
    keyUses: { note: () => undefined } as unknown as AppDeps["keyUses"],
    webhookKeys: {} as AppDeps["webhookKeys"],
    linkKeys: undefined,
    publicUrl: "",
    storeInbound: unused,
    storeReceipts: unused,
    db,
    pool: undefined as unknown as AppDeps["pool"],
    attachmentPool: over.pool as AppDeps["pool"],
    secretKeys,
    allowPrivateWebhooks: false,
    signToken: unused,
    announceInbox: unused,
    announcePreferences: () => undefined,
    now: () => new Date(),
    log,
    ...over,
  });
  return { app, directory };
}

/** Creates an acceptor over a database. NATS takes every message unless a `publisher` says otherwise. */
export function acceptorUnderTest(
  t: Cleanup,
  pool: Pool,
  publisher: AcceptorDeps["publisher"] = {
    publishIds: async () => ({ duplicate: false, streamSequence: 1 }),
  },
) {
  const acceptor = createAcceptor({ pool, publisher, prefix: "test", expressPerMinute: 1000, log });
  t.after(() => acceptor.idle());
  return acceptor;
}
