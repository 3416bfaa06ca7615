import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { compileMarkup } from "./markup-compiler.ts";

const MJML =
  "<mjml><mj-body><mj-section><mj-column><mj-text>a</mj-text></mj-column></mj-section></mj-body></mjml>";

test("a document that takes too long ends as a fault, and the next one compiles", async () => {
  const slow = `<mjml><mj-body>${"<mj-section><mj-column><mj-text>a</mj-text></mj-column></mj-section>".repeat(2000)}</mj-body></mjml>`;
  assert.deepEqual(await compileMarkup("mjml", slow, 1), {
    ok: false,
    errors: [{ line: 1, message: "compiling took longer than 1 ms" }],
  });
  assert.equal((await compileMarkup("mjml", MJML)).ok, true);
});

test("documents asked for together are all answered, each with its own result", async () => {
  const results = await Promise.all(
    ["a", "b", "c"].map((text) => compileMarkup("html", `<p>${text}</p>`)),
  );
  assert.deepEqual(
    results.map((result) => result.ok && result.text),
    ["a", "b", "c"],
  );
});

test("the thread does not keep a process alive, and a process waits for a result", async () => {
  const module = new URL("./markup-compiler.ts", import.meta.url).href;
  const script = `const { compileMarkup } = await import(${JSON.stringify(module)});
    const result = await compileMarkup("html", "<p>a</p>"); process.stdout.write(result.text);`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "--eval", script],
    { timeout: 20_000 },
  );
  assert.equal(stdout, "a");
});
