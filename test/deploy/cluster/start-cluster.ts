import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { startGuarded } from "@belfry/local/servers/guarded-process";
import { findExecutable } from "@belfry/local/servers/nats-server";
import type { Cleanup } from "@belfry/testing/cleanup";
import { eventually } from "@belfry/testing/eventually";
import { freePort } from "@belfry/testing/free-port";
import { temporaryFolder } from "@belfry/testing/temporary-folder";
import { stringify } from "yaml";
import { helm } from "../chart.ts";
import { makeCertificates } from "../tls-servers.ts";
import { builtKubernetes, goModuleFolder } from "./build-kubernetes.ts";
import { type ClusterApi, connectApi } from "./cluster-api.ts";
import { runPods } from "./pod-states.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const TOKEN = "token-of-the-test";
const STARTUP_MS = 180_000;

/** Folders of Go modules with the definitions of the objects that the chart's options make. */
const DEFINITIONS = [
  ["github.com/kedacore/keda/v2@v2.21.0", "config/crd/bases"],
  ["sigs.k8s.io/gateway-api@v1.6.1", "config/crd/standard"],
  ["github.com/prometheus-operator/prometheus-operator@v0.85.0", "example/prometheus-operator-crd"],
] as const;

/** Makes each namespace refuse pods that break the rule `restricted`, as shared clusters do. */
const ADMISSION = {
  apiVersion: "apiserver.config.k8s.io/v1",
  kind: "AdmissionConfiguration",
  plugins: [
    {
      name: "PodSecurity",
      configuration: {
        apiVersion: "pod-security.admission.config.k8s.io/v1",
        kind: "PodSecurityConfiguration",
        defaults: { enforce: "restricted", audit: "restricted", warn: "restricted" },
      },
    },
  ],
};

/** The controllers that the chart's objects need. The one that watches nodes is missing: there is no node. */
const CONTROLLERS = [
  ...["deployment", "replicaset", "job", "serviceaccount", "namespace", "resourcequota"],
  ...["garbage-collector", "disruption", "endpointslice", "serviceaccount-token"],
  "root-ca-certificate-publisher",
].map((name) => `${name}-controller`);

export interface Cluster {
  api: ClusterApi;
  /** Runs lines of a shell in the project's root with this cluster's kubectl and Helm; returns what they print. */
  shell(script: string): Promise<string>;
  kubectl(...args: string[]): Promise<string>;
  /** Warnings of the API server, of kubectl and of Helm so far. */
  warnings: string[];
}

