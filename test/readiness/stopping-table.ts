import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { NEWEST_MIGRATION } from "@belfry/database/migrate";
import { eventually } from "@belfry/testing/eventually";
import { createGate, type Gate, POSTGRES_TERMINATE } from "@belfry/testing/gate";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { createTestDatabase } from "@belfry/testing/postgres";
import { startProcess, type TestProcess } from "@belfry/testing/processes";
import pg from "pg";

/** Each service and a point during its start; see `raise.ts`. */
const SERVICES = {
  "ingest-api": "app",
  dispatcher: "schema",
  "email-sender": "schema",
  "sms-sender": "schema",
  "device-sender": "schema",
  "chat-sender": "schema",
  "webhook-sender": "schema",
  "realtime-gateway": "app",
  admin: "app",
};
type Name = keyof typeof SERVICES;
/** One service that needs NATS and one that does not run every cell; the others run one cell per phase. */
const WHOLE = new Set<Name>(["ingest-api", "email-sender"]);
/** Services that create streams when they start. */
const HAS_STREAMS = new Set<Name>([
  "ingest-api",
  "dispatcher",
  "email-sender",
  "sms-sender",
  "device-sender",
  "chat-sender",
  "webhook-sender",
]);

/** What ends a service: a signal, or the end of its parent, and the expected result. */
interface Cause {
  signal?: NodeJS.Signals;
  code: 0 | 1;
  line: Record<string, unknown>;
}
const UNCAUGHT = { level: "fatal", msg: "nobody caught an error: stopping" };
const CAUSES: Record<string, Cause> = {
  SIGTERM: { signal: "SIGTERM", code: 0, line: { msg: "stopping", reason: "SIGTERM" } },
  SIGINT: { signal: "SIGINT", code: 0, line: { msg: "stopping", reason: "SIGINT" } },
  "the parent's end": { code: 0, line: { reason: "parent disconnected", delayMs: 0 } },
  "a throw": { signal: "SIGUSR2", code: 1, line: { ...UNCAUGHT, origin: "uncaughtException" } },
  "a rejection": { signal: "SIGHUP", code: 1, line: { ...UNCAUGHT, origin: "unhandledRejection" } },
};

interface Phase {
  name: string;
  /** Every service runs the first cell of each phase. */
  causes: string[];
  away?: "postgres" | "schema" | "nats";
  /** The point in `raise.ts` at which the cause occurs; by default when the service starts. */
  at?: string;
  /** The drain delay in milliseconds. */
  delay?: string | ((cause: string) => string);
  /** Waits until the phase is reached. Without it, the cause occurs while the service starts. */
  reached?: (stage: Stage) => Promise<unknown>;
  /** Whether connections are cut before the end. */
  cut?: boolean;
}
/** Longer than any slow machine takes. */
const LATE_MS = 100_000;
/** A delay longer than that. */
const NEVER = "120000";
const PHASES: Phase[] = [
  { name: "loading", causes: ["the parent's end"], at: "load", delay: NEVER },
  {
    name: "waiting for Postgres",
    causes: ["SIGTERM", "a throw"],
    away: "postgres",
    delay: NEVER,
    reached: (stage) => says(stage, { msg: "waiting for Postgres" }),
  },
  {
    name: "waiting for the schema",
    causes: ["SIGINT", "the parent's end"],
    away: "schema",
    delay: NEVER,
    reached: (stage) => says(stage, { msg: "waiting for the database to be migrated" }),
  },
  {
    name: "without NATS",
    causes: ["SIGTERM", "the parent's end", "a rejection"],
    away: "nats",
    async reached(stage) {
      await says(stage, { msg: "NATS is not reachable: waiting for it" });
      await eventually(() => stage.postgres.lastWords().length > 0);
    },
  },
  { name: "starting", causes: ["a throw", "SIGINT"], delay: NEVER },
  { name: "starting without NATS", causes: ["SIGTERM"], away: "nats", delay: NEVER },
  {
    name: "running",
    causes: ["SIGTERM", "SIGINT", "the parent's end", "a throw"],
    delay: (cause) => (cause.startsWith("SIG") ? "1" : NEVER),
    reached: ({ service }) => service.waitUntilReady(),
  },
  {
    name: "running, Postgres and NATS lost",
    causes: ["SIGTERM"],
    async reached({ service, postgres, nats }) {
      await service.waitUntilReady();
      await Promise.all([postgres.close(), nats.close()]);
      await service.waitUntilReady(false);
    },
    cut: true,
  },
];

