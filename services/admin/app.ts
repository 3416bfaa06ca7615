import { type ActServices, NotAllowed } from "@belfry/administration/act";
import { MANAGE_PATH } from "@belfry/administration/act-http";
import { InvalidInput, NotFound, TooLate } from "@belfry/administration/input-error";
import { listMemberships } from "@belfry/administration/people/person-rows";
import { TooBusy } from "@belfry/administration/people/scrypt-queue";
import { createHttpServer } from "@belfry/service/http";
import { problemOf } from "@belfry/service/http-problems";
import cookie from "@fastify/cookie";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { mayDo } from "./door/access.ts";
import { accountPages } from "./door/account.ts";
import { accountIdentityPages } from "./door/account-identities.ts";
import { createCodePendings } from "./door/code-pending.ts";
import { codeSignInPages } from "./door/code-sign-in.ts";
import { createCookies } from "./door/cookies.ts";
import { joinPages } from "./door/join.ts";
import { createMemberships } from "./door/memberships.ts";
import { createOidcDoor } from "./door/oidc-door.ts";
import { oidcSignInPages } from "./door/oidc-sign-in.ts";
import { Refusal, type RefusedRole } from "./door/refusal.ts";
import { refuseUnknownRoutes } from "./door/refuse-unknown-routes.ts";
import { resetPages } from "./door/reset.ts";
import { securityHeaders } from "./door/security-headers.ts";
import { createShownOnce } from "./door/shown-once.ts";
import { signInPages } from "./door/sign-in.ts";
import { twoFactorPages } from "./door/two-factor.ts";
import { wayBack } from "./door/way-back.ts";
import { type Answer, page } from "./drawing/answer.ts";
import { assetRoutes } from "./drawing/asset-routes.ts";
import { loadAssets } from "./drawing/assets.ts";
import { noticeOf } from "./drawing/notices.ts";
import { createViews } from "./drawing/views.ts";
import { activityPages } from "./event/activity.ts";
import { deadLetterPages } from "./event/dead-letters.ts";
import { digestPages } from "./event/digest.ts";
import { outboxPages } from "./event/outbox.ts";
import { manageApi } from "./manage-api.ts";
import type { AppDeps } from "./page-deps.ts";
import { auditPages } from "./platform/audit.ts";
import { deleteTenantPages } from "./platform/delete-tenant.ts";
import { operatorPages } from "./platform/operators.ts";
import { overviewPages } from "./platform/overview.ts";
import { platformKeyPages } from "./platform/platform-keys.ts";
import { systemPages } from "./platform/system.ts";
import { tenantPages } from "./platform/tenants.ts";
import { providerFormPages } from "./provider/provider-form.ts";
import { providerPages } from "./provider/providers.ts";
import { createRoute, type Guest, type PlaceInTenant } from "./router.ts";
import { searchPages } from "./search/search.ts";
import { copyingPages } from "./template/copying.ts";
import { designPages } from "./template/design.ts";
import { environmentPages } from "./template/environment.ts";
import { newTemplatePages } from "./template/new-template.ts";
import { publishingPages } from "./template/publishing.ts";
import { templateEditorPages } from "./template/template-editor.ts";
import { templateLanguagePages } from "./template/template-languages.ts";
import { templatePreviewPages } from "./template/template-preview.ts";
import { templatePages } from "./template/templates.ts";
import { importSuppressionPages } from "./tenant/import-suppressions.ts";
import { keyPages } from "./tenant/keys.ts";
import { memberPages } from "./tenant/members.ts";
import { suppressionPages } from "./tenant/suppressions.ts";
import { categoryPages } from "./user/categories.ts";
import { disconnectUserPages } from "./user/disconnect-user.ts";
import { editUserPages } from "./user/edit-user.ts";
import { eraseUserPages } from "./user/erase-user.ts";
import { importPages } from "./user/import-page.ts";
import { inboundPages } from "./user/inbound.ts";
import { preferencePages } from "./user/preferences.ts";
import { userPages } from "./user/users.ts";
import { scheduledEventPages } from "./waiting/scheduled-event.ts";
import { waitingPages } from "./waiting/waiting.ts";
import { disabledEndpoints } from "./webhook/disabled-endpoints.ts";
import { endpointPages } from "./webhook/endpoint.ts";
import { webhookMessagePages } from "./webhook/message.ts";
import { replayPages } from "./webhook/replay.ts";
import { webhookPages } from "./webhook/webhooks.ts";

