import { join } from "node:path";
import { addresses } from "./addresses.ts";
import { banner } from "./banner.ts";
import {
  type HomeFolder,
  homeFolder,
  type LocalJson,
  localKeys,
  makeHomeFolder,
  removeFile,
  writeJson,
} from "./home-folder.ts";
import { operatorLink } from "./operator-link.ts";
import { firstReady } from "./processes/first-ready.ts";
import { claimHome } from "./processes/live-stack.ts";
import { startService } from "./processes/service-process.ts";
import { type ServiceEntry, serviceTable } from "./processes/service-table.ts";
import { createStopper } from "./processes/stopper.ts";
import { type Supervised, supervise } from "./processes/supervise.ts";
import { startBackingServers } from "./servers/backing-servers.ts";
import { portFaults, portLike } from "./servers/ports.ts";
import { type LocalSettings, readSettings } from "./settings.ts";

/** The process that holds the local stack: starts everything, keeps it running, ends it in order. */

/** On a machine that has much else to do. */
const READY_TIMEOUT_MS = 120_000;
/** Nobody waits for a local stack as long as for a cluster's. */
const SHUTDOWN_AT_HOME = { SHUTDOWN_GRACE_MS: "10000", SHUTDOWN_SPREAD_MS: "1000" };

const startedAt = performance.now();
// Their reader may go away before us: a closed terminal, a pager.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
const say = (line: string) => process.stdout.write(`${line}\n`);

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
  const { stopping, hurry } = stopper;
  await using stack = new AsyncDisposableStack();
  const keys = await localKeys(home);

  say("starting Postgres and NATS …");
  const servers = await startBackingServers({ settings, home, foundStale, say });
  stack.defer(async () => servers.postgres?.stop(hurry));
  stack.defer(async () => servers.nats?.stop(hurry));
  stopping.throwIfAborted();

  const { migrateToLatest } = await import("@belfry/database/migrate");
  const migrations = await migrateToLatest(servers.databaseUrl);
  if (migrations.length > 0) say(`database: ${migrations.length} migrations`);
  stopping.throwIfAborted();

  const { databaseUrl, natsUrl } = servers;
  const entries = serviceTable({ ...settings, databaseUrl, natsUrl, keys });
  const services: Supervised[] = [];
  stack.defer(async () => {
    await Promise.all(services.map((service) => service.stop(hurry)));
  });
  for (const entry of entries) services.push(await superviseService(entry, home));
  const ready = Promise.all(
    services.map((service) =>
      firstReady(service, { home, timeoutMs: READY_TIMEOUT_MS, say, stopping }),
    ),
  );
  // Awaited below; until then a failure must not end the process.
  ready.catch(() => undefined);

  const { seedDemoTenant } = await import("./demo/seed.ts");
  const tenant = await seedDemoTenant({ databaseUrl, secretsKeys: keys.secretsKeys, home, say });
  const local: LocalJson = { ...addresses(settings.ports), databaseUrl, natsUrl, tenant };
  const { seedWebhook } = await import("./demo/seed-webhook.ts");
  const signingSecret = await seedWebhook({
    ...{ databaseUrl, secretsKeys: keys.secretsKeys },
    ...{ tenantId: tenant.id, demoUrl: local.demoUrl },
  });
  const { startDemoServer } = await import("./demo/demo-server.ts");
  const demo = await startDemoServer({ local, port: settings.ports.DEMO_PORT, signingSecret });
  stack.defer(() => demo.close());
  await ready;
  stopping.throwIfAborted();

  await writeJson(home.localFile, local);
  stack.defer(() => removeFile(home.localFile));
  const link = await operatorLink(local);
  say(banner(local, home.path, (performance.now() - startedAt) / 1000, link));
  await new Promise((resolve) => stopping.addEventListener("abort", resolve, { once: true }));
}

async function superviseService(entry: ServiceEntry, home: HomeFolder): Promise<Supervised> {
  const service = {
    file: entry.file,
    port: entry.port,
    // biome-ignore lint/style/noProcessEnv: what the caller sets for a service reaches it
    env: { ...SHUTDOWN_AT_HOME, ...process.env, ...entry.env },
    managementPort: await portLike(undefined, 0),
    logFile: join(home.logs, `${entry.name}.log`),
  };
  return supervise(entry.name, () => startService(service), say);
}

const stopper = createStopper(say);
try {
  await main();
} catch (error) {
  if (!stopper.stopping.aborted) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}
process.exit();
