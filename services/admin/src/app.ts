import { NotAllowed } from "@belfry/administration/act";
import { MANAGE_PATH } from "@belfry/administration/act-http";
import { countDead } from "@belfry/administration/dead-letters/dead-letter-rows";
import { InvalidInput, NotFound, TooLate } from "@belfry/administration/input-error";
import { listMemberships } from "@belfry/administration/people/person-rows";
import { TooBusy } from "@belfry/administration/people/scrypt-queue";
import { boundedForm, boundedMultipart } from "@belfry/contracts/parse-form";
import { createHttpServer } from "@belfry/service/http";
import { problemOf } from "@belfry/service/http-problems";
import cookie from "@fastify/cookie";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { accountPages } from "./auth/account-pages.ts";
import { joinPages } from "./auth/join-pages.ts";
import { createOidcClient } from "./auth/oidc-client.ts";
import type { OidcSettings } from "./auth/oidc-settings.ts";
import { oidcSignInPages } from "./auth/oidc-sign-in-pages.ts";
import { createPendingSignIns } from "./auth/pending-sign-ins.ts";
import { resetPages } from "./auth/reset-pages.ts";
import { signInPages } from "./auth/sign-in-pages.ts";
import { twoFactorPages } from "./auth/two-factor-pages.ts";
import { broadcastPages } from "./broadcast/broadcast-pages.ts";
import { composePages } from "./broadcast/compose-pages.ts";
import { activityPages, digestPages } from "./event/activity-pages.ts";
import { deadLetterPages } from "./event/dead-letter-pages.ts";
import { messageListPages } from "./event/message-list-pages.ts";
import { searchPages } from "./event/search-pages.ts";
import { scheduledEventPages, waitingPages } from "./event/waiting-pages.ts";
import { type ManageApiDeps, manageApi } from "./manage-api.ts";
import { mayDo, refuseUnknownRoutes } from "./page/access.ts";
import { type Answer, cameFrom, createShownOnce, page, redirect } from "./page/answer.ts";
import { assetRoutes, loadAssets } from "./page/assets.ts";
import { createCookies } from "./page/cookies.ts";
import { faultWords, refusalWords } from "./page/fault-words.ts";
import { MAX_FORM_FIELDS } from "./page/form-fields.ts";
import { acceptedLanguage, isLanguage, type Language, Phrase, say } from "./page/language.ts";
import { noticeOf } from "./page/notices.ts";
import type { PageDeps } from "./page/page-deps.ts";
import {
  createRoute,
  type Guest,
  type PlaceInTenant,
  Refusal,
  type RefusedRole,
} from "./page/router.ts";
import { securityHeaders } from "./page/security-headers.ts";
import { renderView } from "./page/views.ts";
import { auditPages } from "./platform/audit-pages.ts";
import { operatorPages, platformKeyPages } from "./platform/operator-pages.ts";
import { type SystemFacts, systemPages } from "./platform/system-pages.ts";
import { deleteTenantPages, tenantPages } from "./platform/tenant-pages.ts";
import { providerFormPages } from "./provider/provider-form-pages.ts";
import { providerPages } from "./provider/provider-pages.ts";
import { designPages } from "./template/design-pages.ts";
import { environmentPages } from "./template/environment-pages.ts";
import { imagePages } from "./template/image-pages.ts";
import { newTemplatePages } from "./template/new-template-pages.ts";
import { publishingPages } from "./template/publishing-pages.ts";
import { templateEditorPages } from "./template/template-editor-pages.ts";
import { copyingPages, templateLanguagePages, templatePages } from "./template/template-pages.ts";
import { templatePreviewPages } from "./template/template-preview-pages.ts";
import { alertPages } from "./tenant/alert-pages.ts";
import { keyPages } from "./tenant/key-pages.ts";
import { memberPages } from "./tenant/member-pages.ts";
import { overviewPages } from "./tenant/overview-pages.ts";
import { importSuppressionPages, suppressionPages } from "./tenant/suppression-pages.ts";
import { categoryPages, importPages } from "./user/category-pages.ts";
import { changeUserPages } from "./user/change-user-pages.ts";
import { importFilePages } from "./user/import-file-pages.ts";
import { topicPages } from "./user/topic-pages.ts";
import { userPages } from "./user/user-pages.ts";
import { replayPages, webhookMessagePages } from "./webhook/webhook-message-pages.ts";
import { endpointPages, webhookPages } from "./webhook/webhook-pages.ts";
import { disabledEndpoints } from "./webhook/webhook-rows.ts";

