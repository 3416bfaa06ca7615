import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_RENDER_WORK_CHARACTERS } from "./bounds.ts";
import { beginRendering } from "./rendering.ts";
import { createWriter, type Writer, type WriterOptions } from "./writer.ts";

/** A writer of a text that has no faults. */
function writerOf(template: string, options: Partial<WriterOptions>): Writer {
  const writer = createWriter(template, { ...plain, ...options });
  assert.ok(writer !== undefined);
  return writer;
}

const plain = {
  clean: (text: string) => text,
  measure: (text: string) => text.length,
  limit: 1_000,
};

test("a slot that writes nothing reads no more than the work allows, counted before it reads", () => {
  let read = 0;
  const writer = writerOf("{{x}}".repeat(10_000), {
    slots: (_, tags) =>
      tags.map(() => ({
        longest: 2_000,
        write: (value) => {
          read += value.length;
          return "";
        },
      })),
  });
  const rendering = beginRendering();
  const x = "a".repeat(2_000);
  assert.equal(writer({ x }, rendering), undefined);
  assert.ok(rendering.workLeft < 0);
  assert.ok(read + x.length <= MAX_RENDER_WORK_CHARACTERS, `${read}`);
  assert.ok(read + 2 * x.length > MAX_RENDER_WORK_CHARACTERS, `${read}`);
});

test("a value that a slot does not read costs nothing", () => {
  const writer = writerOf("{{x}}".repeat(10_000), {
    slots: (_, tags) => tags.map(() => ({ longest: 999, write: () => "" })),
  });
  const rendering = beginRendering();
  assert.equal(writer({ x: "a".repeat(1_000) }, rendering), "");
  assert.equal(rendering.workLeft, MAX_RENDER_WORK_CHARACTERS - 1_000);
});

test("an optional part is left out with everything in it when its first tag writes nothing", () => {
  const template = "a ({{x}}/{{y}}) b ({{y}}) {{x}}";
  const writer = writerOf(template, {
    optional: [
      { start: 1, end: 15 },
      { start: 17, end: 25 },
    ],
  });
  const write = (variables: Record<string, unknown>) => writer(variables, beginRendering());
  assert.equal(write({ x: "1", y: "2" }), "a (1/2) b (2) 1");
  assert.equal(write({ x: "", y: "2" }), "a b (2) ");
  assert.equal(write({ x: "1", y: "" }), "a (1/) b 1");
  assert.equal(write({}), "a b ");
});
