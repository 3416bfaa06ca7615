import assert from "node:assert/strict";
import { test } from "node:test";
import { SCHEMA } from "../src/schema-files.ts";

test("a comment on a function names only arguments that the function has", () => {
  for (const { name, text } of SCHEMA.functions) {
    // A comment stands before its function, or within it.
    for (const part of text.split(/(?<=^\$function\$;$)/m)) {
      const code = part.replace(/--.*$/gm, "");
      const known = new Set(code.match(/\bp_\w+/g));
      const said = part.match(/--.*$/gm)?.flatMap((comment) => comment.match(/\bp_\w+/g) ?? []);
      assert.deepEqual(said?.filter((argument) => !known.has(argument)) ?? [], [], name);
    }
  }
});