const KEYS = `k1:${Buffer.alloc(32).toString("base64")}`;
/** Invalid, unreadable or contradictory variables. */
const BAD = {
  MANAGEMENT_PORT: "1e9",
  SECRETS_KEYS: "k1:short",
  REALTIME_TOKEN_KEYS: "short",
  LINK_KEYS: "short",
  PUBLIC_URL: "http://mail.example.com",
  ALLOWED_ORIGINS: "nowhere",
  LEASE_MS: "2000",
  PONG_TIMEOUT_MS: "600000",
};
/** The invalid variables of each service, besides those of all services. */
const FAULTY: Record<Name, string[]> = {
  "ingest-api": ["SECRETS_KEYS", "REALTIME_TOKEN_KEYS", "LINK_KEYS", "PUBLIC_URL"],
  dispatcher: ["SECRETS_KEYS"],
  "email-sender": ["SECRETS_KEYS", "LINK_KEYS", "PUBLIC_URL", "LEASE_MS"],
  "sms-sender": ["SECRETS_KEYS", "LINK_KEYS", "PUBLIC_URL", "LEASE_MS"],
  "device-sender": ["SECRETS_KEYS", "LINK_KEYS", "PUBLIC_URL", "LEASE_MS"],
  "chat-sender": ["SECRETS_KEYS", "LINK_KEYS", "PUBLIC_URL", "LEASE_MS"],
  "webhook-sender": ["SECRETS_KEYS", "LEASE_MS"],
  "realtime-gateway": ["REALTIME_TOKEN_KEYS", "SECRETS_KEYS", "ALLOWED_ORIGINS", "PONG_TIMEOUT_MS"],
  admin: ["SECRETS_KEYS", "REALTIME_TOKEN_KEYS"],
};

/** The port variable of each service's main listener. */
const PORTS: Partial<Record<Name, string>> = {
  "ingest-api": "INGEST_API_PORT",
  "realtime-gateway": "REALTIME_GATEWAY_PORT",
  admin: "ADMIN_PORT",
};

/** A service whose connections to Postgres and NATS pass gates. */
interface Stage {
  service: TestProcess;
  postgres: Gate;
  nats: Gate;
}

const says = (stage: Stage, line: Record<string, unknown>) =>
  eventually(() => assert.ok(has(stage, line), `${JSON.stringify(line)}\n${words(stage)}`), {
    timeoutMs: LATE_MS,
  });
const has = ({ service }: Stage, line: Record<string, unknown>) =>
  service.logs().some((one) => Object.entries(line).every(([key, value]) => one[key] === value));
const words = ({ service }: Stage) => [...service.lines, service.errors()].join("\n");

/** The exit code, or the signal that ended the process. */
const endOf = ({ service }: Stage) =>
  Promise.race([service.exited, sleep(LATE_MS, "it does not end", { ref: false })]);

const give = ({ service }: Stage, { signal }: Cause) =>
  signal === undefined ? service.abandon() : service.signal(signal);

/** Asserts that the process exited by itself, closed all connections, and logged one line if it failed. */
async function endsClosed(stage: Stage, { code, line }: Cause, isCut = false): Promise<void> {
  assert.deepEqual(await endOf(stage), { code, signal: null }, words(stage));
  assert.ok(has(stage, line), words(stage));
  const logs = stage.service.logs();
  assert.equal(logs.at(-1)?.msg, "stopped", words(stage));
  assert.equal(logs.filter(({ level }) => level === "fatal").length, code, words(stage));
  assert.equal(stage.service.errors(), "");
  if (isCut) return;
  // Connections must be closed before the process ends. Its last bytes may still be in transit.
  await eventually(() => {
    for (const last of stage.postgres.lastWords()) assert.equal(last, POSTGRES_TERMINATE);
  });
}