/** Maximum size of a request's body: a template's text, as the editor sends it, and the rest of the form. */
const MAX_BODY_BYTES = 1024 * 1024;

/** The menu counts at most this many dead letters. */
const MOST_DEAD = 100;

const PAGES = [
  signInPages,
  joinPages,
  resetPages,
  accountPages,
  twoFactorPages,
  oidcSignInPages,
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
  imagePages,
  environmentPages,
  providerPages,
  providerFormPages,
  activityPages,
  searchPages,
  waitingPages,
  scheduledEventPages,
  digestPages,
  broadcastPages,
  composePages,
  messageListPages,
  userPages,
  changeUserPages,
  topicPages,
  importFilePages,
  categoryPages,
  importPages,
  deadLetterPages,
  suppressionPages,
  importSuppressionPages,
  memberPages,
  alertPages,
];

/** Dependencies of the Admin UI. */
export interface AppDeps
  extends Pick<PageDeps, "db" | "keys" | "signToken" | "nowMs" | "log">,
    Omit<ManageApiDeps, "config"> {
  config: PageDeps["config"] &
    ManageApiDeps["config"] & {
      /** Addresses of trusted proxies, comma-separated; empty if there are none. */
      trustProxy: string;
      /** Undefined if people can sign in only by password. */
      oidc?: OidcSettings | undefined;
    };
  systemFacts(): Promise<SystemFacts>;
}

/** Creates the server of the Admin UI, which does not listen yet. */
export async function createApp(deps: AppDeps): Promise<FastifyInstance> {
  const { config, db, keys, services, nowMs } = deps;
  const isHttps = config.baseUrl.startsWith("https://");
  const assets = await loadAssets();
  const cookies = createCookies(db, isHttps);
  const headers = securityHeaders({ ...config, isHttps });
  const app = createHttpServer({
    log: deps.log,
    maxBodyBytes: MAX_BODY_BYTES,
    trustProxy:
      config.trustProxy === "" ? false : config.trustProxy.split(",").map((s) => s.trim()),
  });
  await manageApi(app, deps);
  app.addHook("onRequest", (request, reply, done) => {
    // The management API sets its own headers.
    if (request.routeOptions.url?.startsWith(MANAGE_PATH) !== true) reply.headers(headers);
    done();
  });

  const drawn = async (
    { view, data, title }: Extract<Answer, { kind: "page" }>,
    guest: Guest,
    inTenant?: PlaceInTenant,
  ) => {
    const { reply, request, person, query } = guest;
    const language = languageOf(guest);
    const mayEdit = inTenant !== undefined && mayDo(inTenant.role, "editor");
    const dead = inTenant && (await countDead(db, inTenant.tenant.id, MOST_DEAD));
    const content = {
      ...data,
      title,
      isAnswer: request.method === "POST",
      path: request.url.split("?", 1)[0],
      person,
      tenant: inTenant?.tenant,
      role: inTenant?.role,
      base: inTenant?.base,
      lock: inTenant?.lock,
      tenants:
        person === undefined || person.operator ? [] : await listMemberships(db, person.personId),
      disabledEndpoints: mayEdit ? await disabledEndpoints(db, inTenant.tenant.id) : [],
      deadLetters: dead && { count: dead, isPartial: dead >= MOST_DEAD },
      token: cookies.formToken(request, reply, person !== undefined),
      notice: noticeOf(query.get("done")),
      oidcName: config.oidc?.name,
      apiDocs: `${config.apiUrl}/docs`,
      asset: (name: string) => assets.address(name, language),
      cameFrom: cameFrom(request),
    };
    return renderView(view, content, language);
  };
  const write = async (answer: Answer, guest: Guest, inTenant?: PlaceInTenant): Promise<void> => {
    const { reply } = guest;
    const html = "text/html; charset=utf-8";
    switch (answer.kind) {
      case "redirect":
        await reply.code(303).header("location", answer.to).send();
        return;
      case "json":
        await reply
          .code(answer.status)
          .type("application/json; charset=utf-8")
          .send(jsonIn(answer.body, languageOf(guest)));
        return;
      case "document":
        await reply.type(html).headers(answer.headers).send(answer.content);
        return;
      case "page": {
        const content = await drawn(answer, guest, inTenant);
        await reply.code(answer.status).type(html).send(content);
      }
    }
  };
  const guestOf = async (request: FastifyRequest, reply: FastifyReply): Promise<Guest> => ({
    // Error pages need a guest, too, and the database may be the cause of the error.
    person: await cookies.holder(request).catch(() => undefined),
    params: {},
    query: new URLSearchParams(),
    form: new URLSearchParams(),
    address: request.ip,
    request,
    reply,
  });
  // Inside this scope, errors become pages. Outside of it, they are JSON, as in every service.
  // biome-ignore lint/nursery/noMisusedPromises: Fastify awaits it
  await app.register(async (scope) => {
    await scope.register(cookie);
    scope.addContentTypeParser<string>(
      "application/x-www-form-urlencoded",
      { parseAs: "string" },
      async (_request: FastifyRequest, body: string) => boundedForm(body, MAX_FORM_FIELDS),
    );
    scope.addContentTypeParser<Buffer>(
      "multipart/form-data",
      { parseAs: "buffer" },
      async ({ headers }: FastifyRequest, body: Buffer) =>
        await boundedMultipart(body, headers["content-type"] ?? "", MAX_FORM_FIELDS),
    );
    refuseUnknownRoutes(scope);
    scope.setErrorHandler(async (error, request, reply) => {
      const place = error instanceof Refusal ? error.of : undefined;
      if (error instanceof TooBusy) reply.header("retry-after", String(error.retryAfterSeconds));
      await write(errorAnswer(error, request), await guestOf(request, reply), place);
      return reply;
    });
    const route = createRoute(scope, { db, services, cookies, write });
    const pageDeps = {
      ...deps,
      route,
      cookies,
      once: createShownOnce(db, keys),
      oidc: config.oidc && createOidcClient(config.oidc, config.baseUrl),
      pendings: createPendingSignIns(cookies, { keys, isHttps, nowMs }),
    };
    assetRoutes(route, assets, config.apiUrl);
    for (const pages of PAGES) pages(pageDeps);
    route("GET /*", async () => NOTHING_HERE);
  });
  return app;
}

