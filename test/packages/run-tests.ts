import assert from "node:assert/strict";
import { access, constants, mkdir, readFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { test } from "node:test";
import { type RecordedRequest, startRecordingServer } from "@belfry/testing/recording-server";
import { blocksOf } from "../docs/markdown.ts";
import { pathBehind, ROOT, run, runAnyhow, write } from "./packed.ts";

interface Place {
  folder: string;
  /** The folder in which both packages are installed. */
  project: string;
  /** The base URL of a running Belfry that serves the packages. */
  url: string;
}

const VERSIONS = ["20", "24"];
const REFUSED = `
const { BelfryError, createClient, createManagementClient } = require("@belfry/client");
const options = { baseUrl: process.env.BELFRY_URL, apiKey: "wrong", retries: 0 };
const told = (error) =>
  console.log(error instanceof BelfryError, error.name, error.status, process.versions.node);
createClient(options).event("refused").catch(told)
  .then(() => createManagementClient(options).call("digestShow", { id: "refused" })).catch(told);
`;
const SERVER_SIDE = `
import { BelfryInbox, InboxFeed } from "@belfry/inbox";
import { InboxFeed as Alone } from "@belfry/inbox/inbox-feed";
console.log(typeof BelfryInbox, InboxFeed === Alone, new Alone({ wsUrl: "", getToken: async () => null }).unread);
`;
const REQUIRED = `
const { BelfryInbox, InboxFeed } = require("@belfry/inbox");
const { InboxFeed: Alone } = require("@belfry/inbox/inbox-feed");
console.log(typeof BelfryInbox, InboxFeed === Alone, new Alone({ wsUrl: "", getToken: async () => null }).unread);
`;

export function runTests(place: () => Place): void {
  for (const version of VERSIONS) {
    test(`Node ${version}: the quick start's line installs the client from Belfry into an empty folder, and its program runs`, async (t) => {
      const { folder, url } = place();
      const node = await nodeOf(version, folder);
      if (node === undefined) return t.skip(NO_NODE_20);
      const home = join(folder, `empty-${version}`);
      const sample = await readFile(join(ROOT, "examples/client.mjs"), "utf8");
      await write(home, { "package.json": "{}", "client.mjs": sample, "refused.cjs": REFUSED });
      const startedAt = performance.now();
      await run("bash", ["-euc", installLine()], home, {
        // npm runs with this Node and checks `engines` against it.
        PATH: pathBehind(dirname(node)),
        BELFRY_URL: url,
        ...ALONE,
        npm_config_cache: join(home, ".npm"),
      });
      t.diagnostic(`installed in ${Math.round(performance.now() - startedAt)} ms`);
      const lock = await readFile(join(home, "package-lock.json"), "utf8");
      const listed = (await (await fetch(`${url}/packages`)).json()) as { packages: unknown[] };
      const { integrity } = JSON.parse(lock).packages["node_modules/@belfry/client"];
      assert.partialDeepStrictEqual(listed.packages, [{ name: "@belfry/client", integrity }]);

      const server = await startRecordingServer(t);
      server.answer = answer;
      const env = { BELFRY_URL: server.url, BELFRY_API_KEY: "key", BELFRY_TENANT_ID: "acme" };
      const { out } = await run(node, ["client.mjs"], home, env);
      assert.equal(out, "dispatched\nPaid\n");
      const asked = server.requests.map(({ method, path }) => `${method} ${path}`);
      assert.deepEqual(asked, [
        "POST /api/v1/events/trigger",
        "GET /api/v1/events/event-1",
        "GET /api/v1/notifications/acme/user-1?limit=5",
        "PUT /api/v1/notifications/acme/user-1/event-1/read",
      ]);
      const refused = await run(node, ["refused.cjs"], home, env);
      assert.match(refused.out, new RegExp(`^(true BelfryError 404 ${version}\\.\\S+\n){2}$`));
    });

    test(`Node ${version}: a server that draws pages can import and require the inbox`, async (t) => {
      const { folder, project } = place();
      const node = await nodeOf(version, folder);
      if (node === undefined) return t.skip(NO_NODE_20);
      const home = join(project, `server-${version}`);
      await write(home, { "imported.mjs": SERVER_SIDE, "required.cjs": REQUIRED });
      for (const program of ["imported.mjs", "required.cjs"]) {
        assert.equal((await run(node, [program], home)).out, "function true 0\n");
      }
    });
  }
}

/** npm may download only from Belfry. */
const ALONE = {
  npm_config_registry: "http://127.0.0.1:9/",
  npm_config_noproxy: "127.0.0.1",
  npm_config_engine_strict: "true",
  npm_config_audit: "false",
  npm_config_fund: "false",
};

/** The text as in the document. */
function installLine(): string {
  const line = blocksOf("quick-start.md").find(({ text }) => text.startsWith("npm install"));
  assert.ok(line);
  return line.text;
}

const NO_NODE_20 = "no Node 20 on this machine, and the registry gives none";
let node20: Promise<string | undefined> | undefined;

async function nodeOf(version: string, folder: string): Promise<string | undefined> {
  if (version !== "20") return process.execPath;
  node20 ??= findNode20(folder);
  return await node20;
}

function answer({ method, path }: RecordedRequest) {
  if (path.includes("refused")) return { status: 404, body: { error: "Not Found", message: "no" } };
  if (method === "POST") return { headers: { "x-event-id": "event-1" }, body: { message: "ok" } };
  if (path.includes("/events/")) return { body: { status: "dispatched" } };
  return { body: { data: [{ id: "event-1", title: "Paid", status: "UNREAD" }] } };
}

/** Installed from the registry (42 MB, into the test's folder) if the PATH has no Node 20. */
const NODE_20 = "20.20.2";

/**
 * A Node 20, the oldest that the packages promise to run on: one on the PATH, else the one of the npm registry.
 * Undefined where there is neither; `folder` must be the test's own.
 */
export async function findNode20(folder: string): Promise<string | undefined> {
  // biome-ignore lint/style/noProcessEnv: the programs of this machine
  for (const place of (process.env.PATH ?? "").split(delimiter)) {
    const command = join(place, "node");
    if ((await isProgram(command)) && (await majorOf(command)) === "20") return command;
  }
  const name = `node-${process.platform}-${process.arch}`;
  const home = join(folder, "node-20");
  await mkdir(home);
  const args = ["install", "--prefix", home, "--cache", join(folder, "npm"), `${name}@${NODE_20}`];
  await runAnyhow("npm", [...args, "--no-audit", "--no-fund"], home);
  const command = join(home, "node_modules", name, "bin/node");
  return (await isProgram(command)) ? command : undefined;
}

async function majorOf(command: string): Promise<string> {
  const { out } = await runAnyhow(command, ["-p", "process.versions.node"], "/");
  return out.split(".")[0] ?? "";
}

async function isProgram(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
