/** The thread that compiles Markdown, MJML and HTML. markup-compiler.ts starts it and limits its time. */

import { parentPort } from "node:worker_threads";
import { htmlText } from "./html/html-text.ts";
import { MAX_COMPILED_CHARACTERS } from "./language/bounds.ts";
import type { MarkupAnswer, MarkupJob, MarkupResult } from "./markup-compiler.ts";
import { TOO_LARGE_WHEN_EMPTY } from "./source.ts";

/** Messages of the faults that MJML throws instead of listing. Other messages are hidden: they might contain a path. */
const KNOWN_MESSAGES = [
  "Malformed MJML. Check that your structure is correct and enclosed in <mjml> tags.",
  "Parsing failed. Check your mjml.",
];

const TOO_LARGE: MarkupResult = {
  ok: false,
  errors: [{ line: 1, message: TOO_LARGE_WHEN_EMPTY }],
};

parentPort?.on("message", async (job: MarkupJob) => {
  try {
    if (job.format === "markdown") {
      const { markdownToChat, markdownToHtml, markdownToMjml } = await import("./markdown.ts");
      answer({ id: job.id, started: true });
      const compileTo = {
        mail: () => markdownToMjml(job),
        line: () => markdownToHtml(job.content, job.links),
        chat: () => markdownToChat(job),
      };
      const made = compileTo[job.as]();
      const isTooLarge = made.ok && made.html.length > MAX_COMPILED_CHARACTERS;
      const result = isTooLarge ? TOO_LARGE : made.ok ? { ...made, text: "" } : made;
      answer({ id: job.id, started: false, result });
      return;
    }
    const compile = job.format === "mjml" ? (await import("mjml")).default : undefined;
    answer({ id: job.id, started: true });
    const html =
      compile === undefined
        ? job.content
        : (
            await compile(job.content, {
              validationLevel: "strict",
              ignoreIncludes: true,
              keepComments: false,
              // MJML's default list would make each mail load a font from Google. An mj-font of the template is loaded
              // nevertheless.
              fonts: {},
            })
          ).html;
    answer({ id: job.id, started: false, result: compiled(html, job.linkSchemes) });
  } catch (error) {
    answer({ id: job.id, started: false, result: { ok: false, errors: reasons(error) } });
  }
});

/** Adds the text part. Refuses a result that is too large, because MJML can repeat a part of a source many times. */
function compiled(html: string, linkSchemes: readonly string[] | undefined): MarkupResult {
  if (html.length > MAX_COMPILED_CHARACTERS) return TOO_LARGE;
  return { ok: true, html, text: htmlText(html, linkSchemes) };
}

function answer(message: MarkupAnswer): void {
  parentPort?.postMessage(message);
}

function reasons(error: unknown): Extract<MarkupResult, { ok: false }>["errors"] {
  const { message, errors } = error as { message?: string; errors?: unknown };
  if (Array.isArray(errors)) {
    return errors
      .slice(0, 50)
      .map((fault: { line?: number; message?: string; tagName?: string }) => ({
        line: fault.line ?? 1,
        message: `${fault.message?.trim() ?? "invalid"} (${fault.tagName ?? "mjml"})`,
      }));
  }
  if (error instanceof RangeError)
    return [{ line: 1, message: "the content is nested too deeply" }];
  const known = KNOWN_MESSAGES.find((text) => text === message);
  return [{ line: 1, message: known ?? "the content cannot be compiled" }];
}
