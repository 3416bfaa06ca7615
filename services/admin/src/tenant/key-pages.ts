import { invalid } from "@belfry/administration/input-error";
import { readTemplates } from "@belfry/administration/templates/templates";
import {
  createKey,
  removeWebhookSecret,
  revokeKey,
  rotateKey,
  rotateWebhookSecret,
} from "@belfry/administration/tenants/tenant-credentials";
import { showTenant } from "@belfry/administration/tenants/tenants";
import { isKeyRole, KEY_ROLE_WORDS, type KeyRole, keyMay } from "@belfry/contracts/key-roles";
import { SCHEDULED_PATH } from "@belfry/contracts/scheduled";
import { TRIGGER_PATH } from "@belfry/contracts/trigger";
import { type Answer, orFaults, page, redirect } from "../page/answer.ts";
import { say } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";

const SIGNING_IN_NODE = `import { createHmac } from "node:crypto";
const signature = createHmac("sha256", process.env.BELFRY_WEBHOOK_SECRET)
  .update(rawBody)
  .digest("hex");`;

/** Registers the page of API keys and of the webhook secret. The page shows a new secret once. */
export function keyPages({ route, db, config, once }: PageDeps): void {
  const show = async (
    { tenant }: InTenant,
    { values, ...more }: { values?: object; [name: string]: unknown } = {},
  ): Promise<Answer> =>
    page("keys", say`API keys`, {
      found: await showTenant(db, tenant.id),
      signingInNode: SIGNING_IN_NODE,
      roleWords: KEY_ROLE_WORDS,
      faults: {},
      values: { keyRole: "all", overlapHours: "24", secretOverlapHours: "24", ...values },
      ...more,
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
    const { run, form, person, base } = context;
    const keyName = (form.get("keyName") ?? "").trim();
    const keyRole = form.get("keyRole") ?? "all";
    return await orFaults(
      () =>
        run(createKey, { name: keyName, role: keyRole as KeyRole }).then(({ apiKey, role }) =>
          once.show(person, `${base}/keys`, { apiKey, role }),
        ),
      ({ name, ...faults }) =>
        show(context, { faults: { ...faults, keyName: name }, values: { keyName, keyRole } }),
    );
  });

  route("POST /tenants/:tenantId/keys/rotate", async (context) => {
    const { run, form, person, base } = context;
    const overlapHours = form.get("overlapHours") ?? "";
    const rotatedRole = form.get("rotatedRole") ?? undefined;
    return await orFaults(
      () =>
        run(rotateKey, {
          overlapSeconds: secondsOf(overlapHours),
          role: rotatedRole as KeyRole | undefined,
        }).then(({ apiKey, apiKeys }) =>
          once.show(person, `${base}/keys`, { apiKey, role: apiKeys[0]?.role }),
        ),
      ({ role, ...faults }) =>
        show(context, {
          faults: { ...faults, rotatedRole: role },
          values: { overlapHours, rotatedRole },
        }),
    );
  });

  route("POST /tenants/:tenantId/keys/:keyId/revoke", async ({ run, params, base }) => {
    await run(revokeKey, { keyId: params.keyId ?? "" });
    return redirect(`${base}/keys`, "revoked");
  });

  route("POST /tenants/:tenantId/webhook-secret", async (context) => {
    const { run, form, person, base } = context;
    const hours = form.get("secretOverlapHours") ?? "0";
    return await orFaults(
      () =>
        run(rotateWebhookSecret, { overlapSeconds: secondsOf(hours) }).then((made) =>
          once.show(person, `${base}/keys`, { createdSecret: made.createdSecret }),
        ),
      ({ overlapSeconds: secretOverlapHours = "" }) =>
        show(context, { faults: { secretOverlapHours }, values: { secretOverlapHours: hours } }),
    );
  });

  route("POST /tenants/:tenantId/webhook-secret/remove", async ({ run, base }) => {
    await run(removeWebhookSecret, {});
    return redirect(`${base}/keys`, "secret-removed");
  });
}

const MAX_HOURS = 720;

function secondsOf(hours: string): number {
  if (/^\d{1,3}$/.test(hours) && Number(hours) <= MAX_HOURS) return Number(hours) * 3600;
  throw invalid("overlapSeconds", `must be a whole number of hours, from 0 to ${MAX_HOURS}`);
}

/**
 * Returns a trigger as one line for bash and zsh. It makes a new idempotency key each time, so it can be pasted again
 * and again. No value can end the quotes around it.
 */
export function curlLine(
  apiUrl: string,
  apiKey: string,
  eventType = "global.info",
  variables: readonly string[] = ["title", "message"],
): string {
  const body = JSON.stringify({
    eventType,
    payload: {
      userId: "user-1",
      recipientEmail: "ada@example.com",
      recipientPhone: "+12025550123",
    },
    variables: Object.fromEntries(variables.map((name) => [name, `Sample ${name}`])),
  });
  return [
    `curl -sS ${apiUrl}${TRIGGER_PATH}`,
    "-H 'Content-Type: application/json'",
    `-H 'x-api-key: ${apiKey}'`,
    `-H "X-Idempotency-Key: $(date +%s%N)-$RANDOM"`,
    `-d '${body.replaceAll("'", "'\\''")}'`,
  ].join(" ");
}

/** Returns the line for a key that may only read: it lists the scheduled events. */
function readLine(apiUrl: string, apiKey: string): string {
  return `curl -sS ${apiUrl}${SCHEDULED_PATH} -H 'x-api-key: ${apiKey}'`;
}
