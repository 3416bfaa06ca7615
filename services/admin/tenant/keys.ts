import { invalid } from "@belfry/administration/input-error";
import { readTemplates } from "@belfry/administration/templates/templates";
import { addApiKey, revokeApiKey } from "@belfry/administration/tenants/api-keys";
import { rotateApiKey } from "@belfry/administration/tenants/rotate-api-key";
import { rotateWebhookSecret } from "@belfry/administration/tenants/rotate-webhook-secret";
import {
  keyNoted,
  keyRotated,
  webhookSecretCreated,
} from "@belfry/administration/tenants/tenant-notes";
import { showTenant, updateTenant } from "@belfry/administration/tenants/tenants";
import { newWebhookSecret } from "@belfry/administration/tenants/webhook-secret";
import { isKeyRole, KEY_ROLE_WORDS, keyMay } from "@belfry/contracts/key-roles";
import { type Answer, orFaults, page, redirect } from "../drawing/answer.ts";
import { curlLine, readLine } from "../event/curl-line.ts";
import type { PageDeps } from "../page-deps.ts";
import type { InTenant } from "../router.ts";

const SIGNING_IN_NODE = `import { createHmac } from "node:crypto";
const signature = createHmac("sha256", process.env.BELFRY_WEBHOOK_SECRET)
  .update(rawBody)
  .digest("hex");`;

/** API keys and the webhook secret. What is secret is on the page behind the request that made it, and never again. */
export function keyPages({ route, db, keys, config, once }: PageDeps): void {
  const show = async ({ tenant }: InTenant, extra: object = {}): Promise<Answer> =>
    page("keys", "API keys", {
      found: await showTenant(db, tenant.id),
      created: undefined,
      createdSecret: undefined,
      signingInNode: SIGNING_IN_NODE,
      isFirstKey: false,
      keyName: "",
      keyRole: "all",
      rotatedRole: "",
      roleWords: KEY_ROLE_WORDS,
      overlapHours: "24",
      secretOverlapHours: "24",
      faults: {},
      ...extra,
    });

  route("GET /tenants/:tenantId/keys", async (context) => {
    const { apiKey, role, ...made } = await once.take(context);
    if (typeof apiKey !== "string") return await show(context, made);
    if (isKeyRole(role) && !keyMay(role, "trigger")) {
      return await show(context, {
        ...made,
        created: { apiKey, curl: readLine(config.apiUrl, apiKey) },
      });
    }
    const templates = await readTemplates(db, context.tenant.id);
    const first = templates.find((template) => template.active);
    const curl = curlLine(config.apiUrl, apiKey, first?.eventType, first?.variables);
    return await show(context, { ...made, created: { apiKey, curl } });
  });

  route("POST /tenants/:tenantId/keys", async (context) => {
    const { tenant, audited, form, person, base } = context;
    const keyName = (form.get("keyName") ?? "").trim();
    const keyRole = form.get("keyRole") ?? "all";
    return await orFaults(
      async () => {
        const { apiKey, role } = await audited(
          (transaction) => addApiKey(transaction, tenant.id, { name: keyName, role: keyRole }),
          (made) => keyNoted("create", tenant.id, made),
        );
        return await once.show(person, `${base}/keys`, { apiKey, role });
      },
      ({ name, ...faults }) =>
        show(context, { faults: { ...faults, keyName: name }, keyName, keyRole }),
    );
  });

  route("POST /tenants/:tenantId/keys/rotate", async (context) => {
    const { tenant, audited, form, person, base } = context;
    const hours = form.get("overlapHours") ?? "";
    const role = form.get("rotatedRole") ?? undefined;
    return await orFaults(
      async () => {
        const { apiKey, apiKeys } = await audited(
          (transaction) => rotateApiKey(transaction, tenant.id, secondsOf(hours), { role }),
          (after) => keyRotated(after, secondsOf(hours)),
        );
        const made = { apiKey, role: apiKeys[0]?.role };
        return await once.show(person, `${base}/keys`, made);
      },
      ({ role: rotatedRole, ...faults }) =>
        show(context, {
          faults: { ...faults, rotatedRole },
          overlapHours: hours,
          rotatedRole: role ?? "",
        }),
    );
  });

  route("POST /tenants/:tenantId/keys/:keyId/revoke", async (context) => {
    const { tenant, audited, params, base } = context;
    await audited(
      (transaction) => revokeApiKey(transaction, tenant.id, params.keyId ?? ""),
      (gone) => keyNoted("revoke", tenant.id, gone),
    );
    return redirect(`${base}/keys`, "revoked");
  });

  route("POST /tenants/:tenantId/webhook-secret", async (context) => {
    const { tenant, audited, form, person, base } = context;
    const hours = form.get("secretOverlapHours") ?? "0";
    const createdSecret = newWebhookSecret();
    return await orFaults(
      async () => {
        const input = { webhookSecret: createdSecret, overlapSeconds: secondsOf(hours) };
        await audited(
          (transaction) => rotateWebhookSecret(transaction, tenant.id, input, keys),
          webhookSecretCreated,
        );
        return await once.show(person, `${base}/keys`, { createdSecret });
      },
      ({ overlapSeconds: secretOverlapHours = "" }) =>
        show(context, { faults: { secretOverlapHours }, secretOverlapHours: hours }),
    );
  });

  route("POST /tenants/:tenantId/webhook-secret/remove", async ({ tenant, audited, base }) => {
    await audited(
      (transaction) => updateTenant(transaction, tenant.id, { webhookSecret: null }, keys),
      () => ({ tenantId: tenant.id, action: "webhook-secret.remove", target: "webhook secret" }),
    );
    return redirect(`${base}/keys`, "secret-removed");
  });
}

const MAX_HOURS = 720;

function secondsOf(hours: string): number {
  if (/^\d{1,3}$/.test(hours) && Number(hours) <= MAX_HOURS) return Number(hours) * 3600;
  throw invalid("overlapSeconds", `must be a whole number of hours, from 0 to ${MAX_HOURS}`);
}
