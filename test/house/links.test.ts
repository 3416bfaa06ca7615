import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { test } from "node:test";

const ROOT = resolve(import.meta.dirname, "../..");

test("every link of every document leads to a file and to one of its headings", () => {
  const documents = globSync("{,docs/**/,examples/,deploy/**/,.github/**/}*.md", {
    cwd: ROOT,
    exclude: (path) => path.includes("node_modules"),
  });
  assert.ok(documents.includes("README.md") && documents.includes("docs/decisions/README.md"));
  const faults: string[] = [];
  for (const document of documents) {
    const prose = withoutCode(readFileSync(resolve(ROOT, document), "utf8"));
    for (const [, target = "", anchor] of prose.matchAll(/\]\(([^)#]*)(?:#([^)]*))?\)/g)) {
      if (target.startsWith("https://")) continue;
      const file = target === "" ? document : join(dirname(document), target);
      const path = resolve(ROOT, file);
      if (!existsSync(path)) faults.push(`${document}: ${target}`);
      else if (anchor !== undefined && !anchorsOf(path).includes(anchor)) {
        faults.push(`${document}: ${target}#${anchor}`);
      }
    }
  }
  assert.deepEqual(faults, []);
});

/** As GitHub makes them of headings. */
function anchorsOf(path: string): string[] {
  const text = readFileSync(path, "utf8").replace(/^```[\s\S]*?^```/gm, "");
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

function withoutCode(text: string): string {
  return text.replace(/```[\s\S]*?```|`[^`\n]*`/g, "");
}
