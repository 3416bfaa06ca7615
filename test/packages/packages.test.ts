import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, test } from "node:test";
import { temporaryFolder } from "@belfry/testing/temporary-folder";
import { wholeFile } from "@belfry/testing/whole-file";
import { publint } from "publint";
import { readDockerfile } from "../deploy/dockerfile.ts";
import { copyImageContext } from "../deploy/image-tree.ts";
import { startIngest } from "../fuzz/start-ingest.ts";
import { frameworkTests } from "./framework-tests.ts";
import { hookTests } from "./hook-tests.ts";
import { installAll, PACK, PACKAGES, packAll, ROOT, run, toldOf } from "./packed.ts";
import { pageTest } from "./page-test.ts";
import { runTests } from "./run-tests.ts";
import { typeTests } from "./type-tests.ts";

/** `@belfry/client` and `@belfry/inbox` as others get them: packed, served, installed elsewhere, used from there. */

const cleanup = wholeFile();
const folder = await temporaryFolder(cleanup, "packages");
const project = () => join(folder, "project");
const ofPackage = (name: string, file: string) =>
  readFile(join(project(), "node_modules/@belfry", name, file), "utf8");

await mkdir(project());
const { packed, lines } = await packAll(folder);
const ingest = await startIngest(cleanup, { PACKAGES_FOLDER: folder });
const address = (path: string) => `${ingest.url}/packages/${basename(path)}`;
await installAll(project(), { client: address(packed.client), inbox: address(packed.inbox) });

