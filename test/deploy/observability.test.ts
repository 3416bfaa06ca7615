import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { eventually } from "@belfry/testing/eventually";
import { temporaryFolder } from "@belfry/testing/temporary-folder";
import { parse } from "yaml";
import { call, startStack } from "../end-to-end/stack.ts";
import { client, subscribed } from "../realtime/clients.ts";
import { programOnPath } from "./program-on-path.ts";
import { metricsOf, readScrape, type Scrape } from "./scrape.ts";

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, "../..");
const FOLDER = join(ROOT, "deploy/observability");

interface Rule {
  alert: string;
  expr: string;
  annotations: { runbook: string };
}

const rules: Rule[] = parse(await readFile(join(FOLDER, "alerts.yaml"), "utf8")).groups.flatMap(
  (group: { rules: Rule[] }) => group.rules,
);
const dashboard = JSON.parse(await readFile(join(FOLDER, "dashboard.json"), "utf8"));
const panelExpressions: string[] = dashboard.panels.flatMap(
  (panel: { targets?: { expr: string }[] }) => (panel.targets ?? []).map(({ expr }) => expr),
);
/** Put on by Prometheus itself. */
const TARGET_LABELS = ["job", "instance", "le"];

test("every alert fires at what it is for, and stays quiet at its likeness", async (t) => {
  const promtool = await findPromtool();
  if (promtool === undefined) return t.skip("BELFRY_WITHOUT_PROMTOOL is set");
  await run(promtool, ["check", "rules", join(FOLDER, "alerts.yaml")]);
  await run(promtool, ["test", "rules", join(FOLDER, "alerts.test.yaml")]);
  const tested = await readFile(join(FOLDER, "alerts.test.yaml"), "utf8");
  for (const { alert } of rules) assert.ok(tested.includes(`name: ${alert} fires`), alert);
});

test("every query of the dashboard is one that Prometheus understands", async (t) => {
  const promtool = await findPromtool();
  if (promtool === undefined) return t.skip("BELFRY_WITHOUT_PROMTOOL is set");
  const directory = await temporaryFolder(t, "dashboard");
  const file = join(directory, "rules.json");
  const queries = panelExpressions.map((expr, at) => ({
    record: `panel:${at}`,
    expr: expr.replaceAll("$__rate_interval", "5m"),
  }));
  await writeFile(file, JSON.stringify({ groups: [{ name: "dashboard", rules: queries }] }));
  await run(promtool, ["check", "rules", file]);
});

test("every alert has its entry in the runbook, and every entry its alert", async () => {
  const runbook = await readFile(join(ROOT, "docs/runbook.md"), "utf8");
  const entries = [...runbook.matchAll(/^### (Belfry\w+)$/gm)].map(([, name]) => name!);
  assert.deepEqual(entries.toSorted(), rules.map(({ alert }) => alert).toSorted());
  for (const { alert, annotations } of rules) {
    assert.equal(annotations.runbook, `docs/runbook.md#${alert.toLowerCase()}`);
  }
});

test("every query reads metrics and labels that running services have, and no label is unbounded", async (t) => {
  const stack = await startStack(t);
  const tenant = await stack.createReadyTenant();
  const trigger = (key: string, body: object) =>
    call(`${stack.apiUrls[0]}/api/v1/events/trigger`, {
      ...{ apiKey: tenant.apiKey, headers: { "x-idempotency-key": key }, body },
    });
  const user = "ann@example.com";
  const payload = { userId: user, recipientEmail: user, recipientPhone: "+12025550123" };
  const { body } = await call(`${stack.apiUrls[0]}/api/v1/auth/realtime-token`, {
    ...{ apiKey: tenant.apiKey, body: { userId: user } },
  });
  const page = client(t, stack.wsUrl, { token: body.token });
  const { subscription, got } = await subscribed(page, `personal#${user}`);
  assert.equal((await trigger("one", { eventType: "order.confirmed", payload })).status, 200);
  assert.equal((await trigger("one", { eventType: "order.confirmed", payload })).status, 200);
  assert.equal((await trigger("two", { eventType: 3 })).status, 422);
  await eventually(() => got.length === 1);
  page.disconnect();
  page.connect();
  await subscription.ready(60_000);

  let all = "";
  const scrape: Scrape = new Map();
  const readAll = async () => {
    all = "";
    for (const { managementPort } of Object.values(stack.processes)) {
      const text = await (await fetch(`http://127.0.0.1:${managementPort}/metrics`)).text();
      readScrape(text, scrape);
      all += text;
    }
    return /belfry_delivery_outcomes_total\{channel="SMS",provider="sandbox",status="accepted"\} 1/.test(
      all,
    );
  };
  await eventually(readAll);
  assert.match(all, /belfry_events_accepted_total\{replayed="true"\} 1/);
  assert.match(all, /belfry_events_rejected_total\{reason="invalid"\} 1/);
  assert.match(all, /belfry_acceptance_to_browser_seconds_count 1/);
  assert.match(all, /belfry_acceptance_to_provider_seconds_count\{channel="EMAIL"\} 1/);
  assert.match(all, /belfry_recoveries_total\{result="recovered"\} 1/);
  assert.match(all, /belfry_connections\{protocol="json"\} 1/);

  scrape.set("up", new Set());
  for (const expression of [...rules.map(({ expr }) => expr), ...panelExpressions]) {
    const metrics = metricsOf(expression);
    assert.ok(metrics.length > 0, expression);
    for (const { name, labels } of metrics) {
      const known = scrape.get(name);
      assert.ok(known, `${name} is nowhere: ${expression}`);
      // A series that has not happened yet has no labels to show.
      if (known.size === 0) continue;
      for (const label of labels) {
        assert.ok(
          known.has(label) || TARGET_LABELS.includes(label),
          `${name}{${label}}: ${expression}`,
        );
      }
    }
  }
  const allowed = new Set([
    ...[
      "channel",
      "provider",
      "class",
      "status",
      "reason",
      "replayed",
      "what",
      "table",
      "code",
      "protocol",
    ],
    ...["consumer", "outcome", "dependency", "result", "method", "route", "le"],
  ]);
  for (const [name, labels] of scrape) {
    if (!name.startsWith("belfry_")) continue;
    for (const label of labels) assert.ok(allowed.has(label), `${name}{${label}}`);
  }
  for (const secret of [tenant.id, tenant.apiKey, user, "+12025550123", "@"]) {
    assert.ok(!all.includes(secret), `${secret} is in the metrics`);
  }
});

function findPromtool(): Promise<string | undefined> {
  return programOnPath("promtool", {
    install: "apt-get install prometheus",
    withoutVariable: "BELFRY_WITHOUT_PROMTOOL",
  });
}
