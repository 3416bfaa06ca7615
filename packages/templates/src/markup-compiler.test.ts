import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { MAX_WAITING_COMPILES_OF_OWNER } from "./language/bounds.ts";
import { compileMarkup } from "./markup-compiler.ts";

const MJML =
  "<mjml><mj-body><mj-section><mj-column><mj-text>a</mj-text></mj-column></mj-section></mj-body></mjml>";

test("a document that takes too long ends as a fault, and the next one compiles", async () => {
  const slow = `<mjml><mj-body>${"<mj-section><mj-column><mj-text>a</mj-text></mj-column></mj-section>".repeat(2000)}</mj-body></mjml>`;
  assert.deepEqual(await compileMarkup({ owner: "acme", format: "mjml", content: slow }, 1), {
    ok: false,
    errors: [{ line: 1, message: "compiling took longer than 1 ms" }],
  });
  assert.equal((await compileMarkup({ owner: "acme", format: "mjml", content: MJML })).ok, true);
});

test("documents asked for together are all answered, each with its own result", async () => {
  const results = await Promise.all(
    ["a", "b", "c"].map((text) =>
      compileMarkup({ owner: "acme", format: "html", content: `<p>${text}</p>` }),
    ),
  );
  assert.deepEqual(
    results.map((result) => result.ok && result.text),
    ["a", "b", "c"],
  );
});

test("the thread does not keep a process alive, and a process waits for a result", async () => {
  const module = new URL("./markup-compiler.ts", import.meta.url).href;
  const script = `const { compileMarkup } = await import(${JSON.stringify(module)});
    const result = await compileMarkup({ owner: "acme", format: "html", content: "<p>a</p>" }); process.stdout.write(result.text);`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "--eval", script],
    { timeout: 20_000 },
  );
  assert.equal(stdout, "a");
});

const section = "<mj-section><mj-column><mj-text>a</mj-text></mj-column></mj-section>";
const LONG = `<mjml><mj-body>${section.repeat(250)}</mj-body></mjml>`;

test("owners take turns: a document does not wait for all that another owner has asked for", async () => {
  const ended: string[] = [];
  const compile = async (owner: string, name: string, content: string) => {
    assert.equal((await compileMarkup({ owner, format: "mjml", content })).ok, true);
    ended.push(name);
  };
  const names = ["a1", "a2", "a3", "a4"];
  await Promise.all([
    // These two hold the threads until all the others wait.
    compile("x", "x", LONG),
    compile("y", "y", LONG),
    ...names.map((name) => compile("a", name, LONG)),
    compile("b", "b", MJML),
  ]);
  assert.ok(ended.indexOf("b") < ended.indexOf("a4"), ended.join(" "));
});

test("an owner who has asked for too much is told so at once, and nobody else", async () => {
  const ask = (owner: string) => compileMarkup({ owner, format: "html", content: "<p>a</p>" });
  const asked = Array.from({ length: 1 + MAX_WAITING_COMPILES_OF_OWNER }, () => ask("a"));
  const [over, other] = await Promise.all([ask("a"), ask("b")]);
  assert.ok(!over.ok);
  assert.match(over.errors[0]?.message ?? "", /too many templates .* try again/);
  assert.equal(other.ok, true);
  assert.ok((await Promise.all(asked)).every((result) => result.ok));
});
