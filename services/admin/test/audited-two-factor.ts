import { putMembership } from "@belfry/administration/people/person-rows";
import { generateSync } from "otplib";
import type { Post } from "./audited-webhooks.ts";
import { PASSWORD, type TestBrowser } from "./browser.ts";
import type { AdminUnderTest } from "./start-admin.ts";
import { recoveryCodesIn, STEP_MS, setUp } from "./start-two-factor.ts";

/** For the test of the audit log: everything about two-factor authentication. Returns what must not be in it. */
export async function auditedTwoFactor(
  { db, pool }: AdminUnderTest,
  operator: TestBrowser,
  post: Post,
  /** The clock of codes; and somebody, who is made a member of the tenant. */
  { nowMs, member }: { nowMs: number; member: { tenantId: string; personId: string } },
): Promise<string[]> {
  const secret = await setUp(operator);
  const code = (steps: number) => generateSync({ secret, epoch: (nowMs + steps * STEP_MS) / 1000 });
  const right = (steps: number) => ({ current: PASSWORD, code: code(steps) });
  const { html } = await post("POST /account/two-factor/turn-on", {}, { code: code(-1) });
  const renewed = await post("POST /account/two-factor/recovery-codes", {}, right(0));
  await post("POST /account/two-factor/turn-off", {}, right(1));
  await putMembership(db, { ...member, role: "viewer" });
  for (const route of [
    "POST /tenants/:tenantId/members/:personId/remove-two-factor",
    "POST /operators/:personId/remove-two-factor",
  ] as const) {
    await pool.query(
      "insert into person_totp (person_id, secret, confirmed_at) values ($1, 'x', now())",
      [member.personId],
    );
    await post(route, member);
  }
  return [secret, ...recoveryCodesIn(html), ...recoveryCodesIn(renewed.html)];
}
