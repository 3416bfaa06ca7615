import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterEach, before, describe, test } from "node:test";
import { eventually } from "@belfry/testing/eventually";
import { wholeFile } from "@belfry/testing/whole-file";
import { lastRelease, unpack } from "../../failure/upgrade/version-before.ts";
import { CLUSTER_TOOLS, neededTools } from "../../runner/needed-tools.ts";
import { everyOption, OVERLAYS } from "../chart.ts";
import { SERVICE_VARIABLES } from "../service-variables.ts";
import { type Cluster, startCluster } from "./start-cluster.ts";

/**
 * `npx --yes pnpm@12 test:chart`: brings the chart and Kustomize's overlays to Kubernetes' own API server and
 * controllers. Pods run nothing: they have a state only.
 */

const ROOT = resolve(import.meta.dirname, "../../..");
/** The newest Kubernetes and the oldest that the documents name. */
const VERSIONS = ["1.37.2", "1.33.13"];
const CHART = "deploy/helm/belfry";
const RELEASE = `belfry ${CHART} -n belfry --wait`;
const NAMES = Object.keys(SERVICE_VARIABLES).sort();

// biome-ignore lint/style/noProcessEnv: the PATH
await neededTools(process.env, CLUSTER_TOOLS);

for (const version of VERSIONS) {
  describe(`Kubernetes ${version}`, () => {
    const cleanup = wholeFile();
    let cluster: Cluster;

    before(async () => {
      cluster = await startCluster(cleanup, version);
    });

    afterEach(async () => {
      await cluster.shell(`helm uninstall belfry -n belfry --ignore-not-found --wait
        kubectl delete namespace belfry nats --ignore-not-found
        kubectl delete validatingadmissionpolicybinding,validatingadmissionpolicy --all
        kubectl delete priorityclass services --ignore-not-found`);
    });

    test("the lines of deploy.md install the chart, and helm test succeeds", async () => {
      const printed = await cluster.shell(await installLines());
      assert.match(printed, /Phase:\s+Succeeded/);
      await untilReady(cluster);
    });

    test("upgrades with every file of values and every option, a rollback and an uninstall leave what they should", async (t) => {
      await cluster.shell(await installLines());
      const files = [...Object.values(OVERLAYS), ["values-openshift.yaml"]];
      for (const names of files) {
        const values = names.map((name) => `--values ${CHART}/${name}`).join(" ");
        await cluster.shell(`helm upgrade ${RELEASE} ${values}`);
        await untilReady(cluster);
      }
      await cluster.shell(`helm upgrade ${RELEASE} --reset-values --set image.tag=0.2.0`);
      await cluster.shell("helm rollback belfry -n belfry --wait");
      await untilReady(cluster);
      await cluster.shell(`${PRIORITY}
        kubectl -n belfry create configmap corporate-ca --from-literal=ca.crt=-
        kubectl -n belfry create configmap api-ca --from-literal=root.pem=-
        helm upgrade ${RELEASE} ${(await everyOption(t)).join(" ")}`);
      await untilReady(cluster);
      await cluster.shell("helm uninstall belfry -n belfry --wait");
      await eventually(async () => {
        const left = await cluster.kubectl("get", EVERY_KIND, "-n", "belfry", "-o", "name");
        assert.deepEqual(left.trim().split("\n").sort(), [
          ...["configmap/api-ca", "configmap/corporate-ca", "configmap/kube-root-ca.crt"],
          ...["secret/acme", "secret/belfry", "serviceaccount/default"],
        ]);
      });
    });

    test("a quota of the namespace counts every pod, and one that is too small is named", async () => {
      await cluster.shell(`kubectl create namespace belfry
        ${QUOTA}
        helm install ${RELEASE}
        kubectl -n belfry delete deployment admin --wait
        kubectl -n belfry patch quota all --type=merge --patch '{"spec":{"hard":{"pods":"1"}}}'`);
      await assert.rejects(
        cluster.shell(`helm upgrade ${RELEASE} --timeout 10s --set services.admin.replicas=3`),
      );
      const events = await cluster.kubectl("get", "events", "-n", "belfry", "-o", "yaml");
      assert.match(events, /exceeded quota: all/);
    });

    test("where the user of a pod may not be fixed, values-openshift.yaml installs", async () => {
      await cluster.shell(`${NO_FIXED_USER}
        kubectl create namespace belfry`);
      // The API server begins to apply a policy some seconds after it is created.
      await eventually(() => assert.rejects(cluster.shell(FIXED_USER), /the namespace chooses/));
      await assert.rejects(cluster.shell(`helm install ${RELEASE} --timeout 10s`));
      await cluster.shell("helm uninstall belfry -n belfry --wait");
      await cluster.shell(`helm install ${RELEASE} --values ${CHART}/values-openshift.yaml`);
      await untilReady(cluster);
    });

    test("each overlay of Kustomize can be applied, also after the one before", async () => {
      for (const overlay of Object.keys(OVERLAYS)) {
        await cluster.shell(`kubectl -n belfry delete job migrate --ignore-not-found
          kubectl apply -k deploy/kubernetes/overlays/${overlay}
          for name in ${NAMES.join(" ")}; do kubectl -n belfry rollout status deployment/$name --timeout=120s; done
          kubectl -n belfry wait job/migrate --for=condition=complete --timeout=120s`);
        await untilReady(cluster);
      }
    });

    test("an installation of the version before is upgraded to this chart", async (t) => {
      const paths = ["deploy/helm", "deploy/observability"];
      const folder = await unpack(t, await lastRelease(), paths);
      await cluster.shell(`kubectl create namespace belfry
        helm install belfry ${join(folder, CHART)} -n belfry --wait`);
      await cluster.shell(`helm upgrade ${RELEASE} --reset-then-reuse-values`);
      await untilReady(cluster);
      await cluster.shell("helm rollback belfry -n belfry --wait");
      await untilReady(cluster);
    });

    test("no answer had a warning", () => {
      const others = cluster.warnings.filter((line) => !OLD_FIELDS.test(line));
      assert.deepEqual(others, []);
    });
  });
}

