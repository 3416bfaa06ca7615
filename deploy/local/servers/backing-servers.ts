import { appendFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { type HomeFolder, readJson, writeJson } from "../home-folder.ts";
import type { LocalSettings } from "../settings.ts";
import { type Run, type Supervised, supervise } from "../supervise.ts";
import type { GuardedProcess } from "./guarded-process.ts";
import { startNats } from "./nats-server.ts";
import { portLike } from "./ports.ts";
import { startPostgres } from "./postgres-server.ts";

const DATABASE = "belfry";
/** How long a server of an earlier, killed stack may take to free its port. */
const STALE_WAIT_MS = 20_000;

interface Ports {
  postgres?: number;
  nats?: number;
}

export interface BackingServers {
  databaseUrl: string;
  natsUrl: string;
  nats: Supervised | undefined;
  postgres: Supervised | undefined;
}

/**
 * Starts Postgres and NATS in parallel, on the ports of the last start. A server for which the settings have a URL is
 * not started. If one start fails, the other server is stopped again.
 */
export async function startBackingServers(options: {
  settings: LocalSettings;
  home: HomeFolder;
  foundStale: boolean;
  say: (line: string) => void;
}): Promise<BackingServers> {
  const { settings, home, say } = options;
  const remembered = (await readJson<Ports>(home.portsFile)) ?? {};
  const waitMs = options.foundStale ? STALE_WAIT_MS : 0;
  const ports = {
    postgres: await portLike(remembered.postgres, waitMs),
    nats: await portLike(remembered.nats, waitMs),
  };
  await writeJson(home.portsFile, ports);

  let databaseUrl = settings.databaseUrl;
  let natsUrl = settings.natsUrl;
  const runPostgres = async (): Promise<Run> => {
    const server = await startPostgres({
      dataDir: home.postgres,
      port: ports.postgres,
      durable: true,
      log: fileLog(home, "postgres"),
    });
    databaseUrl ??= await ensureDatabase(server.url);
    return asRun(server);
  };
  const runNats = async (): Promise<Run> => {
    const toFile = fileLog(home, "nats");
    const server = await startNats({
      storeDir: home.nats,
      port: ports.nats,
      durable: true,
      mayInstall: true,
      log(line) {
        if (line.startsWith("installing ")) say(line);
        toFile(line);
      },
    });
    natsUrl ??= server.url;
    return asRun(server);
  };
  const [postgres, nats] = await Promise.allSettled([
    databaseUrl === undefined ? supervise("Postgres", runPostgres, say) : undefined,
    natsUrl === undefined ? supervise("NATS", runNats, say) : undefined,
  ]);
  if (postgres.status === "rejected" || nats.status === "rejected") {
    for (const server of [postgres, nats]) {
      if (server.status === "fulfilled") await server.value?.stop(AbortSignal.abort());
    }
    throw postgres.status === "rejected" ? postgres.reason : (nats as PromiseRejectedResult).reason;
  }
  return {
    databaseUrl: databaseUrl as string,
    natsUrl: natsUrl as string,
    postgres: postgres.value,
    nats: nats.value,
  };
}

function asRun(server: GuardedProcess): Run {
  return {
    ready: Promise.resolve(true),
    ended: server.exited.then(({ code }) => (code === null ? "killed" : `exit code ${code}`)),
    async stop(hurry) {
      if (hurry.aborted) return server.kill();
      const kill = () => void server.kill();
      hurry.addEventListener("abort", kill, { once: true });
      await server.stop();
      hurry.removeEventListener("abort", kill);
    },
  };
}

/** Creates the service's database if it does not exist. Returns the database's URL. */
async function ensureDatabase(serverUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = $1", [
      DATABASE,
    ]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
  const url = new URL(serverUrl);
  url.pathname = `/${DATABASE}`;
  return url.href;
}

function fileLog(home: HomeFolder, name: string): (line: string) => void {
  const file = join(home.logs, `${name}.log`);
  return (line) => appendFileSync(file, `${line}\n`, { mode: 0o600 });
}
