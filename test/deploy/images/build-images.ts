import { execFile } from "node:child_process";
import {
  copyFile,
  cp,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { findExecutable } from "@belfry/local/servers/nats-server";
import type { Cleanup } from "@belfry/testing/cleanup";
import { readDockerfile } from "../dockerfile.ts";
import { SERVICE_VARIABLES } from "../service-variables.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const DOCKERFILE = join(ROOT, "deploy/docker/Dockerfile");
const CERTIFICATES = "/etc/ssl/certs";
/** What Debian's slim images leave out, too. */
const SLIM = ["man", "locale", "info", "doc"].map((one) => `path-exclude=/usr/share/${one}/*`);

/** Every image of the Dockerfile with the folder of its `main.ts`. */
export const IMAGES: Record<string, string> = {
  ...Object.fromEntries(Object.keys(SERVICE_VARIABLES).map((name) => [name, `services/${name}`])),
  cli: "packages/cli",
};

export interface BuiltImage {
  name: string;
  /** Its files, mounted. */
  root: string;
  /** What `buildah inspect` says of it. */
  config: { User?: string; Env: string[]; Entrypoint: string[]; WorkingDir: string };
  /** The digests of its layers, the lowest first. */
  layers: string[];
}

/** Builds images without a daemon and without a registry: buildah, with a storage of its own. */
export async function startBuilder(t: Cleanup) {
  // Gigabytes: not in a temporary folder that may be memory.
  const directory = await mkdtemp("/var/tmp/belfry-images-");
  const storage = join(directory, "storage.conf");
  const temporary = join(directory, "tmp");
  const env = {
    // biome-ignore lint/style/noProcessEnv: the tools need the PATH, and proxies if there are any
    ...process.env,
    CONTAINERS_STORAGE_CONF: storage,
    TMPDIR: temporary,
    BUILDAH_ISOLATION: "chroot",
  };
  const command = async (file: string, ...args: string[]) => {
    const options = { env, cwd: ROOT, maxBuffer: 64 * 1024 * 1024 };
    const { stdout } = await promisify(execFile)(file, args, options);
    return stdout.trim();
  };
  t.after(async () => {
    await command("buildah", "umount", "--all");
    await command("buildah", "rm", "--all");
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  });
  const driver = (await readFile("/proc/filesystems", "utf8")).includes("overlay")
    ? "overlay"
    : "vfs";
  const folders = `graphroot = "${directory}/graph"\nrunroot = "${directory}/run"\n`;
  await writeFile(storage, `[storage]\ndriver = "${driver}"\n${folders}`);
  await shareCaches(join(temporary, "buildah-cache"));
  const npmrc = join(directory, "npmrc");
  await writeFile(npmrc, `cafile=${CERTIFICATES}/ca-certificates.crt\nprefer-offline=true\n`);

  return {
    directory,
    /** A Debian with the Node of this workspace and this machine's npm, in place of the image that the Dockerfile names. */
    async buildBase(): Promise<string> {
      const [stage] = await readDockerfile(DOCKERFILE);
      const release = /-(\w+)-slim@/.exec(stage?.from ?? "")?.[1] ?? "";
      const archive = join(directory, "debian.tar");
      await command(
        ...(["mmdebstrap", "--mode=root", "--variant=apt", "--include=usr-is-merged"] as const),
        "--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr",
        // It is removed after the test: nothing need be safe from a power failure.
        "--dpkgopt=force-unsafe-io",
        ...SLIM.map((one) => `--dpkgopt=${one}`),
        "--dpkgopt=path-include=/usr/share/doc/*/copyright",
        ...[release, archive],
      );
      const container = await command("buildah", "from", "scratch");
      const root = await command("buildah", "mount", container);
      await command("tar", "xf", archive, "-C", root);
      const local = join(root, "usr/local");
      await copyFile(process.execPath, join(local, "bin/node"));
      const npm = dirname(dirname(await realpath((await findExecutable("npm"))!)));
      await cp(npm, join(local, "lib/node_modules/npm"), { recursive: true });
      for (const one of ["npm", "npx"]) {
        const target = `../lib/node_modules/npm/bin/${one}-cli.js`;
        await command("ln", "-s", target, join(local, "bin", one));
      }
      const path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
      await command("buildah", "config", "--env", path, container);
      await command("buildah", "umount", container);
      await command("buildah", "commit", "--quiet", "--rm", container, "localhost/base:test");
      await rm(archive);
      return "localhost/base:test";
    },
    async buildImage(name: string, base: string): Promise<BuiltImage> {
      const tag = `localhost/belfry/${name}:test`;
      await command(
        ...(["buildah", "build", "--quiet", "--layers", "--pull-never"] as const),
        ...["--file", DOCKERFILE, "--ignorefile", `${DOCKERFILE}.dockerignore`],
        ...["--build-arg", `BASE=${base}`, "--build-arg", `SERVICE=${name}`],
        ...["--build-arg", `FOLDER=${IMAGES[name]}`],
        // The registry's certificate may be one of this machine's own authority.
        ...[
          "--volume",
          `${npmrc}:/root/.npmrc:ro`,
          "--volume",
          `${CERTIFICATES}:${CERTIFICATES}:ro`,
        ],
        ...["--tag", tag, ROOT],
      );
      const { OCIv1 } = JSON.parse(await command("buildah", "inspect", "--type", "image", tag));
      const container = await command("buildah", "from", "--pull-never", tag);
      const root = await command("buildah", "mount", container);
      return { name, root, config: OCIv1.config, layers: OCIv1.rootfs.diff_ids };
    },
  };
}

/**
 * The Dockerfile's cache mounts are the caches of this machine's package managers, so that nothing is fetched again.
 * Several processes may use them at a time.
 */
async function shareCaches(folder: string): Promise<void> {
  const store = await promisify(execFile)("npx", ["--yes", "pnpm@12", "store", "path"], {
    cwd: ROOT,
  });
  const caches = {
    "belfry-pnpm": dirname(store.stdout.trim()),
    "belfry-npm": join(homedir(), ".npm"),
  };
  await mkdir(folder, { recursive: true });
  for (const [id, cache] of Object.entries(caches)) {
    await mkdir(cache, { recursive: true });
    await symlink(cache, join(folder, id));
  }
}
