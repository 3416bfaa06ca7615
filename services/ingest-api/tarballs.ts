import { hash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

/** As `pnpm pack` names the file of a package of ours. */
const TARBALL = /^belfry-([a-z]+)-(\d+\.\d+\.\d+)\.tgz$/;

export interface Tarball {
  file: string;
  /** As `import` names it. */
  name: string;
  version: string;
  /** As lockfiles have it. */
  integrity: string;
  content: Buffer;
}

/**
 * The tarballs of a folder, by the form of their names: nothing else in it is ever read. A file is read again
 * when it has changed, so that one that is packed beside a running service is there. No folder is an empty one.
 */
export function createTarballs(folder: string) {
  const kept = new Map<string, Tarball & { changedAtMs: number }>();

  async function read(file: string): Promise<Tarball | undefined> {
    const [, short, version] = TARBALL.exec(file) ?? [];
    if (short === undefined || version === undefined) return undefined;
    const path = join(folder, file);
    const { mtimeMs: changedAtMs } = await stat(path);
    const known = kept.get(file);
    if (known?.changedAtMs === changedAtMs) return known;
    const content = await readFile(path);
    const integrity = `sha512-${hash("sha512", content, "base64")}`;
    const tarball = { file, name: `@belfry/${short}`, version, integrity, content, changedAtMs };
    kept.set(file, tarball);
    return tarball;
  }

  const get = (file: string) =>
    read(file).catch((error) => {
      kept.delete(file);
      if (error.code === "ENOENT") return undefined;
      throw error;
    });

  return {
    /** Undefined: it is no package's name, or not there. */
    get,
    /** By name. */
    async all(): Promise<Tarball[]> {
      const files = await readdir(folder).catch((error) => {
        if (error.code === "ENOENT") return [];
        throw error;
      });
      const found = await Promise.all(files.sort().map(get));
      return found.filter((one) => one !== undefined);
    },
  };
}
