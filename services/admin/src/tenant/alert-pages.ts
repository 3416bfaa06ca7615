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
import type { InTenant, Signed } from "../page/router.ts";

/** The typed values and their faults. */
interface Given {
  faults?: Faults;
  form?: URLSearchParams;
}

/**
 * Registers the pages for the alerts that a person gets by email and in a chat: an owner for a tenant, an operator for
 * all tenants.
 */
export function alertPages({ route, db }: PageDeps): void {
  type Choices = Awaited<ReturnType<typeof showAlerts.run>>["output"];
  const shown = ({ alerts, chat }: Choices, { form, faults = {} }: Given) => ({
    alerts: alerts.map(({ kind, on }) => ({
      kind,
      on: form?.has(kind) ?? on,
      title: new Phrase((language) => alertWords(kind, language).title),
      when: new Phrase((language) => alertWords(kind, language).when),
    })),
    chat: form?.get("chat") ?? chat ?? "",
    faults,
  });
  const chosen = ({ form, person }: Signed) => ({
    person: person.personId,
    alerts: ALERT_KINDS.filter((kind) => form.has(kind)),
    chat: form.get("chat")?.trim() || null,
  });

  const showOwn = async ({ run, person, base }: InTenant, given: Given = {}) => {
    const choices = await run(showAlerts, { person: person.personId });
    return page("alerts", say`Alerts`, {
      ...shown(choices, given),
      action: `${base}/alerts`,
      sender: await mailTenant(db),
    });
  };

  route("GET /tenants/:tenantId/alerts", async (context) =>
    // An operator chooses for all tenants at once.
    context.role === "operator" ? redirect("/alerts") : showOwn(context),
  );

  route("POST /tenants/:tenantId/alerts", (context) =>
    orFaults(
      async () => {
        await context.run(chooseAlerts, chosen(context));
        return redirect(`${context.base}/alerts`, "saved");
      },
      (faults) => showOwn(context, { faults, form: context.form }),
    ),
  );

  const showAll = async ({ run, person }: Signed, given: Given = {}) => {
    const choices = await run(showAllAlerts, { person: person.personId });
    const sender = await run(showMailTenant, {});
    const tenants = await searchTenants(db, { limit: TENANTS_TO_CHOOSE });
    const options = new Map(tenants.map(({ id, name }) => [id, name]));
    if (sender.tenantId !== null) options.set(sender.tenantId, sender.tenantName ?? "");
    return page("alerts", say`Alerts`, {
      ...shown(choices, given),
      action: "/alerts",
      sender,
      tenantOptions: [...options],
    });
  };

  route("GET /alerts", (context) => showAll(context));

  route("POST /alerts", (context) =>
    orFaults(
      async () => {
        await context.run(chooseAllAlerts, chosen(context));
        return redirect("/alerts", "saved");
      },
      (faults) => showAll(context, { faults, form: context.form }),
    ),
  );

  route("POST /alerts/sender", (context) =>
    orFaults(
      async () => {
        await context.run(chooseMailTenant, { tenant: context.form.get("tenant") || null });
        return redirect("/alerts", "saved");
      },
      (faults) => showAll(context, { faults }),
    ),
  );
}
