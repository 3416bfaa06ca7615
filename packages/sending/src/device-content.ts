import type { DeviceMessage } from "@belfry/contracts/sending";
import { beginRendering } from "@belfry/templates/language/rendering";
import { renderLine } from "@belfry/templates/line";
import { linksWriter } from "@belfry/templates/push-links";
import type { DeviceParts, Rendered, Renderer } from "@belfry/templates/render";

/** The content of a message to devices. */
export type DeviceContent = Pick<
  DeviceMessage,
  "title" | "body" | "url" | "image" | "data" | "collapseKey"
>;
type RenderedPush = Extract<Rendered, { kind: "notification" }>;

/** A Web Push payload (RFC 8291), which is the smallest of all services, without ids and names of fields. */
const MAX_CONTENT_BYTES = 3_993 - 250;
const MAX_LINE_CHARACTERS = 1024;
const CUT = "…";

/** Returns a renderer that also renders these parts of a template. A part that is no valid value is left out. */
export function withDeviceParts(renderer: Renderer, parts: DeviceParts): Renderer {
  const { data, collapseKey } = parts;
  const image = parts.image ? linksWriter({ url: parts.image }) : undefined;
  if (image === undefined && !data && !collapseKey) return renderer;
  return (variables, settings = {}) => {
    const rendered = renderer(variables, settings);
    if (!rendered.ok || rendered.kind !== "notification") return rendered;
    const line = (text: string) => renderLine(text, MAX_LINE_CHARACTERS, variables, settings) ?? "";
    const url = image?.(variables, beginRendering(settings))?.url;
    // A path of the tenant's site means nothing to a phone's vendor.
    if (url?.startsWith("https:")) rendered.image = url;
    if (data) {
      rendered.data = Object.fromEntries(
        Object.entries(data).map(([name, text]) => [name, line(text)]),
      );
    }
    const key = collapseKey ? line(collapseKey).trim() : "";
    if (key !== "") rendered.collapseKey = key;
    return rendered;
  };
}

/** Returns the content of a rendered message that fits every service, and whether its body was cut. */
export function deviceContent(rendered: RenderedPush): { content: DeviceContent; isCut: boolean } {
  const { title, url, image, data, collapseKey } = rendered;
  const rest = { title, url, image, data, collapseKey };
  const left = MAX_CONTENT_BYTES - Buffer.byteLength(JSON.stringify(rest));
  const body = cutToBytes(rendered.body, left);
  const content: DeviceContent = { title, body, url };
  if (image) content.image = image;
  if (data) content.data = data;
  if (collapseKey) content.collapseKey = collapseKey;
  return { content, isCut: body !== rendered.body };
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Returns the beginning of a text that takes at most `most` bytes of JSON, cut between graphemes. */
function cutToBytes(text: string, most: number): string {
  if (jsonBytes(text) <= most) return text;
  let left = most - jsonBytes(CUT);
  let end = 0;
  for (const { segment, index } of graphemes.segment(text)) {
    left -= jsonBytes(segment);
    if (left < 0) break;
    end = index + segment.length;
  }
  return text.slice(0, end) + CUT;
}

function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}