/** The tests of one service. Each service has its own file, because the time limit is per file. */
export const testStopping = (name: Name) =>
  test("a service ends the same at every signal in every phase", async (t) => {
    const { url } = await createTestDatabase(t);
    const older = await createTestDatabase(t);
    const client = new pg.Client({ connectionString: older.url });
    await client.connect();
    await client.query("delete from kysely_migration where name = $1", [NEWEST_MIGRATION]);
    await client.end();
    const prefix = testPrefix(t);

    const start = async (t: TestContext, env: Record<string, string>, away?: Phase["away"]) => {
      const postgres = await createGate(t, away === "schema" ? older.url : url);
      const nats = await createGate(t, testNatsUrl());
      if (away !== "postgres") await postgres.open();
      if (away !== "nats") await nats.open();
      // The test checks the end itself.
      const quiet = {
        after: (end: () => Promise<void>) => t.after(() => end().catch(() => undefined)),
      };
      const service = await startProcess(quiet, {
        main: new URL(`../../services/${name}/src/main.ts`, import.meta.url),
        env: {
          NODE_OPTIONS: `--import ${new URL("raise.ts", import.meta.url)}`,
          DATABASE_URL: postgres.url,
          NATS_URL: nats.url,
          NATS_PREFIX: prefix,
          SECRETS_KEYS: KEYS,
          REALTIME_TOKEN_KEYS: KEYS,
          INGEST_API_PORT: "0",
          REALTIME_GATEWAY_PORT: "0",
          ADMIN_PORT: "0",
          ...env,
        },
        waitUntilReady: false,
      });
      return { service, postgres, nats };
    };

    const isWhole = WHOLE.has(name);
    const endings = PHASES.flatMap((phase) =>
      phase.causes.slice(0, isWhole ? undefined : 1).map((what) =>
        t.test(`${phase.name}: ${what}`, async (t) => {
          const { delay = "0", reached, away } = phase;
          const cause = CAUSES[what]!;
          const env = { SHUTDOWN_DELAY_MS: typeof delay === "string" ? delay : delay(what) };
          const raised = {
            RAISE: cause.signal ?? "disconnect",
            RAISE_AT: phase.at ?? SERVICES[name],
          };
          const stage = await start(t, reached ? env : { ...env, ...raised }, away);
          if (reached) {
            await reached(stage);
            give(stage, cause);
          }
          await endsClosed(stage, cause, phase.cut);
        }),
      ),
    );

    const refused = HAS_STREAMS.has(name)
      ? t.test("starting: NATS refuses the streams", async (t) => {
          const stage = await start(t, { NATS_PREFIX: `${prefix}-3`, NATS_REPLICAS: "3" });
          await endsClosed(stage, { code: 1, line: { msg: "the service cannot go on: stopping" } });
        })
      : undefined;

    const seconds: [string, Record<string, unknown>][] = [
      ["SIGINT", { msg: "second signal: exiting at once", signal: "SIGINT" }],
      ["a throw", { ...UNCAUGHT, origin: "uncaughtException" }],
    ];
    const stopping = seconds.slice(0, isWhole ? undefined : 1).map(([what, line]) =>
      t.test(`stopping: ${what}`, async (t) => {
        const stage = await start(t, { SHUTDOWN_DELAY_MS: NEVER });
        await stage.service.waitUntilReady();
        stage.service.signal("SIGTERM");
        await stage.service.waitUntilReady(false);
        stage.service.abandon();
        give(stage, CAUSES[what]!);
        assert.deepEqual(await endOf(stage), { code: 1, signal: null }, words(stage));
        assert.ok(has(stage, line), words(stage));
        assert.ok(!has(stage, { msg: "stopped" }), words(stage));
      }),
    );

    const reading = (isWhole ? ["SIGTERM", "SIGINT"] : ["SIGTERM"]).map((signal) =>
      t.test(`reading its variables: ${signal}`, async (t) => {
        const env = { RAISE: signal, RAISE_AT: "configuration" };
        const stage = await start(t, env);
        assert.deepEqual(await endOf(stage), { code: null, signal }, words(stage));
      }),
    );
    const bad = t.test("reading its variables: bad ones are all named", async (t) => {
      const stage = await start(t, { ...BAD, DATABASE_URL: "" });
      assert.deepEqual(await endOf(stage), { code: 1, signal: null }, words(stage));
      const named = [...stage.service.errors().matchAll(/^ {2}([A-Z_]+):/gm)].map(([, one]) => one);
      assert.deepEqual(named, ["DATABASE_URL", "MANAGEMENT_PORT", ...FAULTY[name]], words(stage));
      assert.doesNotMatch(stage.service.errors(), / at .*\.ts:/, "no stack");
      assert.deepEqual(stage.service.lines, []);
    });
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    t.after(() => taken.close());
    const { port } = taken.address() as AddressInfo;
    const failing = t.test("starting: its port is taken", async (t) => {
      const stage = await start(t, { [PORTS[name] ?? "MANAGEMENT_PORT"]: String(port) });
      await endsClosed(stage, { code: 1, line: { msg: "the service cannot go on: stopping" } });
    });
    await Promise.all([...endings, refused, ...stopping, ...reading, bad, failing]);
  });