/** kubectl itself says this. These are the fields that every kubectl reads, that of Debian, too. */
const OLD_FIELDS = /^# Warning: '(bases|patchesStrategicMerge)' is deprecated/;
const EVERY_KIND =
  "all,cm,secret,sa,ingress,networkpolicy,pdb,hpa,httproute,scaledobject,servicemonitor,prometheusrule";
const PRIORITY = "kubectl create priorityclass services --value=1000";
const QUOTA = `kubectl -n belfry create quota all \\
  --hard=pods=50,requests.cpu=20,requests.memory=20Gi,limits.cpu=60,limits.memory=60Gi`;
/** The part of OpenShift's rule restricted-v2 that the rule restricted has not. */
const NO_FIXED_USER = `kubectl create -f - <<'END'
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: { name: no-fixed-user }
spec:
  matchConstraints:
    resourceRules:
      - { apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods] }
  validations:
    - expression: "!has(object.spec.securityContext.runAsUser) && !has(object.spec.securityContext.fsGroup)"
      message: the namespace chooses the user
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: { name: no-fixed-user }
spec: { policyName: no-fixed-user, validationActions: [Deny] }
END`;

const FIXED_USER = `kubectl -n belfry run probe --image=probe --dry-run=server --overrides='{"spec": {
  "securityContext": {"runAsUser": 1, "runAsNonRoot": true, "seccompProfile": {"type": "RuntimeDefault"}},
  "containers": [{"name": "probe", "image": "probe", "securityContext": {
    "allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}}}]}}'`;

/** The first block of deploy.md, without the two lines that need NATS' own chart from its server. */
async function installLines(): Promise<string> {
  const text = await readFile(join(ROOT, "docs/operations/deploy.md"), "utf8");
  const [, block = ""] = /^```sh\n([\s\S]*?)^```$/m.exec(text) ?? [];
  const lines = block.trim().split("\n");
  const others = lines.filter((line) => !/^helm (repo|install nats) /.test(line));
  assert.equal(others.length, lines.length - 2);
  return others.join("\n");
}

/** Waits until every service has all its pods and the migration has ended. */
async function untilReady({ kubectl }: Cluster): Promise<void> {
  const list = async (kind: string) =>
    JSON.parse(await kubectl("get", kind, "-n", "belfry", "-o", "json")).items;
  await eventually(async () => {
    const deployments = await list("deployments");
    assert.deepEqual(
      // biome-ignore lint/suspicious/noExplicitAny: an object of the API server
      deployments.map(({ metadata }: any) => metadata.name).sort(),
      NAMES,
    );
    for (const { metadata, spec, status } of deployments) {
      assert.equal(status.readyReplicas ?? 0, spec.replicas, metadata.name);
      assert.equal(status.updatedReplicas ?? 0, spec.replicas, metadata.name);
    }
    const jobs = await list("jobs");
    assert.deepEqual(
      // biome-ignore lint/suspicious/noExplicitAny: an object of the API server
      jobs.map(({ status }: any) => status.succeeded),
      [1],
    );
  });
}
