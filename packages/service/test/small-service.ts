import { setTimeout as sleep } from "node:timers/promises";
import { Type } from "@sinclair/typebox";
import { commonConfig } from "../src/config.ts";
import { closeAfterAnswers, createHttpServer } from "../src/http.ts";
import { runService } from "../src/run-service.ts";
import { tracer } from "../src/tracing.ts";

/** A whole service in small, for the tests of starting and stopping. */
await runService({
  name: "small",
  config: Type.Object({
    ...commonConfig,
    PORT: Type.Integer(),
    /** How long `/slow` takes. */
    SLOW_MS: Type.Integer({ default: 300 }),
  }),
  database: () => ({
    applicationName: "small",
    ready: async () => undefined,
    isThere: async () => true,
    close: async () => undefined,
  }),
  work: "http",
  async start({ config, log, stopping, stopped }) {
    const http = createHttpServer({ log, maxBodyBytes: 1024 });
    http.get("/slow", async () => {
      log.info("slow");
      await sleep(config.SLOW_MS);
      return { ok: true };
    });
    http.get("/traced", async (request) => {
      request.span = tracer()?.startRequest(undefined, false, "accept", { kind: "server" });
      return { ok: true };
    });
    http.get("/floating", async () => {
      void Promise.reject(new Error("nobody waits for this"));
      return { ok: true };
    });
    closeAfterAnswers(http.server, stopping);
    await http.listen({ port: config.PORT, host: "127.0.0.1" });
    return { run: () => [stopped.then(() => http.close())] };
  },
});