/** A template's text, as the editor sends it, and the rest of the form. */
const MAX_BODY_BYTES = 1024 * 1024;

const PAGES = [
  assetRoutes,
  signInPages,
  codeSignInPages,
  joinPages,
  resetPages,
  accountPages,
  twoFactorPages,
  oidcSignInPages,
  accountIdentityPages,
  tenantPages,
  deleteTenantPages,
  operatorPages,
  platformKeyPages,
  systemPages,
  auditPages,
  overviewPages,
  keyPages,
  webhookPages,
  endpointPages,
  webhookMessagePages,
  replayPages,
  templatePages,
  newTemplatePages,
  templateEditorPages,
  templateLanguagePages,
  templatePreviewPages,
  publishingPages,
  copyingPages,
  designPages,
  environmentPages,
  providerPages,
  providerFormPages,
  activityPages,
  searchPages,
  waitingPages,
  scheduledEventPages,
  digestPages,
  outboxPages,
  userPages,
  editUserPages,
  eraseUserPages,
  disconnectUserPages,
  preferencePages,
  categoryPages,
  importPages,
  inboundPages,
  deadLetterPages,
  suppressionPages,
  importSuppressionPages,
  memberPages,
];

/** The Admin UI, not yet listening. */
export async function createApp(deps: AppDeps): Promise<FastifyInstance> {
  const { config, db } = deps;
  const isHttps = config.baseUrl.startsWith("https://");
  const assets = await loadAssets();
  const views = createViews(true);
  const cookies = createCookies(db, isHttps);
  const headers = securityHeaders({ wsUrl: config.wsUrl, isHttps });
  const app = createHttpServer({
    log: deps.log,
    maxBodyBytes: MAX_BODY_BYTES,
    trustProxy:
      config.trustProxy === "" ? false : config.trustProxy.split(",").map((s) => s.trim()),
  });
  const services = actServices(deps);
  await manageApi(app, { ...deps, services });
  app.addHook("onRequest", (request, reply, done) => {
    // Of pages and of what leads nowhere; the API has its own.
    if (request.routeOptions.url?.startsWith(MANAGE_PATH) !== true) reply.headers(headers);
    done();
  });

  const disabledFor = async (inTenant: PlaceInTenant | undefined) =>
    inTenant !== undefined && mayDo(inTenant.role, "editor")
      ? await disabledEndpoints(db, inTenant.tenant.id)
      : [];
  const write = async (answer: Answer, context: Guest, inTenant?: PlaceInTenant): Promise<void> => {
    const { reply, request, person, query } = context;
    switch (answer.kind) {
      case "redirect":
        await reply.code(303).header("location", answer.to).send();
        return;
      case "json":
        await reply.code(answer.status).send(answer.body);
        return;
      case "document":
        await reply.type("text/html; charset=utf-8").headers(answer.headers).send(answer.content);
        return;
      case "page": {
        const html = views.render(answer.view, {
          ...answer.data,
          title: answer.title,
          isAnswer: request.method === "POST",
          path: request.url.split("?", 1)[0],
          person,
          tenant: inTenant?.tenant,
          role: inTenant?.role,
          base: inTenant?.base,
          tenants:
            person === undefined || person.operator
              ? []
              : await listMemberships(db, person.personId),
          disabledEndpoints: await disabledFor(inTenant),
          token: cookies.formToken(request, reply, person !== undefined),
          notice: noticeOf(query.get("done")),
          oidcName: config.oidc?.name,
          asset: assets.address,
          cameFrom: wayBack(request),
        });
        await reply.code(answer.status).type("text/html; charset=utf-8").send(html);
      }
    }
  };
  const guestOf = async (request: FastifyRequest, reply: FastifyReply): Promise<Guest> => ({
    // The database may be what failed.
    person: await cookies.holder(request).catch(() => undefined),
    params: {},
    query: new URLSearchParams(),
    form: new URLSearchParams(),
    address: request.ip,
    request,
    reply,
  });
  // A scope of its own: outside of it errors are the JSON of every service.
  // biome-ignore lint/nursery/noMisusedPromises: Fastify awaits it
  await app.register(async (scope) => {
    await scope.register(cookie);
    scope.addContentTypeParser<string>(
      "application/x-www-form-urlencoded",
      { parseAs: "string" },
      (_request, body, done) => done(null, new URLSearchParams(body)),
    );
    refuseUnknownRoutes(scope);
    scope.setErrorHandler(async (error, request, reply) => {
      const place = error instanceof Refusal ? error.of : undefined;
      if (error instanceof TooBusy) reply.header("retry-after", String(error.retryAfterSeconds));
      await write(errorAnswer(error, request), await guestOf(request, reply), place);
      return reply;
    });
    const route = createRoute(scope, {
      ...{ db, services, cookies, memberships: createMemberships(db), write },
    });
    const once = createShownOnce(db, deps.keys);
    const oidc = createOidcDoor(config, deps.keys);
    const codePendings = createCodePendings(cookies, deps.keys, { isHttps, nowMs: deps.nowMs });
    for (const pages of PAGES) pages({ ...deps, route, assets, cookies, once, oidc, codePendings });
    route("GET /*", async () => NOTHING_HERE);
  });
  return app;
}

