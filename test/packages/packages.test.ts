import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { publint } from "publint";
import { installAll, PACK, PACKAGES, type Packed, packAll, ROOT, run } from "./packed.ts";
import { pageTest } from "./page-test.ts";
import { runTests } from "./run-tests.ts";
import { typeTests } from "./type-tests.ts";

/** `@belfry/client` and `@belfry/inbox` as others get them: packed, installed elsewhere, used from there. */

let folder = "";
let packed: Packed;
let lines: string[];
const project = () => join(folder, "project");
const ofPackage = (name: string, file: string) =>
  readFile(join(project(), "node_modules/@belfry", name, file), "utf8");

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "belfry-packages-"));
  await mkdir(project());
  ({ packed, lines } = await packAll(folder));
  await installAll(project(), packed);
});
after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

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
      for (const kind of ["peerDependencies", "optionalDependencies", "bundleDependencies"]) {
        assert.equal(manifest[kind], undefined);
      }
    });

    test(`${name}: publint and attw find nothing`, async () => {
      const { buffer } = await readFile(packed[name]).then((file) => new Uint8Array(file));
      const { messages } = await publint({ pack: { tarball: buffer }, strict: true });
      assert.deepEqual(messages, []);
      // Not node10, which knows no exports: TypeScript before 4.7.
      const attw = join(ROOT, "test/node_modules/.bin/attw");
      await run(attw, ["--profile", "node16", "--no-emoji", packed[name]], folder);
    });
  }

  test("each is told with the integrity that a lockfile has; the same checkout gives the same bytes", async () => {
    const lock = await readFile(join(project(), "pnpm-lock.yaml"), "utf8");
    for (const line of lines) {
      const [integrity = "", path = ""] = line.split("  ");
      assert.match(path, /\/belfry-(client|inbox)-\d+\.\d+\.\d+\.tgz$/);
      assert.ok(lock.includes(integrity), line);
    }
    const again = await packAll(join(folder, "again"));
    const integrities = (all: string[]) => all.map((line) => line.split("  ")[0]);
    assert.deepEqual(integrities(again.lines), integrities(lines));
    assert.equal(lines.length, PACKAGES.length);
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
  runTests(() => ({ folder, packed, project: project() }));
  pageTest(project);
});
describe("what TypeScript says", () => typeTests(project));
