import { ACCESS } from "@belfry/admin/page/access";
import type { TestBrowser } from "@belfry/admin/test/browser";

/** The result of following every link over plain HTTP, without scripts. */
interface Crawl {
  /** The routes of the visited pages. */
  routes: Set<string>;
  /** Links and forms that lead to a refusal or an error, with the page they are on. */
  deadEnds: string[];
  /** Machine-readable timestamps in visible text. */
  stamps: string[];
  /** One form per route; destructive forms come last. */
  forms: (Form & { page: string })[];
}

/** The number of pages visited per route and set of query parameters. */
const MOST_OF_A_KIND = 4;

/** Follows links from these paths until it has visited every kind of page. Changes nothing. */
export async function crawl(browser: TestBrowser, from: readonly string[]): Promise<Crawl> {
  const found: Crawl = { routes: new Set(), deadEnds: [], stamps: [], forms: [] };
  const seen = new Set<string>();
  const kinds = new Map<string, number>();
  const forms = new Map<string, Form & { page: string }>();
  const work = from.map((path) => ({ path, page: "the beginning" }));
  for (let next = work.shift(); next !== undefined; next = work.shift()) {
    const { path, page } = next;
    const url = new URL(path, "http://here.invalid");
    const route = routeOf("GET", url.pathname);
    const kind = `${route}?${[...url.searchParams.keys()].sort()}`;
    const count = kinds.get(kind) ?? 0;
    if (seen.has(path) || count >= MOST_OF_A_KIND) continue;
    seen.add(path);
    kinds.set(kind, count + 1);
    const answer = await browser.get(path);
    const html = await answer.text();
    if (![200, 303].includes(answer.status)) {
      found.deadEnds.push(`${page} leads to ${path}: ${answer.status}`);
      continue;
    }
    found.routes.add(route);
    if (!answer.headers.get("content-type")?.includes("html")) continue;
    if (!path.includes("/document")) found.stamps.push(...stampsOf(html, path));
    for (const href of linksOf(html)) work.push({ path: inPage(href, path), page: path });
    for (const form of formsOf(html)) {
      const action = inPage(form.action, path);
      if (form.method === "get")
        work.push({ path: `${action.split("?")[0]}?${form.fields}`, page: path });
      else forms.set(routeOf("POST", action), { ...form, action, page: path });
    }
  }
  found.forms = [...forms.values()].sort(gentleFirst);
  return found;
}

/** Submits each form. A validation error of a submitted value does not count as a dead end. */
export async function tryForms(browser: TestBrowser, { forms, deadEnds, routes }: Crawl) {
  for (const { action, fields, page } of forms) {
    const answer = await browser.raw(action, { method: "POST", body: fields });
    await answer.arrayBuffer();
    if (answer.status === 403 || answer.status >= 500) {
      deadEnds.push(`${page} has a form to ${action}: ${answer.status}`);
    }
    routes.add(routeOf("POST", action));
  }
}

/** The matching row of the access table. As in the router, a literal path wins over one with a parameter. */
function routeOf(method: "GET" | "POST", path: string): string {
  const asked = `${method} ${path.split("?")[0]}`;
  return ROUTES.find(({ pattern }) => pattern.test(asked))?.route ?? asked;
}

const namesIn = (route: string) => route.split(/[:*]/).length;
const ROUTES = Object.keys(ACCESS)
  .sort((a, b) => namesIn(a) - namesIn(b))
  .map((route) => ({
    route,
    pattern: new RegExp(`^${route.replaceAll(/:\w+|\*/g, "[^/]+")}$`),
  }));

function gentleFirst(a: { action: string }, b: { action: string }): number {
  return Number(isHarsh(a.action)) - Number(isHarsh(b.action));
}

/** Submitting it leaves less to test. */
function isHarsh(action: string): boolean {
  return /(delete|remove|revoke|deactivate|erase|end|end-others|withdraw|sign-out)$/.test(action);
}

interface Form {
  method: "get" | "post";
  action: string;
  /** The form's initial values. Fields that a person would fill in get values that cannot reach anybody. */
  fields: URLSearchParams;
}

function formsOf(html: string): Form[] {
  return [...html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].flatMap(
    ([, attributes = "", inside = ""]) => {
      const method = attribute(attributes, "method") ?? "get";
      if (method === "dialog") return [];
      const fields = new URLSearchParams();
      for (const [, input = ""] of inside.matchAll(/<input\b([^>]*)>/gs)) {
        const name = attribute(input, "name");
        const type = attribute(input, "type") ?? "text";
        const isWanted = type === "hidden" || (method === "get" && type !== "checkbox");
        if (name !== undefined && isWanted) fields.append(name, attribute(input, "value") ?? "");
      }
      const action = attribute(attributes, "action") ?? "";
      return [{ method: method === "post" ? "post" : "get", action, fields }];
    },
  );
}

function attribute(text: string, name: string): string | undefined {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(text)?.[1];
  return value === undefined ? undefined : decoded(value);
}

function linksOf(html: string): string[] {
  return [...html.matchAll(/<(?:a\b[^>]*\bhref|iframe\b[^>]*\bsrc)="([^"]*)"/g)]
    .map(([, href = ""]) => decoded(href).replace(/#.*$/, ""))
    .filter((href) => href !== "" && (href.startsWith("/") || href.startsWith("?")));
}

function decoded(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}

function inPage(href: string, page: string): string {
  const url = new URL(href, new URL(page, "http://here.invalid"));
  return url.pathname + url.search;
}

/** Text for programs: payloads, addresses, code. The page's script formats the times. */
const OF_PROGRAMS = /<(script|style|pre|textarea|code|time|svg)\b.*?<\/\1>/gs;
const STAMP = /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d\S*)?/g;

function stampsOf(html: string, path: string): string[] {
  const text = html.replaceAll(OF_PROGRAMS, " ").replaceAll(/<[^>]*>/g, " ");
  return [...text.matchAll(STAMP)].map(([stamp]) => `${path}: ${stamp}`);
}
