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
  /** A document that is not one of our pages, under its own headers. */
  | { kind: "document"; content: string | Buffer | Readable; headers: Headers };

export function page(
  view: string,
  title: Words,
  data: Record<string, unknown> = {},
  status = 200,
): Answer {
  return { kind: "page", view, title, status, data };
}

/** `done` names a sentence of notices.ts, shown once on the next page; `at` the element where the keyboard goes on. */
export function redirect(path: string, done?: string, at?: string): Answer {
  const query = done === undefined ? "" : `${path.includes("?") ? "&" : "?"}done=${done}`;
  const fragment = at === undefined ? "" : `#${encodeURIComponent(at)}`;
  return { kind: "redirect", to: path + query + fragment };
}

export function json(body: object, status = 200): Answer {
  return { kind: "json", status, body };
}

/** HTML unless the headers say otherwise. */
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

/** Runs a change. Where the input has faults, it answers the form again, with status 422. */
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
 * Content that a form has made is shown by the page after it, once: a reload of that page does nothing again,
 * and shows nothing again.
 */
export function createShownOnce(db: Database, keys: SecretKeys) {
  return {
    /** Redirects to a page of ours, which takes `content`. */
    async show({ sessionId }: SessionHolder, path: string, content: object): Promise<Answer> {
      const id = await keepToShow(db, keys, sessionId, content);
      const [plain = "", anchor] = path.split("#", 2);
      return redirect(`${plain}?shown=${id}${anchor === undefined ? "" : `#${anchor}`}`);
    },
    /** For the page: what it was given; empty where that was shown before. */
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

/** The given path if it is one of ours; "/" if it could lead to another site. */
export function ownPath(given: string | null): string {
  if (given === null || !given.startsWith("/") || given.length > 2000) return "/";
  const base = "http://here.invalid";
  const url = URL.parse(given, base);
  // "//elsewhere" and "/\elsewhere" are other hosts to a browser.
  if (url?.origin !== base || url.pathname.startsWith("//")) return "/";
  return url.pathname + url.search;
}

/** The page of ours that led here, as the way back; undefined: none did, or it is this one. */
export function cameFrom({ headers, host, url }: FastifyRequest): string | undefined {
  const from = URL.parse(headers.referer ?? "");
  if (from?.host !== host) return undefined;
  const path = ownPath(from.pathname + from.search);
  return path === url || path === "/" ? undefined : path;
}
