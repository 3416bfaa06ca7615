import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { PASSWORD } from "@belfry/admin/test/browser";
import { secretIn, startTwoFactor } from "@belfry/admin/test/start-two-factor";
import type { Locator } from "playwright-core";
import { test } from "../browser/open-page.ts";
import { faultsByKeyboard, NARROW, noteFaults, tabTo, typeInto } from "./accessible-pages.ts";
import { signedIn } from "./signed-in.ts";

test("on a narrow screen and by the keyboard alone a person turns two-factor authentication on, keeps the recovery codes, and signs in with a code and with a recovery code", async (t) => {
  const { admin, code, advance, lines } = await startTwoFactor(t);
  const eve = await admin.person({ email: "eve@example.com", name: "Eve", operator: true });
  const context = await signedIn(t, admin.url, eve, {
    ...{ viewport: NARROW, acceptDownloads: true },
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  const faults: string[] = [];
  noteFaults(page, /422/, (fault) => faults.push(fault));
  const looks = async (name: string) => faults.push(...(await faultsByKeyboard(name, page)));
  const typed = (field: Locator, text: string) => typeInto(page, field, text);
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const label = (name: string) => page.getByLabel(name, { exact: true });
  const APP = "Code from your authenticator app";

  await page.goto(`${admin.url}/account`);
  await tabTo(page, page.getByRole("link", { name: "Set up" }));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "It is off" }).waitFor();
  await looks("off");
  await typed(label("Current password"), PASSWORD);
  await page.keyboard.press("Enter");

  await page.getByRole("img", { name: "QR code for your authenticator app" }).waitFor();
  await looks("set-up");
  const secret = secretIn(await page.content());
  assert.match(secret, /^[A-Z2-7]{32}$/);
  await typed(label(APP), "000000");
  await page.keyboard.press("Enter");
  await page.locator("#code-fault").waitFor();
  await looks("set-up-fault");
  assert.equal(secretIn(await page.content()), secret);
  await typed(label(APP), code(secret));
  await tabTo(page, button("Turn on two-factor authentication"));
  await page.keyboard.press("Enter");

  await page.getByRole("heading", { name: "Your recovery codes" }).waitFor();
  await looks("on");
  const codes = ((await page.locator("#recovery-codes").textContent()) ?? "").split("\n");
  assert.equal(codes.length, 10);
  await tabTo(page, page.locator('[data-copy="recovery-codes"]'));
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Copied" }).waitFor();
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), codes.join("\n"));
  const download = page.waitForEvent("download");
  await tabTo(page, page.getByRole("link", { name: "Download" }));
  await page.keyboard.press("Enter");
  const file = await download;
  assert.equal(file.suggestedFilename(), "belfry-recovery-codes.txt");
  assert.equal(await readFile(await file.path(), "utf8"), `${codes.join("\n")}\n`);
  await page.reload();
  await page.getByText("You have 10 recovery codes left").waitFor();
  assert.equal(await page.locator("#recovery-codes").count(), 0);

  const signOut = async () => {
    await tabTo(page, button("Menu"));
    await page.keyboard.press("Enter");
    await tabTo(page, button("Sign out"));
    await page.keyboard.press("Enter");
    await page.getByText("You are signed out").waitFor();
  };
  const givePassword = async () => {
    await typed(label("Email address"), "eve@example.com");
    await typed(label("Password"), PASSWORD);
    await page.keyboard.press("Enter");
    await label(APP).waitFor();
  };
  await signOut();
  await givePassword();
  await looks("code");
  await typed(label(APP), code(secret));
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("The code is wrong, or was used already").waitFor();
  await looks("code-fault");
  advance(30_000);
  await typed(label(APP), code(secret));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Tenants" }).waitFor();

  await signOut();
  await givePassword();
  await tabTo(page, page.getByRole("link", { name: "Use a recovery code" }));
  await page.keyboard.press("Enter");
  await label("Recovery code").waitFor();
  await looks("recovery-code");
  await typed(label("Recovery code"), codes[0] ?? "");
  await page.keyboard.press("Enter");
  await page.getByText("You have used a recovery code. 9 recovery codes left").waitFor();
  assert.equal(new URL(page.url()).pathname, "/tenants");

  await page.goto(`${admin.url}/operators`);
  await looks("operators");
  assert.deepEqual(faults, []);
  assert.ok(lines.length > 0);
});