/** Starts a Kubernetes of a version: its API server on etcd, its controllers, and pods that only have a state. */
export async function startCluster(t: Cleanup, version: string): Promise<Cluster> {
  const programs = await builtKubernetes(version);
  const folder = await temporaryFolder(t, "cluster");
  await chmod(folder, 0o755);
  const { caFile, certFile, keyFile } = await makeCertificates(folder);
  const etcd = await startEtcd(t, folder);
  const port = await freePort();
  const url = `https://127.0.0.1:${port}`;
  const api = await connectApi(t, { url, token: TOKEN, caFile });
  const lastLines: string[] = [];
  const start = (name: string, options: Record<string, string>) => {
    const server = startGuarded({
      command: join(programs, name),
      args: Object.entries(options).map(([option, value]) => `--${option}=${value}`),
      env: { HOME: folder },
      stopSignal: "TERM",
      onLine: (line) => lastLines.push(line) > 30 && lastLines.shift(),
    });
    t.after(() => server.kill());
  };
  const accounts = join(folder, "accounts.key");
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  await writeFile(accounts, privateKey.export({ type: "pkcs1", format: "pem" }));
  const tokens = join(folder, "tokens.csv");
  await writeFile(tokens, `${TOKEN},admin,admin,"system:masters"\n`);
  const admission = join(folder, "admission.yaml");
  await writeFile(admission, stringify(ADMISSION));
  start("kube-apiserver", {
    "etcd-servers": etcd,
    "bind-address": "127.0.0.1",
    "secure-port": String(port),
    "cert-dir": folder,
    "tls-cert-file": certFile,
    "tls-private-key-file": keyFile,
    "service-account-key-file": accounts,
    "service-account-signing-key-file": accounts,
    "service-account-issuer": url,
    "token-auth-file": tokens,
    "authorization-mode": "RBAC",
    "service-cluster-ip-range": "10.0.0.0/24",
    "admission-control-config-file": admission,
    "kubelet-preferred-address-types": "InternalIP",
  });
  const ready = async () => assert200(await api.call("GET", "/readyz"), lastLines);
  await eventually(ready, { timeoutMs: STARTUP_MS, everyMs: 250 });
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, await kubeconfigOf(url, caFile));
  start("kube-controller-manager", {
    kubeconfig,
    controllers: CONTROLLERS.join(","),
    "service-account-private-key-file": accounts,
    "root-ca-file": caFile,
    "secure-port": "0",
    "leader-elect": "false",
  });
  await runPods(t, api, { certFile, keyFile });

  const warnings: string[] = [];
  const tools = [programs, dirname(helm!)];
  const command = async (file: string, args: string[]) => {
    const { stdout, stderr } = await promisify(execFile)(file, args, {
      cwd: ROOT,
      maxBuffer: 64 * 1024 * 1024,
      env: {
        // biome-ignore lint/style/noProcessEnv: openssl and the shell are on the PATH
        PATH: [...tools, process.env.PATH].join(delimiter),
        KUBECONFIG: kubeconfig,
        HOME: folder,
      },
    });
    warnings.push(...stderr.split("\n").filter((line) => /warn/i.test(line)));
    return stdout;
  };
  const kubectl = (...args: string[]) => command("kubectl", args);
  for (const [module, below] of DEFINITIONS) {
    await kubectl("create", ...(await definitions(join(await goModuleFolder(module), below))));
  }
  return {
    api,
    warnings,
    kubectl,
    shell: (script) => command("bash", ["--norc", "-euo", "pipefail", "-c", script]),
  };
}

function assert200({ status, body }: { status: number; body: unknown }, lines: string[]): void {
  if (status !== 200) throw new Error(`the API server is not ready: ${body}\n${lines.join("\n")}`);
}

async function startEtcd(t: Cleanup, folder: string): Promise<string> {
  const [clients, peers] = [await freePort(), await freePort()].map(
    (port) => `http://127.0.0.1:${port}`,
  );
  const data = join(folder, "etcd");
  await mkdir(data, { mode: 0o700 });
  const options = {
    "data-dir": data,
    "listen-client-urls": clients,
    "advertise-client-urls": clients,
    "listen-peer-urls": peers,
    "initial-advertise-peer-urls": peers,
    "initial-cluster": `default=${peers}`,
    "unsafe-no-fsync": "true",
  };
  const server = startGuarded({
    command: (await findExecutable("etcd")) ?? "etcd",
    args: Object.entries(options).map(([option, value]) => `--${option}=${value}`),
    env: {},
    stopSignal: "TERM",
    onLine() {},
  });
  t.after(() => server.kill());
  return clients!;
}

async function kubeconfigOf(url: string, caFile: string): Promise<string> {
  const authority = (await readFile(caFile)).toString("base64");
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "test", cluster: { server: url, "certificate-authority-data": authority } }],
    users: [{ name: "admin", user: { token: TOKEN } }],
    contexts: [{ name: "test", context: { cluster: "test", user: "admin" } }],
    "current-context": "test",
  });
}

async function definitions(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => /^[\w.]+_\w+\.yaml$/.test(name));
  if (names.length === 0) throw new Error(`${folder} has no definitions`);
  return names.flatMap((name) => ["-f", join(folder, name)]);
}
