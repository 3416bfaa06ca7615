import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { test } from "node:test";
import { freePort } from "@belfry/testing/free-port";
import { openBrowser } from "../browser/open-page.ts";
import { blocksOf } from "./markdown.ts";
import type { Bench } from "./shell.ts";
import { runProgram } from "./shell.ts";

const CENTRIFUGE = new URL("../node_modules/centrifuge/dist/centrifuge.js", import.meta.url);
const LIBRARY = "https://unpkg.com/centrifuge@5.8.0/dist/centrifuge.js";

export function realtimeTests(bench: Bench): void {
  test("realtime.md: server.mjs and page.html show an event as it happens", async (t) => {
    // biome-ignore lint/style/noProcessEnv: set by who has no browser
    if (process.env.BELFRY_WITHOUT_BROWSER) return t.skip("without a browser");
    const { stack, folder } = bench;
    const tenant = await stack.createTenant();
    const place = await mkdtemp(join(folder, "realtime-"));
    const blocks = blocksOf("realtime.md");
    for (const { info, text } of blocks) {
      if (info.startsWith("examples/")) await writeFile(join(place, basename(info)), text);
    }
    const env = {
      BELFRY_URL: stack.apiUrls[0],
      BELFRY_WS_URL: stack.wsUrl,
      BELFRY_API_KEY: tenant.apiKey,
    };
    const port = await freePort();
    const server = spawn(process.execPath, ["server.mjs"], {
      cwd: place,
      env: { ...env, PORT: String(port) },
      stdio: ["ignore", "pipe", "inherit"],
    });
    t.after(() => void server.kill());
    await once(server.stdout, "data");

    const browser = await openBrowser(t);
    const page = await browser.newPage();
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(error.message));
    // The very file that the address has, from the registry's package: tests stay on this machine.
    const library = await readFile(CENTRIFUGE);
    await page.route(LIBRARY, (route) =>
      route.fulfill({ contentType: "text/javascript", body: library }),
    );
    await page.goto(`http://127.0.0.1:${port}`);
    await page.getByText("connected", { exact: true }).waitFor();
    const script = blocks.find(({ language }) => language === "sh")!.text;
    const sent = await runProgram("bash", ["-euo", "pipefail", "-c", script], { cwd: place, env });
    assert.equal(sent.code, 0, sent.err);
    await page.getByText("It works: Hello, browser.").waitFor();
    assert.deepEqual(faults, []);
  });
}
