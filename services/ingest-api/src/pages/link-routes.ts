import { LINK_PAGES, type LinkPurpose } from "@belfry/contracts/message-links";
import { boundedForm, boundedMultipart, textFields } from "@belfry/contracts/parse-form";
import type { Database } from "@belfry/database/connection";
import { type Link, type LinkKeys, openLink } from "@belfry/database/link-token";
import type { AbuseLimits } from "@belfry/http-api/abuse-limits";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  type Brand,
  filled,
  type LinkPage,
  type LinkVisit,
  sendPage,
  tenantText,
} from "./page-frame.ts";
import { readersLanguages, wordsFor } from "./page-words.ts";
import { preferencePage } from "./preference-page.ts";
import { unsubscribePage } from "./unsubscribe-page.ts";

export interface LinkPageDeps {
  /** Undefined if no key is configured. Every link is then answered 404. */
  linkKeys: LinkKeys | undefined;
  db: Database;
  limits: AbuseLimits;
  announcePreferences(owner: { tenantId: string; userId: string }): void;
  now(): Date;
}

/** Fits the form of a hundred categories with every box set. */
const MAX_FORM_BYTES = 96 * 1024;
const MAX_FIELDS = 2_000;
const PUNCTUATION = ".,;:!)]}>\"'*…”’»";

const PAGES: readonly LinkPage[] = [unsubscribePage, preferencePage];

interface Opened {
  link: Link;
  brand: Brand;
}

/**
 * Serves the pages that links in messages open. Anybody with the link may use its page, without a key, a cookie or a
 * script. Forged, cut and expired links and links of deleted tenants all get the same 404.
 */
export function linkRoutes(app: FastifyInstance, deps: LinkPageDeps): void {
  const opened = new WeakMap<FastifyRequest, Opened>();

  const visitOf = (request: FastifyRequest, { link, brand }: Opened): LinkVisit => {
    const languages = readersLanguages(request.headers["accept-language"]);
    const words = wordsFor(languages);
    const announceChanged = () => deps.announcePreferences(link);
    return { db: deps.db, link, announceChanged, languages, words, name: tenantText(brand.name) };
  };
  // Runs before the body is read, because the body of a dead link does not matter.
  const openFor =
    (purpose: LinkPurpose) => async (request: FastifyRequest, reply: FastifyReply) => {
      const { "*": token = "" } = request.params as { "*"?: string };
      const link =
        deps.linkKeys === undefined
          ? undefined
          : openLink(deps.linkKeys, purpose, withoutPunctuation(token), deps.now());
      if (link === undefined) return answerDeadLink(request, reply);
      await deps.limits.countLink(request, purpose, link);
      const { tenantId } = link;
      const read = () => readBrand(deps.db, tenantId);
      const brand = await deps.limits.inTurn(request, { door: "link", tenantId }, read);
      if (brand === undefined) return answerDeadLink(request, reply);
      request.logFields = { tenantId, link: purpose };
      opened.set(request, { link, brand });
    };

  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser<Buffer>(
      ["application/x-www-form-urlencoded", "multipart/form-data"],
      { parseAs: "buffer", bodyLimit: MAX_FORM_BYTES },
      (_request, body, parsed) => parsed(null, body),
    );
    for (const page of PAGES) {
      const url = `${LINK_PAGES[page.purpose]}/*`;
      const onRequest = openFor(page.purpose);
      const answer = async (
        request: FastifyRequest,
        reply: FastifyReply,
        work: (visit: LinkVisit) => ReturnType<LinkPage["show"]>,
      ) => {
        const { link, brand } = opened.get(request)!;
        const visit = visitOf(request, { link, brand });
        const caller = { door: "link", tenantId: link.tenantId } as const;
        const content = await deps.limits.inTurn(request, caller, () => work(visit));
        return sendPage(reply, visit.words, brand, content);
      };
      scope.get(url, { onRequest }, (request, reply) =>
        answer(request, reply, (visit) => page.show(visit)),
      );
      scope.post(url, { onRequest }, async (request, reply) => {
        const form = await readForm(request);
        return answer(request, reply, (visit) => page.change(visit, form));
      });
    }
    done();
  });
}

/** Removes punctuation that mail programs may add to a link in plain text. No token ends with punctuation. */
function withoutPunctuation(token: string): string {
  let end = token.length;
  while (end > 0 && PUNCTUATION.includes(token.charAt(end - 1))) end--;
  return token.slice(0, end);
}

function answerDeadLink(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const words = wordsFor(readersLanguages(request.headers["accept-language"]));
  const content = `<h1>${filled(words.gone, {})}</h1>\n<p>${filled(words.goneHint, {})}</p>`;
  return sendPage(reply, words, undefined, { status: 404, title: words.gone, content });
}

/** Reads the text fields of a form, which is urlencoded or multipart, as some mailbox providers send it. */
async function readForm(request: FastifyRequest): Promise<URLSearchParams> {
  const { body } = request;
  if (!Buffer.isBuffer(body)) return new URLSearchParams();
  const type = request.headers["content-type"] ?? "";
  if (!/^multipart\//i.test(type)) {
    return boundedForm(body.toString().trimEnd(), MAX_FIELDS);
  }
  return new URLSearchParams(textFields(await boundedMultipart(body, type, MAX_FIELDS)));
}

/** Reads the name and the colours for a tenant's pages; undefined if the tenant was deleted. */
async function readBrand(db: Database, tenantId: string): Promise<Brand | undefined> {
  return await db
    .selectFrom("tenants as t")
    .leftJoinLateral(
      (query) =>
        query
          .selectFrom("layouts as l")
          .select(["l.primary_color", "l.background_color"])
          .whereRef("l.tenant_id", "=", "t.id")
          .orderBy("l.version", "desc")
          .limit(1)
          .as("l"),
      (join) => join.onTrue(),
    )
    .select(["t.name", "l.primary_color as primaryColor", "l.background_color as backgroundColor"])
    .where("t.id", "=", tenantId)
    .executeTakeFirst();
}