describe("what is in them", () => {
  for (const name of PACKAGES) {
    test(`${name}: the license, a readme, JavaScript and types; nothing of this checkout`, async () => {
      const { out } = await run("tar", ["-tzf", packed[name]], folder);
      const files = out.trim().split("\n");
      for (const file of files) {
        assert.match(
          file,
          /^package\/(LICENSE|README\.md|package\.json|dist\/(esm|cjs)\/[\w.-]+)$/,
        );
        assert.doesNotMatch(file, /(?<!\.d)\.ts$/);
      }
      assert.equal(await ofPackage(name, "LICENSE"), await readFile(join(ROOT, "LICENSE"), "utf8"));
      assert.match(await ofPackage(name, "README.md"), new RegExp(`^# @belfry/${name}\n`));
      for (const file of files.filter((one) => one.includes("/dist/"))) {
        const text = await ofPackage(name, file.slice("package/".length));
        assert.doesNotMatch(text, /(from|import|require)\W{1,2}@belfry\//, file);
        // The other import paths are tried below: by running and by compiling.
        if (file.endsWith(".d.ts")) assert.doesNotMatch(text, /["']\.[^"']*\.ts["']/, file);
      }
    });

    test(`${name}: what it depends on is published, in one version`, async () => {
      const manifest = JSON.parse(await ofPackage(name, "package.json"));
      const { dependencies = {}, license, private: isPrivate, repository } = manifest;
      assert.deepEqual(Object.keys(dependencies), name === "inbox" ? ["centrifuge"] : []);
      for (const version of Object.values(dependencies))
        assert.match(`${version}`, /^\d+\.\d+\.\d+$/);
      assert.deepEqual([license, isPrivate, repository], ["Apache-2.0", undefined, undefined]);
      for (const kind of ["optionalDependencies", "bundleDependencies"]) {
        assert.equal(manifest[kind], undefined);
      }
      // An installation asks for none of these.
      const { peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
      const optional = { react: { optional: true }, vue: { optional: true } };
      assert.deepEqual(peerDependenciesMeta, name === "inbox" ? optional : {});
      assert.deepEqual(Object.keys(peerDependencies), Object.keys(peerDependenciesMeta));
    });

    test(`${name}: publint and attw find nothing`, async () => {
      const { buffer } = await readFile(packed[name]).then((file) => new Uint8Array(file));
      assert.deepEqual((await publint({ pack: { tarball: buffer }, strict: true })).messages, []);
      // Not node10, which knows no exports: TypeScript before 4.7.
      const attw = join(ROOT, "test/node_modules/.bin/attw");
      await run(attw, ["--profile", "node16", "--no-emoji", packed[name]], folder);
    });
  }

  test("each is told with the integrity that a lockfile has; the image has the same bytes", async () => {
    const lock = await readFile(join(project(), "pnpm-lock.yaml"), "utf8");
    for (const line of lines) {
      const [integrity = "", path = ""] = line.split("  ");
      assert.match(path, /\/belfry-(client|inbox)-\d+\.\d+\.\d+\.tgz$/);
      assert.ok(lock.includes(integrity), line);
    }
    const again = await packAsImage(join(folder, "image"));
    const integrities = (all: string[]) => all.map((line) => line.split("  ")[0]);
    assert.deepEqual(integrities(again), integrities(lines));
    assert.equal(lines.length, PACKAGES.length);
  });

  test("a running Belfry lists and serves them, and nothing else of their folder", async () => {
    await writeFile(join(folder, "belfry-secret.tgz"), "no package's name");
    const ask = (path: string) => fetch(`${ingest.url}/packages${path}`);
    const expected = await Promise.all(
      PACKAGES.map(async (name) => ({
        name: `@belfry/${name}`,
        version: JSON.parse(await ofPackage(name, "package.json")).version,
        path: `/packages/${basename(packed[name])}`,
        bytes: (await readFile(packed[name])).length,
        integrity: lines.find((line) => line.endsWith(packed[name]))?.split("  ")[0],
      })),
    );
    assert.deepEqual(await (await ask("")).json(), { packages: expected });
    for (const name of PACKAGES) {
      const answer = await ask(`/${basename(packed[name])}`);
      assert.equal(answer.headers.get("cache-control"), "public, max-age=300");
      assert.equal(answer.headers.get("content-type"), "application/gzip");
      assert.deepEqual(Buffer.from(await answer.arrayBuffer()), await readFile(packed[name]));
    }
    for (const path of [
      ...["/belfry-client-9.9.9.tgz", "/belfry-secret.tgz", "/..%2Fpackage.json", "/%00"],
      `/${basename(packed.client)}%00`,
    ]) {
      const answer = await ask(path);
      const { statusCode, error, message } = (await answer.json()) as Record<string, unknown>;
      assert.deepEqual(
        [answer.status, statusCode, error, message],
        [404, 404, "Not Found", "There is no such package here: see /packages"],
        path,
      );
    }
    assert.deepEqual(ingest.faults(), []);
  });

  test("the quick start names the command and the files that it makes", async () => {
    const text = await readFile(join(ROOT, "docs/quick-start.md"), "utf8");
    assert.match(text, new RegExp(`^${PACK}$`, "m"));
    for (const name of PACKAGES) {
      const named = [...text.matchAll(new RegExp(`belfry-${name}-[\\w.]+?\\.tgz`, "g"))];
      assert.deepEqual([...new Set(named.map(String))], [basename(packed[name])]);
    }
  });

  test("packing leaves nothing in the checkout", async () => {
    for (const name of PACKAGES) {
      const left = await readdir(join(ROOT, "packages", name));
      assert.deepEqual(
        left.filter((one) => one === "dist" || one.endsWith(".tgz")),
        [],
      );
    }
  });
});

describe("where they run", () => {
  runTests(() => ({ folder, project: project(), url: ingest.url }));
  pageTest(project);
  frameworkTests(project);
  hookTests(project);
});
describe("what TypeScript says", () => typeTests(project));

/** What the stage of the Dockerfile runs that packs, in what reaches it; the lines that it writes. */
async function packAsImage(place: string): Promise<string[]> {
  const dockerfile = join(ROOT, "deploy/docker/Dockerfile");
  const stage = (await readDockerfile(dockerfile)).find(({ name }) => name === "packages");
  const command = stage?.instructions.find(({ name }) => name === "RUN")?.text ?? "";
  await copyImageContext(ROOT, `${dockerfile}.dockerignore`, place);
  const here = command
    .replace(/--mount=\S+ /g, "")
    .replace(/--store-dir \S+ --package-import-method copy/, "--prefer-offline")
    .replace("/tarballs", join(place, "tarballs"));
  const { out } = await run("sh", ["-euc", here], place);
  return toldOf(out).lines;
}