function languageOf({ person, request }: Guest): Language {
  const chosen = person?.language;
  return isLanguage(chosen) ? chosen : acceptedLanguage(request.headers["accept-language"]);
}

/** Returns JSON for a script of a page, with all phrases in the reader's language. */
function jsonIn(body: object, language: Language): string {
  return JSON.stringify(body, function (this: Record<string, unknown>, key, value) {
    // In `value`, a phrase is an English string already (`toJSON`).
    const original = this[key];
    return original instanceof Phrase ? original.in(language) : value;
  });
}

const NOTHING_HERE = page("message", say`Not found`, { text: say`This page does not exist.` }, 404);

function errorAnswer(error: unknown, request: FastifyRequest): Answer {
  if (error instanceof NotFound) return NOTHING_HERE;
  if (error instanceof Refusal && error.reason === "sign-in") {
    const next = request.method === "GET" ? `?next=${encodeURIComponent(request.url)}` : "";
    return redirect(`/sign-in${next}`);
  }
  if (error instanceof Refusal && error.reason === "forged") {
    const text = say`This form has expired. Open the page again and try once more.`;
    return page("message", say`Not allowed`, { text }, 403);
  }
  if (error instanceof Refusal || error instanceof NotAllowed) {
    const text = forbiddenWords(error instanceof Refusal ? error.of : undefined);
    return page("message", say`Not allowed`, { text }, 403);
  }
  if (error instanceof InvalidInput || error instanceof TooLate) {
    const isLate = error instanceof TooLate;
    const status = isLate ? 409 : 422;
    const text = isLate ? faultWords(error.message) : refusalWords(error.faults);
    return page("message", say`Not possible`, { text }, status);
  }
  if (error instanceof TooBusy) {
    const text = say`Too many people are signing in at this moment. Nothing was done: try again in a few seconds.`;
    return page("message", say`Busy`, { text }, 503);
  }
  const { statusCode } = problemOf(error).body;
  if (statusCode < 500) {
    return page(
      "message",
      say`Not possible`,
      { text: say`The request could not be read.` },
      statusCode,
    );
  }
  request.log.error({ traceId: request.id, err: error }, "request failed");
  const text = say`Something went wrong on our side. Try again in a moment.`;
  return page("message", say`Sorry`, { text, traceId: request.id }, 500);
}

function forbiddenWords(of: RefusedRole | undefined): Phrase {
  if (of === undefined) return say`Your role does not allow this: it is for operators.`;
  if (of.lock) return say`Nothing can be changed here while the environment is locked.`;
  const { role, needed, tenant } = of;
  return say`In ${tenant.name} your role is ${role}. This page needs the role ${needed}.`;
}
