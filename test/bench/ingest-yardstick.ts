/**
 * The yardstick of the ingest benchmark: a bare Fastify route that only publishes the body it was
 * given to JetStream and answers when it is stored. No key, no signature, no checks, no database.
 */
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import fastify from "fastify";

// biome-ignore lint/style/noProcessEnv: the benchmark's own process has no configuration schema
const { NATS_URL, PORT } = process.env;

const nc = await connect({ servers: NATS_URL ?? "", noAsyncTraces: true });
const manager = await jetstreamManager(nc, { checkAPI: false });
await manager.streams.add({
  name: "yardstick",
  subjects: ["yardstick"],
  storage: "file",
  retention: "workqueue",
});
const client = jetstream(nc);

const app = fastify();
app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) =>
  done(null, body),
);
app.post("/", async (request) => {
  await client.publish("yardstick", request.body as Buffer);
  return { success: true };
});
await app.listen({ host: "127.0.0.1", port: Number(PORT) });
process.on("disconnect", () => process.exit());
process.on("SIGTERM", () => process.exit());
process.send?.("ready");
