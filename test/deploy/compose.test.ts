import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { findNatsServer, NATS_VERSION } from "@belfry/local/servers/nats-server";
import { temporaryFolder } from "@belfry/testing/temporary-folder";
import { parse } from "yaml";
import { SERVICE_VARIABLES, variableFaults } from "./service-variables.ts";

const run = promisify(execFile);
const DEPLOY = resolve(import.meta.dirname, "../../deploy");

interface Service {
  image: string;
  environment?: Record<string, string>;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  stop_grace_period?: string;
  healthcheck?: object;
  ports?: string[];
  volumes?: string[];
  depends_on?: Record<string, { condition: string }>;
}

interface ComposeFile {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
}

const readCompose = async (name: string) =>
  parse(await readFile(join(DEPLOY, name), "utf8"), { merge: true }) as ComposeFile;
const file = await readCompose("compose.yaml");
const cluster = await readCompose("compose.cluster.yaml");
/** The variables that have a value that anybody may keep. */
const HAVE_A_VALUE = ["BELFRY_HOST", "BELFRY_IMAGES", "BELFRY_VERSION"];
const OURS = /^\$\{BELFRY_IMAGES:\?\}\/([a-z-]+):\$\{BELFRY_VERSION:\?\}$/;
const example = Object.fromEntries(
  (await readFile(join(DEPLOY, ".env.example"), "utf8"))
    .split("\n")
    .filter((line) => /^\w+=/.test(line))
    .map((line) => [line.split("=")[0]!, line.slice(line.indexOf("=") + 1)]),
);

test("every service runs on one host with the variables it needs, and no others", () => {
  for (const name of Object.keys(SERVICE_VARIABLES)) {
    const service = file.services[name];
    assert.ok(service, name);
    const { properties } = SERVICE_VARIABLES[name]!.schema;
    const env = Object.entries(service.environment ?? {}).map(([variable, value]) => {
      // What may be left out is empty.
      const isReference = /\$\{\w+:[?-]\}/.test(value);
      if (properties[variable]?.secret) assert.ok(isReference, `${variable} is in the open`);
      const filled = value
        .replaceAll(/\$\{(\w+):\?\}/g, (_, one) => example[one] || "x")
        .replaceAll(/\$\{\w+:-\}/g, "");
      return [variable, properties[variable]?.secret ? undefined : filled];
    });
    assert.deepEqual(variableFaults(name, Object.fromEntries(env)), []);
    const graceSeconds = Number.parseInt(service.stop_grace_period ?? "", 10);
    const shutdownMs =
      Number(service.environment?.SHUTDOWN_DELAY_MS) +
      Number(service.environment?.SHUTDOWN_GRACE_MS);
    assert.ok(graceSeconds * 1000 > shutdownMs + 2000, name);
    assert.ok(service.healthcheck, name);
    assert.equal(service.depends_on?.migrate?.condition, "service_completed_successfully");
  }
});

test("our images are those of a registry and a version, run without rights, and are open to this host only", () => {
  for (const [name, service] of Object.entries(file.services)) {
    for (const port of service.ports ?? []) assert.match(port, /^127\.0\.0\.1:/, name);
    if (!OURS.test(service.image)) {
      assert.match(service.image, /:\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/, name);
      continue;
    }
    const image = name === "migrate" ? "cli" : name;
    assert.equal(OURS.exec(service.image)?.[1], image);
    assert.equal(service.read_only, true, name);
    assert.deepEqual(service.cap_drop, ["ALL"], name);
    assert.deepEqual(service.security_opt, ["no-new-privileges:true"], name);
  }
});

test("every variable that the files ask for is in the example, with no value that anybody could keep", async () => {
  const sources = ["compose.yaml", "compose.cluster.yaml"].map((name) =>
    readFile(join(DEPLOY, name), "utf8"),
  );
  const source = (await Promise.all(sources)).join("\n");
  const asked = new Set([...source.matchAll(/\$\{(\w+)/g)].map(([, name]) => name!));
  assert.deepEqual([...asked].sort(), Object.keys(example).sort());
  for (const [name, value] of Object.entries(example)) {
    assert.equal(value !== "", HAVE_A_VALUE.includes(name), name);
  }
});

test("NATS runs in the version that the tests take, with configurations that nats-server takes", async (t) => {
  for (const { image } of [file.services.nats!, ...natsOf(cluster)]) {
    assert.equal(image, file.services.nats!.image);
  }
  assert.match(file.services.nats!.image, new RegExp(`^nats:${NATS_VERSION}-alpine@`));
  const nats = await findNatsServer({ mayInstall: true, log: () => {} });
  const directory = await temporaryFolder(t, "nats-conf");
  const { stdout: version } = await run(nats, ["--version"]);
  const [, minor = ""] = /v2\.(\d+)/.exec(version) ?? [];
  for (const name of ["nats.conf", "nats-cluster.conf", "nats-account.conf"]) {
    const source = await readFile(join(DEPLOY, "docker", name), "utf8");
    // Debian 12 has 2.9, which does not know this one.
    const known = Number(minor) < 10 ? source.replace(/^ *sync_interval.*$/m, "") : source;
    const configuration = join(directory, name);
    await writeFile(configuration, known.replace("/data", join(directory, "data")));
    await run(nats, ["-t", "-c", configuration], {
      env: {
        NATS_PASSWORD: "secret",
        NATS_SYSTEM_PASSWORD: "secret",
        NATS_OTHER_PASSWORD: "secret",
        NATS_NAME: "nats",
      },
    });
  }
});

test("with three nats-servers every service knows all of them, and each has its own volume", () => {
  const servers = natsOf(cluster);
  const names = Object.keys(cluster.services).filter((name) => name.startsWith("nats"));
  assert.deepEqual(
    servers.map(({ environment }) => environment?.NATS_NAME),
    names,
  );
  assert.equal(new Set(servers.map(({ volumes }) => volumes?.at(-1))).size, 3);
  const addresses = names.map((name) => `nats://belfry:\${NATS_PASSWORD:?}@${name}:4222`);
  for (const name of Object.keys(SERVICE_VARIABLES)) {
    assert.deepEqual(
      cluster.services[name]?.environment,
      { NATS_URL: addresses.join(","), NATS_REPLICAS: "3" },
      name,
    );
  }
});

function natsOf({ services }: ComposeFile): Service[] {
  return Object.entries(services).flatMap(([name, service]) =>
    name.startsWith("nats") ? [service] : [],
  );
}
