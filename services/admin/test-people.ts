import type { AdminUnderTest } from "./admin-under-test.ts";
import type { TestBrowser } from "./test-browser.ts";

/** For tests: somebody whom the operator invited into a tenant, signed in. */
export async function invited(
  admin: AdminUnderTest,
  operator: TestBrowser,
  { role, tenantId, email }: { role: string; tenantId: string; email: string },
): Promise<TestBrowser> {
  const answer = await operator.post(`/tenants/${tenantId}/members/invite`, { email, role });
  const link = /(\/join\/[\w-]+)/.exec(await answer.text())?.[1] ?? "";
  const browser = admin.browser();
  await browser.join(link, { email, name: role });
  return browser;
}
