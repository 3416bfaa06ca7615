import { setTimeout as sleep } from "node:timers/promises";
import { Type } from "@sinclair/typebox";
import { commonConfig, loadConfig } from "../src/config.ts";
import { createHttpServer } from "../src/http.ts";
import { createLogger } from "../src/logger.ts";
import { startManagement } from "../src/management.ts";
import { createStopSignal } from "../src/stop-signal.ts";

/** A whole service in small, for the tests of starting and stopping. */
const config = loadConfig(
  Type.Object({
    MANAGEMENT_HOST: commonConfig.MANAGEMENT_HOST,
    MANAGEMENT_PORT: commonConfig.MANAGEMENT_PORT,
    SHUTDOWN_DELAY_MS: commonConfig.SHUTDOWN_DELAY_MS,
    SHUTDOWN_GRACE_MS: commonConfig.SHUTDOWN_GRACE_MS,
    STOP_WITH_PARENT: commonConfig.STOP_WITH_PARENT,
    PORT: Type.Integer(),
    /** How long `/slow` takes. */
    SLOW_MS: Type.Integer({ default: 300 }),
  }),
);

const log = createLogger({ service: "small", level: "info" });
await using resources = new AsyncDisposableStack();
const stop = resources.use(
  createStopSignal({
    log,
    delayMs: config.SHUTDOWN_DELAY_MS,
    graceMs: config.SHUTDOWN_GRACE_MS,
    stopWithParent: config.STOP_WITH_PARENT,
  }),
);
resources.use(
  await startManagement({
    host: config.MANAGEMENT_HOST,
    port: config.MANAGEMENT_PORT,
    checks: {},
    log,
    signal: stop.stopping,
  }),
);
const http = createHttpServer({ log, maxBodyBytes: 1024 });
resources.defer(() => http.close());
http.get("/slow", async () => {
  log.info("slow");
  await sleep(config.SLOW_MS);
  return { ok: true };
});
http.get("/floating", async () => {
  void Promise.reject(new Error("nobody waits for this"));
  return { ok: true };
});
await http.listen({ port: config.PORT, host: "127.0.0.1" });
await stop.stopped;
