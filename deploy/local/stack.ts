import { rm } from "node:fs/promises";
import { styleText } from "node:util";
import {
  claimHome,
  type HomeFolder,
  homeFolder,
  type LocalJson,
  localKeys,
  makeHomeFolder,
  writeJson,
} from "./home-folder.ts";
import { startBackingServers } from "./servers/backing-servers.ts";
import { firstReady, serviceTable, startService } from "./services.ts";
import { addresses, curlLine, type LocalSettings, portFaults, readSettings } from "./settings.ts";
import { type Supervised, supervise } from "./supervise.ts";

/** The process that runs the local stack: it starts all parts, restarts those that fail, and stops them in order. */

/**
 * A package manager may forward a Ctrl-C that the terminal also sent to us. Two signals within this time in ms count as
 * one.
 */
const SAME_REQUEST_MS = 700;

/** Set by `pnpm dev`: it creates the sample tenant and restarts services when their sources change. */
const isDevelopment = process.argv.includes("--dev");
const startedAt = performance.now();
// The reader of our output, such as a terminal or a pager, may end before us.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
const say = (line: string) => process.stdout.write(`${line}\n`);
const { stopping, hurry } = listenForStop();

try {
  await main();
} catch (error) {
  if (!stopping.aborted) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}
process.exit();

async function main(): Promise<void> {
  const settings = readSettings();
  const home = homeFolder(settings.home);
  await makeHomeFolder(home);
  const claim = await claimHome(home, process.pid);
  try {
    process.send?.({ stackFile: home.stackFile, localFile: home.localFile });
    const faults = await portFaults(settings.ports);
    if (faults.length > 0) throw new Error(faults.join("\n"));
    await runStack(settings, home, claim.foundStale);
  } finally {
    await claim.release();
  }
}

async function runStack(settings: LocalSettings, home: HomeFolder, foundStale: boolean) {
  await using stack = new AsyncDisposableStack();
  const keys = await localKeys(home);

  say("starting Postgres and NATS …");
  const servers = await startBackingServers({ settings, home, foundStale, say });
  stack.defer(async () => servers.postgres?.stop(hurry));
  stack.defer(async () => servers.nats?.stop(hurry));
  stopping.throwIfAborted();

  const { databaseUrl, natsUrl } = servers;
  const { migrateToLatest } = await import("@belfry/database/migrate");
  const migrations = await migrateToLatest(databaseUrl);
  if (migrations.length > 0) say(`database: ${migrations.length} migrations`);
  stopping.throwIfAborted();

  const services: Supervised[] = [];
  stack.defer(async () => {
    await Promise.all(services.map((service) => service.stop(hurry)));
  });
  for (const entry of serviceTable(settings, servers, keys)) {
    services.push(await supervise(entry.name, async () => startService(entry, home), say));
  }
  const ready = Promise.all(services.map((service) => firstReady(service, home, say, stopping)));
  // It is awaited below. Until then a rejection must not end the process.
  ready.catch(() => undefined);

  // Imported only here, so that Postgres starts sooner.
  const { seedStack } = await import("./demo/seed.ts");
  const urls = addresses(settings.ports);
  const { secretsKeys } = keys;
  const seeded = await seedStack({
    databaseUrl,
    secretsKeys,
    home,
    urls,
    withSample: isDevelopment,
    say,
  });
  const local: LocalJson = { ...urls, databaseUrl, natsUrl, tenant: seeded.tenant };
  const { startDemoServer } = await import("./demo/demo-server.ts");
  const { signingSecret, operatorLink } = seeded;
  const demo = await startDemoServer({ local, port: settings.ports.DEMO_PORT, signingSecret });
  stack.defer(() => demo.close());
  await ready;
  stopping.throwIfAborted();

  await writeJson(home.localFile, local);
  stack.defer(() => rm(home.localFile, { force: true }));
  if (isDevelopment) stack.use(await restartOnChange(services, databaseUrl));
  say(banner(local, home.path, operatorLink));
  await new Promise((resolve) => stopping.addEventListener("abort", resolve, { once: true }));
}

/** Watches the sources. Restarts the services that use a changed file; applies changed SQL first. */
async function restartOnChange(services: Supervised[], databaseUrl: string): Promise<Disposable> {
  const { changesDatabase, servicePackages, servicesOf, watchSources } = await import(
    "./watch-sources.ts"
  );
  const { migrateToLatest } = await import("@belfry/database/migrate");
  const packages = await servicePackages();
  return watchSources(async (files) => {
    const names = servicesOf(files, packages);
    const concerned = services.filter(({ name }) => names.includes(name));
    if (concerned.length === 0 || stopping.aborted) return;
    say(`${files.join(", ")} changed: restarting ${concerned.map(({ name }) => name).join(", ")}`);
    try {
      if (changesDatabase(files)) await migrateToLatest(databaseUrl);
    } catch (error) {
      say(`database: ${error instanceof Error ? error.message : error}`);
    }
    await Promise.all(concerned.map((service) => service.restart()));
  });
}

/** Returns the text that is printed when the stack is ready. */
function banner(local: LocalJson, home: string, operatorLink: string | undefined): string {
  const bold = (text: string) => styleText("bold", text);
  const dim = (text: string) => styleText("dim", text);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const admin =
    operatorLink === undefined
      ? bold(local.adminUrl)
      : `${bold(operatorLink)}${dim("  once, for you")}`;
  return `
${bold("Belfry is up")} ${dim(`(${seconds} s)`)}

  demo page   ${bold(local.demoUrl)}
  Admin UI    ${admin}
  API         ${local.apiUrl}
  WebSocket   ${local.wsUrl}
  tenant      ${local.tenant.id}  ${dim(local.tenant.name)}
  API key     ${local.tenant.apiKey}
  data, logs  ${home}

Open the demo page, then send an event; paste this as often as you like:

${curlLine(local.apiUrl, local.tenant.apiKey)}

Ctrl-C stops everything (from elsewhere: npx --yes pnpm@12 belfry stop).
`;
}

/**
 * Turns signals and the end of the launcher into two abort signals: `stopping` requests an ordered stop; `hurry`, after
 * a second signal, an immediate stop.
 */
function listenForStop(): { stopping: AbortSignal; hurry: AbortSignal } {
  const inOrder = new AbortController();
  const atOnce = new AbortController();
  let askedAt = 0;
  const ask = () => {
    if (!inOrder.signal.aborted) {
      askedAt = performance.now();
      say("stopping …");
      inOrder.abort(new Error("stopped"));
    } else if (performance.now() - askedAt > SAME_REQUEST_MS && !atOnce.signal.aborted) {
      say("stopping at once");
      atOnce.abort(new Error("stopped at once"));
    }
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, ask);
  const onDisconnect = () => {
    if (!inOrder.signal.aborted) ask();
  };
  process.on("disconnect", onDisconnect);
  // It is undefined if our parent has no IPC channel to us.
  if (process.connected === false) onDisconnect();
  // The listener alone would keep this process alive.
  process.channel?.unref();
  return { stopping: inOrder.signal, hurry: atOnce.signal };
}
