import assert from "node:assert/strict";
import { test } from "node:test";
import { startForOperator } from "@belfry/admin/test/start-admin";
import { createKey } from "@belfry/administration/tenants/tenant-credentials";
import { actsIn } from "@belfry/administration/test/acts";
import { PLATFORM_PAGES, tenantPages } from "./admin-pages.ts";
import { sampleTenant } from "./sample-tenant.ts";

/** Routes that take something away. */
const TAKES_AWAY =
  /\/(delete|remove|remove-language|revoke|discard|cancel|unassign|withdraw|end|end-others)$/;
/** A verb alone says not what it is done to. */
const WITHOUT_ITS_OBJECT =
  /^(Go on|OK|Yes|Delete|Remove|Revoke|Discard|Cancel|Withdraw|End|Erase|Deactivate)$/;

interface Form {
  page: string;
  action: string;
  /** Asked before it is sent. */
  question: string | undefined;
  /** Of the question's button. */
  yes: string | undefined;
  button: string;
  isRed: boolean;
}

test("every button that takes something away is red and says what it does, and so does every question's", async (t) => {
  const { admin, operator } = await startForOperator(t);
  const tenant = await sampleTenant(admin);
  await actsIn(admin.db, tenant.id)(createKey, { name: "the shop" });
  await admin.person({ email: "second@example.com", name: "Second", operator: true });
  const forms: Form[] = [];
  for (const path of Object.values({ ...tenantPages(tenant), ...PLATFORM_PAGES })) {
    forms.push(...formsOf(path, await operator.text(path)));
  }
  const removing = forms.filter(({ action }) => TAKES_AWAY.test(action));
  const routes = new Set(removing.map(({ action }) => TAKES_AWAY.exec(action)?.[1]));
  assert.ok(routes.size > 5, [...routes].join(", "));
  assert.ok(forms.some(({ question }) => question !== undefined));
  assert.deepEqual(
    removing.filter(({ isRed, button }) => !isRed || WITHOUT_ITS_OBJECT.test(button)),
    [],
  );
  assert.deepEqual(
    forms.filter(
      ({ question, yes, button }) =>
        question !== undefined && WITHOUT_ITS_OBJECT.test(yes ?? button),
    ),
    [],
  );
});

function formsOf(page: string, html: string): Form[] {
  return html
    .split("<form ")
    .slice(1)
    .map((text) => text.split("</form>")[0] ?? "")
    .filter((text) => text.includes('method="post"') && text.includes("<button"))
    .map((text) => {
      const attribute = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(text)?.[1];
      const [, opening = "", inside = ""] = /<button([^>]*)>([\s\S]*?)<\/button>/.exec(text) ?? [];
      return {
        ...{ page, action: attribute("action") ?? "" },
        ...{ question: attribute("data-confirm"), yes: attribute("data-yes") },
        button: inside.replaceAll(/<[^>]*>/g, "").trim(),
        isRed: /class="danger\b/.test(opening),
      };
    });
}
