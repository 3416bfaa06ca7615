import { type InputFault, InvalidInput } from "@belfry/administration/input-error";
import type { Headers } from "../door/security-headers.ts";

/** What a handler answers; the router writes it. */
export type Answer =
  | {
      kind: "page";
      view: string;
      title: string;
      status: number;
      data: Record<string, unknown>;
    }
  | { kind: "redirect"; to: string }
  | { kind: "json"; status: number; body: object }
  /** What is not one of our pages, under headers of its own. */
  | { kind: "document"; content: string | Buffer; headers: Headers };

export function page(
  view: string,
  title: string,
  data: Record<string, unknown> = {},
  status = 200,
): Answer {
  return { kind: "page", view, title, status, data };
}

/** `done` names a sentence of notices.ts, shown once on the next page. */
export function redirect(path: string, done?: string): Answer {
  if (done === undefined) return { kind: "redirect", to: path };
  return { kind: "redirect", to: `${path}${path.includes("?") ? "&" : "?"}done=${done}` };
}

export function json(body: object, status = 200): Answer {
  return { kind: "json", status, body };
}

/** HTML unless the headers say otherwise. */
export function documentAnswer(content: string | Buffer, headers: Headers): Answer {
  return { kind: "document", content, headers };
}

/** Faults by field, as forms show them. */
export type Faults = Readonly<Record<string, string>>;

export function faultsByField(faults: readonly InputFault[]): Record<string, string> {
  const byField: Record<string, string> = {};
  for (const { field, message } of faults) {
    byField[field] = byField[field] === undefined ? message : `${byField[field]}; ${message}`;
  }
  return byField;
}

/** Runs a change; what the person has to mend becomes the form again, with what was typed. */
export async function orFaults(
  change: () => Promise<Answer>,
  form: (faults: Faults, all: readonly InputFault[]) => Answer | Promise<Answer>,
): Promise<Answer> {
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    const answer = await form(faultsByField(error.faults), error.faults);
    return answer.kind === "page" ? { ...answer, status: 422 } : answer;
  }
}
