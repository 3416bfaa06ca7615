import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "@belfry/testing/temporary-folder";
import { PYTHON_CLIENT, STATICCHECK } from "../runner/needed-tools.ts";
import { isInstalled } from "./generate.ts";
import { GO_PACKAGE, missingLanguage, PYTHON_PACKAGE, run } from "./installed.ts";

const GENERATORS_PYTHON = join(dirname(PYTHON_CLIENT.places[0]!), "python");

test("the wheel of the client for Python holds the package, its types, and nothing else", async (t) => {
  const missing = await missingLanguage("Python");
  if (missing !== undefined) return t.skip(missing);
  const folder = await temporaryFolder(t, "wheel");
  await run("python3", ["-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, PYTHON_PACKAGE]);
  const [wheel = ""] = await readdir(folder);
  assert.equal(wheel, "belfry-0.1.0-py3-none-any.whl");
  const { out } = await run("python3", ["-m", "zipfile", "-l", join(folder, wheel)]);
  const files = out
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.split(" ")[0]!);
  assert.ok(files.includes("belfry/py.typed"));
  assert.ok(files.includes("belfry/tenant/client.py"));
  const others = files.filter((file) => !/^belfry(-0\.1\.0\.dist-info)?\//.test(file));
  assert.deepEqual(others, []);
  assert.deepEqual(
    files.filter((file) => /jinja|\/tests?\//.test(file)),
    [],
  );
});

test("mypy --strict finds nothing in the hand-written part of the client for Python", async (t) => {
  if (!(await isInstalled(GENERATORS_PYTHON))) return t.skip(`no ${GENERATORS_PYTHON}`);
  const cache = join(dirname(dirname(GENERATORS_PYTHON)), "mypy-cache");
  const settings = ["--config-file", join(PYTHON_PACKAGE, "pyproject.toml"), "--cache-dir", cache];
  const { out } = await run(
    GENERATORS_PYTHON,
    ["-m", "mypy", ...settings],
    join(PYTHON_PACKAGE, "src"),
  );
  assert.match(out, /^Success: no issues found in \d{3} source files/);
});

test("the module for Go holds no tests; go vet and gofmt find nothing", async (t) => {
  const missing = await missingLanguage("Go");
  if (missing !== undefined) return t.skip(missing);
  const files = await readdir(GO_PACKAGE, { recursive: true });
  assert.deepEqual(
    files.filter((file) => file.endsWith("_test.go")),
    [],
  );
  await run("go", ["vet", "./..."], GO_PACKAGE);
  assert.equal((await run("gofmt", ["-l", "."], GO_PACKAGE)).out, "");
});

test("staticcheck finds nothing in the client for Go", async (t) => {
  const missing = await missingLanguage("Go");
  if (missing !== undefined) return t.skip(missing);
  const [program = ""] = STATICCHECK.places;
  if (!(await isInstalled(program))) return t.skip(`no ${program}`);
  await run(program, ["./..."], GO_PACKAGE);
});
