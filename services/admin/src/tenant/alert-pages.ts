import {
  chooseAlerts,
  chooseAllAlerts,
  chooseMailTenant,
  showAlerts,
  showAllAlerts,
  showMailTenant,
} from "@belfry/administration/alerts/alert-choices";
import { mailTenant } from "@belfry/administration/alerts/own-mail";
import { searchTenants, TENANTS_TO_CHOOSE } from "@belfry/administration/tenants/tenant-rows";
import { ALERT_KINDS, alertWords } from "@belfry/contracts/alerts";
import { type Faults, orFaults, page, redirect } from "../page/answer.ts";
import { Phrase, say } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { Signed } from "../page/router.ts";

/**
 * Registers the pages for the alerts that a person gets by email: an owner for a tenant, an operator for all tenants.
 */
export function alertPages({ route, db }: PageDeps): void {
  const told = ({ alerts }: Awaited<ReturnType<typeof showAlerts.run>>["output"]) =>
    alerts.map(({ kind, on }) => ({
      kind,
      on,
      title: new Phrase((language) => alertWords(kind, language).title),
      when: new Phrase((language) => alertWords(kind, language).when),
    }));
  const chosen = ({ form }: Signed) => ALERT_KINDS.filter((kind) => form.has(kind));

  route("GET /tenants/:tenantId/alerts", async ({ run, person, role, base }) => {
    // An operator chooses for all tenants at once.
    if (role === "operator") return redirect("/alerts");
    const alerts = told(await run(showAlerts, { person: person.personId }));
    return page("alerts", say`Alerts`, {
      alerts,
      action: `${base}/alerts`,
      sender: await mailTenant(db),
    });
  });

  route("POST /tenants/:tenantId/alerts", async (context) => {
    const { run, person, base } = context;
    await run(chooseAlerts, { person: person.personId, alerts: chosen(context) });
    return redirect(`${base}/alerts`, "saved");
  });

  const showAll = async ({ run, person }: Signed, faults: Faults = {}) => {
    const alerts = told(await run(showAllAlerts, { person: person.personId }));
    const sender = await run(showMailTenant, {});
    const tenants = await searchTenants(db, { limit: TENANTS_TO_CHOOSE });
    const options = new Map(tenants.map(({ id, name }) => [id, name]));
    if (sender.tenantId !== null) options.set(sender.tenantId, sender.tenantName ?? "");
    return page("alerts", say`Alerts`, {
      alerts,
      action: "/alerts",
      sender,
      faults,
      tenantOptions: [...options],
    });
  };

  route("GET /alerts", (context) => showAll(context));

  route("POST /alerts", async (context) => {
    const { run, person } = context;
    await run(chooseAllAlerts, { person: person.personId, alerts: chosen(context) });
    return redirect("/alerts", "saved");
  });

  route("POST /alerts/sender", (context) =>
    orFaults(
      async () => {
        await context.run(chooseMailTenant, { tenant: context.form.get("tenant") || null });
        return redirect("/alerts", "saved");
      },
      (faults) => showAll(context, faults),
    ),
  );
}
