import { createLogicWriter } from "./logic-writer.ts";
import { createWriter, type Writer, type WriterOptions } from "./writer.ts";

/** The writer of a text, with logic or as ever. Undefined where a text with logic was never checked. */
export function createTextWriter(
  template: string,
  options: WriterOptions,
  logic: boolean,
): Writer | undefined {
  return logic ? createLogicWriter(template, options) : createWriter(template, options);
}
