import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { hiddenFields, publishByForm } from "@belfry/admin/test/publish-by-form";
import { startForTenant } from "@belfry/admin/test/start-admin";
import { putActiveProvider } from "@belfry/administration/test/acts";
import { putTemplate } from "@belfry/administration/test/templates";
import { eventually } from "@belfry/testing/eventually";
import type { TestProcess } from "@belfry/testing/processes";
import { startRecordingServer } from "@belfry/testing/recording-server";
import { temporaryFolder } from "@belfry/testing/temporary-folder";
import { settled } from "../end-to-end/outcome.ts";
import { startStack, triggered } from "../end-to-end/stack.ts";
import { connectedBrowser } from "../end-to-end/trace.ts";
import { type Calls, countCalls, enteredFiles } from "./called-files.ts";
import { assertWithinLimits } from "./path-limits.ts";

type Processes = readonly (TestProcess | undefined)[];
/** Events of one measurement: enough to tell a call per event from a round of a background job. */
const EVENTS = 12;

// Each of three paths enters at most as many files as ARCHITECTURE.md says, and no other package.

test("an event's way to a vendor, and its way to a browser", async (t) => {
  const folder = await temporaryFolder(t, "paths");
  const CALLED_FILES = join(folder, "called");
  const preload = new URL("./count-calls.ts", import.meta.url).href;
  const stack = await startStack(t, { env: { CALLED_FILES, NODE_OPTIONS: `--import=${preload}` } });
  const { id: tenantId, apiKey } = await stack.createReadyTenant({}, { channels: ["PUSH"] });
  const vendor = await startRecordingServer(t);
  vendor.answer = { status: 202 };
  const settings = { apiKey: "SG.key", from: "shop@example.com", baseUrl: vendor.url };
  const provider = { tenantId, channel: "EMAIL", kind: "sendgrid", settings } as const;
  await putActiveProvider(stack.db, provider, { keys: stack.keys, allowPrivateAddresses: true });
  const email = { eventType: "order.confirmed", channel: "EMAIL", subject: "Order" } as const;
  await putTemplate(stack.db, { tenantId, ...email, content: "<p>{{orderId}}</p>" });
  await using browser = await connectedBrowser(stack, apiKey);

  const mail = async () => {
    await settled(stack, await triggered(stack, apiKey, { channels: ["EMAIL"] }));
  };
  const push = async () => {
    const next = browser.pushed.length + 1;
    await triggered(stack, apiKey, { channels: ["PUSH"] });
    await eventually(() => browser.pushed.length === next);
  };
  const { ingest, dispatcher, email: sender, gateway } = stack.processes;
  /** Signals the processes and returns what each then writes. */
  const signalled = async (processes: Processes, isAnswer: (text: string) => boolean) => {
    for (const one of processes) one?.signal("SIGUSR2");
    const texts = processes.map((one) =>
      eventually(async () => {
        const text = await readFile(`${CALLED_FILES}.${one?.pid}`, "utf8");
        assert.ok(isAnswer(text));
        return text;
      }),
    );
    return await Promise.all(texts);
  };
  const counted = async (work: () => Promise<unknown>, processes: Processes): Promise<Calls> => {
    await signalled(processes, (text) => text === "counting");
    await work();
    const texts = await signalled(processes, (text) => text !== "counting");
    return texts
      .map((text) => JSON.parse(text) as Record<string, number>)
      .reduce((sums, calls) => {
        for (const [place, count] of Object.entries(calls))
          sums[place] = (sums[place] ?? 0) + count;
        return sums;
      }, {});
  };
  const enteredBy = async (event: () => Promise<void>, processes: Processes) => {
    const measured = async () => {
      const startedAt = performance.now();
      const busy = await counted(async () => {
        for (let sent = 0; sent < EVENTS; sent += 1) await event();
      }, processes);
      const idle = await counted(() => setTimeout(performance.now() - startedAt), processes);
      return enteredFiles(EVENTS, busy, idle);
    };
    await event();
    // A cache that is filled calls some functions many times, but only in one of two measurements.
    const first = await measured();
    const second = await measured();
    return first.filter((file) => second.includes(file));
  };
  const toVendor = await enteredBy(mail, [ingest, dispatcher, sender]);
  const toBrowser = await enteredBy(push, [ingest, dispatcher, gateway]);
  await Promise.all([
    assertWithinLimits(t, "an event to a vendor", toVendor),
    assertWithinLimits(t, "an event to a browser", toBrowser),
  ]);
});

test("publishing a template", async (t) => {
  const { operator, id } = await startForTenant(t);
  const fields = { eventType: "order.confirmed", channel: "EMAIL", subject: "Order {{orderId}}" };
  const mjml = `<mjml><mj-body><mj-section><mj-column><mj-text>{{orderId}}</mj-text></mj-column></mj-section></mj-body></mjml>`;
  const mail = { ...fields, content: mjml, format: "mjml", sampleVariables: "{}" };
  const path = await publishByForm(operator, `/tenants/${id}`, mail);
  const _token = await operator.token("/account");
  const content = mjml.replace("orderId", "name");
  const hidden = async (page: string) => hiddenFields(await operator.text(page));
  const post = async (address: string, given: Record<string, string>) => {
    const body = new URLSearchParams({ _token, ...given });
    const answer = await operator.raw(address, { method: "POST", body });
    assert.equal(answer.status, 303, await answer.text());
  };
  const shown = { ...mail, ...(await hidden(path)), content };
  const endSaving = countCalls();
  await post(path, shown);
  const saving = endSaving();
  const seen = { ...(await hidden(`${path}/publish`)), locale: "" };
  const endPublishing = countCalls();
  await post(`${path}/publish`, seen);
  const publishing = endPublishing();
  const files = [saving, publishing].flatMap((calls) => enteredFiles(1, calls, {}));
  await assertWithinLimits(t, "publishing a template", [...new Set(files)].sort());
});
