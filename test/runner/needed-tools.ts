import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, constants, glob } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";

/** A program that some tests need and no npm package brings. */
interface NeededTool {
  what: string;
  debianPackages: string[];
  /** In place of a package of Debian's: what `go install` builds, into the folder of the first of `places`. */
  goPackage?: string;
  /** In place of a package of Debian's: what pip installs, into a virtual environment that has the first of `places`. */
  pythonPackages?: string[];
  /** Globs of places outside the PATH where it may be. */
  command: string;
  places: string[];
  /** If this variable is set, the tests that need the program are left out. */
  withoutVariable?: string;
}

/** Chromium without windows renders the same pages with half the CPU time. Any Chromium works. */
const LIGHT_BROWSER = "chromium-headless-shell";

const HELM_VERSION = "v4.3.1";

/** Debian has no Helm. It is built once for all checkouts of this person. */
export const HELM = {
  goPackage: `helm.sh/helm/v4/cmd/helm@${HELM_VERSION}`,
  install: `go install helm.sh/helm/v4/cmd/helm@${HELM_VERSION}`,
  places: [join(homedir(), ".cache/belfry-tests", `helm-${HELM_VERSION}`, "helm")],
  withoutVariable: "BELFRY_WITHOUT_HELM",
};

/** The generators and checks of the clients for Python and Go, built once for all checkouts of this person. */
export const PYTHON_CLIENT = {
  // The newest version whose code runs on Python 3.9.
  pythonPackages: ["openapi-python-client==0.26.2", "mypy==1.18.2", "standardwebhooks==1.0.1"],
  // Another version on the PATH does not do.
  command: "openapi-python-client==0.26.2",
  places: [
    join(
      homedir(),
      ".cache/belfry-tests/python-client-0.26.2-mypy-1.18.2/bin/openapi-python-client",
    ),
  ],
  withoutVariable: "BELFRY_WITHOUT_PYTHON",
};
export const GO_CLIENT = goTool("github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2");
export const STATICCHECK = goTool("honnef.co/go/tools/cmd/staticcheck@v0.8.2");

function goTool(goPackage: string) {
  const [path = "", version] = goPackage.split("@");
  const command = path.split("/").at(-1)!;
  const place = join(homedir(), ".cache/belfry-tests", `${command}-${version}`, command);
  return {
    goPackage,
    command: `${command}@${version}`,
    places: [place],
    withoutVariable: "BELFRY_WITHOUT_GO",
  };
}

/** nats-server is missing here: `startNats` finds or installs it. */
const TOOLS: NeededTool[] = [
  {
    what: "the browser tests",
    debianPackages: ["chromium"],
    command: "chromium",
    places: [`/usr/bin/${LIGHT_BROWSER}`, "/usr/bin/chromium-browser", "/usr/bin/google-chrome"],
    withoutVariable: "BELFRY_WITHOUT_BROWSER",
  },
  {
    what: "the Kubernetes manifests",
    debianPackages: ["kubernetes-client"],
    command: "kubectl",
    places: [],
    withoutVariable: "BELFRY_WITHOUT_KUBECTL",
  },
  { what: "the Helm chart", debianPackages: [], command: "helm", ...HELM },
  { what: "the client for Python", debianPackages: [], ...PYTHON_CLIENT },
  { what: "the client for Go", debianPackages: [], ...GO_CLIENT },
  { what: "the checks of the client for Go", debianPackages: [], ...STATICCHECK },
  {
    what: "the alert rules",
    debianPackages: ["prometheus"],
    command: "promtool",
    places: [],
    withoutVariable: "BELFRY_WITHOUT_PROMTOOL",
  },
  {
    what: "the restore of a backup",
    debianPackages: ["postgresql"],
    // Part of the server package: a machine may have only the client with pg_dump.
    command: "initdb",
    places: ["/usr/lib/postgresql/*/bin/initdb"],
    withoutVariable: "BELFRY_WITHOUT_PG_DUMP",
  },
  {
    what: "PgBouncer",
    debianPackages: ["pgbouncer"],
    command: "pgbouncer",
    places: ["/usr/sbin/pgbouncer"],
    withoutVariable: "BELFRY_WITHOUT_PGBOUNCER",
  },
  { what: "TLS", debianPackages: ["openssl"], command: "openssl", places: [] },
  { what: "the curl lines", debianPackages: ["curl"], command: "curl", places: [] },
  {
    what: "the PHP sample",
    debianPackages: ["php-cli", "php-curl"],
    command: "php",
    places: [],
  },
];

/** The programs of `test:chart`, which also needs Go to build Kubernetes. */
export const CLUSTER_TOOLS: NeededTool[] = [
  {
    what: "the API server",
    debianPackages: ["etcd-server"],
    command: "etcd",
    places: [],
  },
  ...TOOLS.filter(({ command }) => command === "helm" || command === "openssl"),
];

