import { generateSync } from "otplib";
import { PASSWORD, type TestBrowser } from "./browser.ts";
import { type AdminUnderTest, startAdmin } from "./start-admin.ts";

export const STEP_MS = 30_000;

/** For tests: people with authenticator apps, by a clock that the test moves. */
export async function startTwoFactor(
  t: Parameters<typeof startAdmin>[0],
  given: Parameters<typeof startAdmin>[1] = {},
) {
  // The middle of a step.
  let nowMs = 60_000_000 * STEP_MS + 15_000;
  const lines: string[] = [];
  const log = { write: (line: string) => void lines.push(line) };
  const admin = await startAdmin(t, { log, ...given, nowMs: () => nowMs });
  /** Returns the code that the app shows this many steps from now. */
  const code = (secret: string, steps = 0) =>
    generateSync({ secret, epoch: Math.floor((nowMs + steps * STEP_MS) / 1000) });
  return {
    admin,
    /** The log's lines. */
    lines,
    code,
    advance(ms: number) {
      nowMs += ms;
    },
    /** Turns on two-factor authentication for the signed-in person. Advances the clock, so that the next code is new. */
    async turnOn(browser: TestBrowser) {
      const secret = await setUp(browser);
      const on = await browser.post(`${PAGE}/turn-on`, { code: code(secret) });
      nowMs += STEP_MS;
      return { secret, recoveryCodes: recoveryCodesIn(await browser.page(on)) };
    },
    /** A new browser, after the password. */
    async givePassword(email: string, browser = admin.browser()) {
      const fields = { email, password: PASSWORD, next: "/account" };
      const answer = await browser.post("/sign-in", fields, { from: "/sign-in" });
      const to = answer.headers.get("location");
      if (to !== "/sign-in/code") throw new Error(`the password led to ${answer.status} ${to}`);
      return browser;
    },
  };
}

export type TwoFactorUnderTest = Awaited<ReturnType<typeof startTwoFactor>>;

export const PAGE = "/account/two-factor";

/** Goes on to the page that shows the secret, and returns the secret. */
export async function setUp(browser: TestBrowser): Promise<string> {
  return secretIn(await browser.page(await browser.post(`${PAGE}/begin`, { current: PASSWORD })));
}

export function secretIn(html: string): string {
  return (/id="totp-secret">([^<]*)</.exec(html)?.[1] ?? "").replaceAll(" ", "");
}

export function recoveryCodesIn(html: string): string[] {
  const text = /id="recovery-codes">([^<]*)</.exec(html)?.[1];
  return text === undefined ? [] : text.split("\n");
}

export async function giveCode(browser: TestBrowser, code: string): Promise<Response> {
  return await browser.post("/sign-in/code", { code }, { from: "/sign-in/code" });
}

export async function isSignedIn(browser: TestBrowser): Promise<boolean> {
  return (await browser.get("/account")).status === 200;
}

export async function auditLog({ db }: AdminUnderTest): Promise<[string, string, unknown][]> {
  const rows = await db.selectFrom("audit_log").selectAll().orderBy("id").execute();
  return rows.map((row) => [row.action, row.person, row.after]);
}
