import type { Readable } from "node:stream";
import { type InputFault, InvalidInput } from "@belfry/administration/input-error";
import type { SessionHolder } from "@belfry/administration/people/sessions";
import { keepToShow, takeToShow } from "@belfry/administration/people/sessions";
import type { Database } from "@belfry/database/connection";
import type { SecretKeys } from "@belfry/database/secrets";
import type { FastifyRequest } from "fastify";
import { faultWords } from "./fault-words.ts";
import { phrase, type Words } from "./language.ts";
import type { Headers } from "./security-headers.ts";

/** A handler's answer, which the router sends. */
export type Answer =
  | {
      kind: "page";
      view: string;
      title: Words;
      status: number;
      data: Record<string, unknown>;
    }
  | { kind: "redirect"; to: string }
  | { kind: "json"; status: number; body: object }
  /** A document with its own headers that is not one of our pages. */
  | { kind: "document"; content: string | Buffer | Readable; headers: Headers };

export function page(
  view: string,
  title: Words,
  data: Record<string, unknown> = {},
  status = 200,
): Answer {
  return { kind: "page", view, title, status, data };
}

/**
 * `done` names a sentence of notices.ts, shown once on the next page; `at` is the id of the element to move the focus
 * to.
 */
export function redirect(path: string, done?: string, at?: string): Answer {
  const query = done === undefined ? "" : `${path.includes("?") ? "&" : "?"}done=${done}`;
  const fragment = at === undefined ? "" : `#${encodeURIComponent(at)}`;
  return { kind: "redirect", to: path + query + fragment };
}

export function json(body: object, status = 200): Answer {
  return { kind: "json", status, body };
}

/** Returns a document, which is HTML unless the headers have another content type. */
export function documentAnswer(content: string | Buffer | Readable, headers: Headers): Answer {
  return { kind: "document", content, headers };
}

/** Faults by field, as forms show them. */
export type Faults = Readonly<Record<string, Words>>;

export function faultsByField(faults: readonly InputFault[]): Record<string, Words> {
  const byField: Record<string, Words> = {};
  for (const { field, message } of faults) {
    const words = faultWords(message);
    const before = byField[field];
    byField[field] = before === undefined ? words : phrase("{0}; {1}", [before, words]);
  }
  return byField;
}

/** Runs a change. If the input has faults, returns the form again, with status 422. */
export async function orFaults(
  change: () => Promise<Answer>,
  form: (faults: Faults, all: readonly InputFault[]) => Answer | Promise<Answer>,
): Promise<Answer> {
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    const answer = await form(faultsByField(error.faults), error.faults);
    return answer.kind === "page" ? withStatus(422, answer) : answer;
  }
}

export function withStatus(status: number, answer: Answer): Answer {
  return { ...answer, status } as Answer;
}

export type ShownOnce = ReturnType<typeof createShownOnce>;

/**
 * Stores content that a form has made until the next page shows it, once. A reload of that page neither repeats the
 * form's change nor shows the content again.
 */
export function createShownOnce(db: Database, keys: SecretKeys) {
  return {
    /** Stores `content` and redirects to a page of ours, which gets it by `take`. */
    async show({ sessionId }: SessionHolder, path: string, content: object): Promise<Answer> {
      const id = await keepToShow(db, keys, sessionId, content);
      const [plain = "", anchor] = path.split("#", 2);
      return redirect(`${plain}?shown=${id}${anchor === undefined ? "" : `#${anchor}`}`);
    },
    /** Returns the content for this page and deletes it; empty if there is none, or it was already shown. */
    async take({
      person,
      query,
    }: {
      person: SessionHolder;
      query: URLSearchParams;
    }): Promise<Record<string, unknown>> {
      const id = query.get("shown");
      return id === null ? {} : ((await takeToShow(db, keys, person.sessionId, id)) ?? {});
    },
  };
}

/** Returns the path if it is one of ours, or "/" if it could lead to another site. */
export function ownPath(given: string | null): string {
  if (given === null || !given.startsWith("/") || given.length > 2000) return "/";
  const base = "http://here.invalid";
  const url = URL.parse(given, base);
  // Browsers read "//elsewhere" and "/\elsewhere" as other hosts.
  if (url?.origin !== base || url.pathname.startsWith("//")) return "/";
  return url.pathname + url.search;
}

/**
 * Returns the path of the Admin UI page from which a person came, for a link back. Undefined if they came from
 * elsewhere, from the start page or from this page.
 */
export function cameFrom({ headers, host, url }: FastifyRequest): string | undefined {
  const from = URL.parse(headers.referer ?? "");
  if (from?.host !== host) return undefined;
  const path = ownPath(from.pathname + from.search);
  return path === url || path === "/" ? undefined : path;
}
