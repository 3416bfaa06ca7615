import { execFile } from "node:child_process";
import { copyFile, mkdir, readFile } from "node:fs/promises";
import { dirname, join, matchesGlob } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Copies the files that `COPY . .` would: tracked and untracked files that .dockerignore does not exclude. */
export async function copyImageContext(root: string, ignoreFile: string, to: string) {
  const isIgnored = readIgnoreRules(await readFile(ignoreFile, "utf8"));
  const { stdout } = await run(
    "git",
    ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    { cwd: root, maxBuffer: 16 * 1024 * 1024 },
  );
  const files = stdout.split("\0").filter((file) => file !== "" && !isIgnored(file));
  for (const file of files) {
    await mkdir(dirname(join(to, file)), { recursive: true });
    // A tracked file may be deleted in the work tree.
    await copyFile(join(root, file), join(to, file)).catch((error) => {
      if (error.code !== "ENOENT") throw error;
    });
  }
  return files;
}

/** Reads .dockerignore rules. The last rule that matches the path or a parent folder decides. */
export function readIgnoreRules(source: string): (path: string) => boolean {
  const rules = source
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => ({ ignored: !line.startsWith("!"), pattern: line.replace(/^!/, "") }));
  return (path) => {
    const parts = path.split("/");
    const above = parts.map((_, at) => parts.slice(0, at + 1).join("/"));
    let ignored = false;
    for (const rule of rules) {
      // Unlike Docker's, our `*` does not match names with a leading dot.
      const fits = (one: string) => rule.pattern === "*" || matchesGlob(one, rule.pattern);
      if (above.some(fits)) ignored = rule.ignored;
    }
    return ignored;
  };
}
