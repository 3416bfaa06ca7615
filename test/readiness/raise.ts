import { once } from "node:events";
import http from "node:http";
import pg from "pg";

/**
 * Loaded before a service by `--import`. SIGUSR2 and SIGHUP become errors that nobody catches, and RAISE comes
 * at the moment RAISE_AT: "load", before all; "configuration", while the service reads its variables; "schema", as it asks
 * whether the functions of the schema are there; "app", while its HTTP server is being built. RAISE is a
 * signal, or "disconnect", which breaks the channel to the parent.
 */
process.on("SIGUSR2", () =>
  process.nextTick(() => {
    throw new Error("thrown by a test");
  }),
);
process.on("SIGHUP", () => void Promise.reject(new Error("rejected by a test")));

// biome-ignore lint/style/noProcessEnv: read here as a service reads it, and replaced
const environment = process.env;
const { RAISE_AT } = environment;
const RAISE = environment.RAISE as NodeJS.Signals | "disconnect";
let isRaised = false;
const raise = () => {
  if (isRaised) return;
  isRaised = true;
  if (RAISE === "disconnect") process.disconnect();
  // Signal handlers are called synchronously, not one turn of the event loop later.
  else if (!process.emit(RAISE, RAISE)) process.kill(process.pid, RAISE);
};

if (RAISE_AT === "load") {
  raise();
  await once(process, "disconnect");
}
if (RAISE_AT === "configuration") {
  process.env = new Proxy(environment, {
    get(variables, name) {
      if (name === "DATABASE_URL") raise();
      return Reflect.get(variables, name);
    },
  });
}
if (RAISE_AT === "schema") {
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    if (String(args[0]).includes("applied_functions")) raise();
    return Reflect.apply(query, this, args);
  } as typeof query;
}
if (RAISE_AT === "app") {
  const { createServer } = http;
  // Patch Fastify's prototype: modules that import a function by name keep the original.
  http.createServer = ((...args: unknown[]) => {
    raise();
    return Reflect.apply(createServer, http, args);
  }) as typeof createServer;
}