function actServices(deps: AppDeps): ActServices {
  const { pool, publishEvent, publishNotification, announcePreferences, disconnect, config } = deps;
  return {
    ...{ pool, publishEvent, publishNotification, announcePreferences, disconnect },
    keys: async () => deps.keys,
    adminUrl: async () => config.baseUrl,
    allowPrivateAddresses: async () => config.allowPrivateAddresses,
    allowPrivateWebhooks: async () => config.allowPrivateWebhooks,
  };
}

const NOTHING_HERE = page("message", "Not found", { text: "This page does not exist." }, 404);

function errorAnswer(error: unknown, request: FastifyRequest): Answer {
  if (error instanceof NotFound) return NOTHING_HERE;
  if (error instanceof Refusal && error.reason === "sign-in") {
    const next = request.method === "GET" ? `?next=${encodeURIComponent(request.url)}` : "";
    return { kind: "redirect", to: `/sign-in${next}` };
  }
  if (error instanceof Refusal) {
    const text =
      error.reason === "forged"
        ? "This form has expired. Open the page again and try once more."
        : forbiddenWords(error.of);
    return page("message", "Not allowed", { text }, 403);
  }
  if (error instanceof InvalidInput) {
    return page("message", "Not possible", { text: error.message }, 422);
  }
  if (error instanceof NotAllowed) {
    return page("message", "Not allowed", { text: forbiddenWords(undefined) }, 403);
  }
  if (error instanceof TooLate) {
    return page("message", "Not possible", { text: error.message }, 409);
  }
  if (error instanceof TooBusy) {
    const text =
      "Too many people are signing in at this moment. Nothing was done: try again in a few seconds.";
    return page("message", "Busy", { text }, 503);
  }
  const { statusCode } = problemOf(error).body;
  if (statusCode < 500) {
    return page("message", "Not possible", { text: "The request could not be read." }, statusCode);
  }
  request.log.error({ traceId: request.id, err: error }, "request failed");
  const text = "Something went wrong on our side. Try again in a moment.";
  return page("message", "Sorry", { text, traceId: request.id }, 500);
}

function forbiddenWords(of: RefusedRole | undefined): string {
  if (of === undefined) return "Your role does not allow this: it is for operators.";
  const { role, needed, tenant } = of;
  const who = needed === "operator" ? "an operator of this installation" : `an ${needed}`;
  return `In ${tenant.name} you are ${role === "viewer" ? "a" : "an"} ${role}: this takes ${who}.`;
}
