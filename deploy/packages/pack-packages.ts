import { execFile } from "node:child_process";
import { hash } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

/**
 * `npx --yes pnpm@12 packages [folder]` packs into tarballs the packages that tenants install. For each tarball it
 * prints its integrity hash, as in lockfiles, and its path. The same checkout always gives the same bytes. By default
 * the tarballs are stored in the folder that ingest-api serves.
 */

const ROOT = join(import.meta.dirname, "../..");
const SERVED = join(ROOT, "services/ingest-api/tarballs");
const NAMES = ["client", "inbox"];

const folder = resolve(process.argv[2] ?? SERVED);
await mkdir(folder, { recursive: true });
const filters = NAMES.flatMap((name) => ["--filter", `@belfry/${name}`]);
const pack = ["--yes", "pnpm@12", ...filters, "pack", "--pack-destination", folder];
await promisify(execFile)("npx", pack, { cwd: ROOT });
for (const name of NAMES) {
  const manifest = await readFile(join(ROOT, "packages", name, "package.json"), "utf8");
  const path = join(folder, `belfry-${name}-${JSON.parse(manifest).version}.tgz`);
  process.stdout.write(`sha512-${hash("sha512", await readFile(path), "base64")}  ${path}\n`);
}
