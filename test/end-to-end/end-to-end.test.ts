import { describe } from "node:test";
import { migrateToLatest } from "@belfry/database/migrate";
import { wholeFile } from "@belfry/testing/whole-file";
import { startTlsServers } from "../deploy/tls-servers.ts";
import { attachmentTests } from "./attachments.ts";
import { batchTests } from "./batches.ts";
import { digestTests } from "./digests.ts";
import { envelopeTests } from "./envelopes.ts";
import { erasureTests } from "./erasure.ts";
import { historyTests } from "./history.ts";
import { idempotencyTests } from "./idempotency.ts";
import { languageTests } from "./languages.ts";
import { limitTests } from "./limits.ts";
import { linkTests } from "./links.ts";
import { logTests } from "./logs.ts";
import { orderTests } from "./order.ts";
import { preferenceTests } from "./preferences.ts";
import { realtimeTests } from "./realtime.ts";
import { receiptTests } from "./receipts.ts";
import { requiredTests } from "./required.ts";
import { routingTests } from "./routing.ts";
import { signingTests } from "./signing.ts";
import { startStack } from "./stack.ts";
import { traceTests } from "./trace.ts";
import { userAttributeTests } from "./user-attributes.ts";

/**
 * Each row of the specification and of the decisions, through real processes. One stack for all, as
 * production has it: two of every service, its own Postgres and NATS, TLS to both.
 */
const cleanup = wholeFile();
const servers = await startTlsServers(cleanup);
await migrateToLatest(servers.verifiedDatabaseUrl);
const stack = await startStack(cleanup, {
  natsUrl: servers.natsUrl("tls"),
  databaseUrl: servers.verifiedDatabaseUrl,
  env: { NATS_TLS_CA_FILE: servers.certificates.caFile, EXPRESS_PER_MINUTE: "30" },
  twice: true,
});

describe("routing", () => routingTests(stack));
describe("languages", () => languageTests(stack));
describe("required variables", () => requiredTests(stack));
describe("links of a push", () => linkTests(stack));
describe("envelopes of mails", () => envelopeTests(stack));
describe("attachments of mails", () => attachmentTests(stack));
describe("idempotency", () => idempotencyTests(stack));
describe("limits", () => limitTests(stack));
describe("batches", () => batchTests(stack));
describe("authentication and signing", () => signingTests(stack));
describe("history", () => historyTests(stack));
describe("realtime", () => realtimeTests(stack));
describe("receipts and dead letters", () => receiptTests(stack));
describe("one trace id", () => traceTests(stack));
describe("preferences", () => preferenceTests(stack));
describe("digests", () => digestTests(stack));
describe("attributes of users", () => userAttributeTests(stack));
describe("order", () => orderTests(stack));
describe("erasure", () => erasureTests(stack));
describe("logs", () => logTests(stack));