/** The programs of `test:images`, which alone needs them: buildah needs no daemon, mmdebstrap no registry of images. */
export const IMAGE_TOOLS: NeededTool[] = ["mmdebstrap", "buildah", "runc"].map((command) => ({
  what: "the images",
  debianPackages: [command],
  command,
  places: [`/usr/sbin/${command}`],
}));

/**
 * Installs missing programs where possible (Debian, as root or by sudo without a password). Prints which tests cannot
 * run without the rest and returns the environment variables that leave these tests out.
 */
export async function neededTools(
  env: Record<string, string | undefined>,
  tools: readonly NeededTool[] = TOOLS,
) {
  // Side by side: the one waits for the network, the other for the compiler.
  await Promise.all([
    installFromDebian(env, tools),
    buildGoPackages(env, tools),
    installPythonPackages(env, tools),
  ]);
  const missing = await missingTools(env, tools);
  const left: Record<string, string> = {};
  for (const { what, debianPackages, goPackage, pythonPackages, withoutVariable } of missing) {
    const packages = [...debianPackages, goPackage ?? [], pythonPackages ?? []].flat().join(", ");
    process.stderr.write(`NOT RUN: ${what} (no ${packages} on this machine)\n`);
    if (withoutVariable !== undefined) left[withoutVariable] = "1";
  }
  return left;
}

async function installFromDebian(
  env: Record<string, string | undefined>,
  tools: readonly NeededTool[],
): Promise<void> {
  const install = installer(await isOnPath("apt-get", env), await isOnPath("sudo", env));
  if (install === undefined) return;
  const wantsBrowser = tools === TOOLS && !env.BELFRY_WITHOUT_BROWSER;
  if (wantsBrowser && !(await isOnPath(LIGHT_BROWSER, env))) {
    await installPackages(install, [LIGHT_BROWSER]);
  }
  const missing = await missingTools(env, tools);
  const packages = missing.flatMap((tool) => tool.debianPackages);
  if (packages.length > 0) await installPackages(install, packages);
}

async function installPackages(install: string[], packages: string[]): Promise<void> {
  process.stderr.write(`installing for the tests: ${packages.join(", ")}\n`);
  for (const args of [
    ["update", "-qq"],
    ["install", "-y", "-qq", "--no-install-recommends", ...packages],
  ]) {
    // Fail fast without a network.
    const soon = ["-o", "Acquire::http::Timeout=20", "-o", "Acquire::Retries=1"];
    if (!(await succeeds([...install, "apt-get", ...soon, ...args]))) return;
  }
}

async function buildGoPackages(
  env: Record<string, string | undefined>,
  tools: readonly NeededTool[],
): Promise<void> {
  if (!(await isOnPath("go", env))) return;
  for (const { goPackage, places } of await missingTools(env, tools)) {
    if (goPackage === undefined) continue;
    process.stderr.write(`building for the tests: ${goPackage}\n`);
    const folder = `GOBIN=${dirname(places[0]!)}`;
    await succeeds(["env", folder, "go", "install", goPackage]);
  }
}

async function installPythonPackages(
  env: Record<string, string | undefined>,
  tools: readonly NeededTool[],
): Promise<void> {
  if (!(await isOnPath("python3", env))) return;
  for (const { pythonPackages, places } of await missingTools(env, tools)) {
    if (pythonPackages === undefined) continue;
    process.stderr.write(`installing for the tests: ${pythonPackages.join(", ")}\n`);
    const bin = dirname(places[0]!);
    await succeeds(["python3", "-m", "venv", dirname(bin)]);
    await succeeds([join(bin, "pip"), "install", "-q", ...pythonPackages]);
  }
}

async function missingTools(
  env: Record<string, string | undefined>,
  tools: readonly NeededTool[],
): Promise<NeededTool[]> {
  const missing: NeededTool[] = [];
  for (const tool of tools) {
    if (tool.withoutVariable !== undefined && env[tool.withoutVariable]) continue;
    if (await isOnPath(tool.command, env)) continue;
    if (!(await anyOf(tool.places))) missing.push(tool);
  }
  return missing;
}

function installer(hasApt: boolean, hasSudo: boolean): string[] | undefined {
  if (!hasApt) return undefined;
  if (process.getuid?.() === 0) return ["env", "DEBIAN_FRONTEND=noninteractive"];
  return hasSudo ? ["sudo", "-n", "env", "DEBIAN_FRONTEND=noninteractive"] : undefined;
}

async function isOnPath(command: string, env: Record<string, string | undefined>) {
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const found = await Promise.all(
    folders.map((folder) =>
      access(join(folder, command), constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}

async function anyOf(places: string[]): Promise<boolean> {
  for (const place of places) {
    for await (const _ of glob(place)) return true;
  }
  return false;
}

async function succeeds([command = "", ...args]: string[]): Promise<boolean> {
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "inherit"] });
  const [code] = await once(child, "exit").catch(() => [1]);
  return code === 0;
}
