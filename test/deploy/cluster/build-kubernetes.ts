import { execFile } from "node:child_process";
import {
  access,
  copyFile,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const CACHE = join(homedir(), ".cache/belfry-tests");
const PROGRAMS = ["kube-apiserver", "kube-controller-manager", "kubectl"];

/**
 * Returns the folder with kube-apiserver, kube-controller-manager and kubectl of a version such as `1.36.3`. Go builds
 * them the first time, in some minutes, into the cache of all checkouts.
 */
export async function builtKubernetes(version: string): Promise<string> {
  const folder = join(CACHE, `kubernetes-${version}`);
  const isBuilt = await access(join(folder, "kubectl")).then(
    () => true,
    () => false,
  );
  if (isBuilt) return folder;
  await mkdir(CACHE, { recursive: true });
  const building = await mkdtemp(join(CACHE, "building-"));
  try {
    process.stderr.write(`building Kubernetes ${version}: takes some minutes, once\n`);
    await writeFile(join(building, "go.mod"), await goModule(version));
    await copyFile(join(import.meta.dirname, "kubernetes.go"), join(building, "main.go"));
    const go = (...args: string[]) =>
      run("go", args, {
        cwd: building,
        // biome-ignore lint/style/noProcessEnv: Go needs the PATH, its caches and its proxy
        env: { ...process.env, CGO_ENABLED: "0" },
        maxBuffer: 64 * 1024 * 1024,
      });
    await go("mod", "tidy");
    const programs = join(building, "programs");
    await go("build", "-trimpath", "-ldflags", "-s -w", "-o", join(programs, "kubernetes"), ".");
    for (const name of PROGRAMS) await symlink("kubernetes", join(programs, name));
    // Another run may build at the same time. Each moves a complete folder into place, and the first one stays.
    await rename(programs, folder).catch(() => access(join(folder, "kubectl")));
  } finally {
    await rm(building, { recursive: true, force: true });
  }
  return folder;
}

/** Kubernetes' own go.mod takes its libraries from folders of its repository. Their releases have the number 0.x. */
async function goModule(version: string): Promise<string> {
  const kubernetes = await goModuleFolder(`k8s.io/kubernetes@v${version}`);
  const file = await readFile(join(kubernetes, "go.mod"), "utf8");
  const libraries = [...file.matchAll(/(k8s\.io\/[\w-]+) => \.\/staging/g)].map(
    ([, name]) => `replace ${name} => ${name} v${version.replace(/^1/, "0")}`,
  );
  const [go = ""] = /^go .*$/m.exec(file) ?? [];
  const [defaults = ""] = /^godebug .*$/m.exec(file) ?? [];
  const required = `require k8s.io/kubernetes v${version}`;
  return ["module kubernetes", go, defaults, required, ...libraries, ""].join("\n");
}

/** The folder of a Go module's files, such as `k8s.io/kubernetes@v1.36.3`; Go downloads it if needed. */
export async function goModuleFolder(module: string): Promise<string> {
  const { stdout } = await run("go", ["mod", "download", "-json", module]);
  return JSON.parse(stdout).Dir;
}
