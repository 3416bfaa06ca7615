import { isUtf8 } from "node:buffer";
import { Problem } from "@belfry/contracts/problems";

const BYTE_ORDER_MARK = 0xfeff;

/** The one parameter that says nothing new: JSON is UTF-8. */
const UTF8_CHARSET = /^charset\s*=\s*"?utf-?8"?$/;

/**
 * Parses a raw body by `JSON.parse` itself: the framework's parser refuses keys such as
 * `constructor` and `__proto__`, which tenants may use. Throws a 415 Problem for what is not plain
 * JSON in UTF-8, 400 for what does not parse.
 */
export function readJson(request: {
  body: unknown;
  headers: { [name: string]: string | string[] | undefined };
}): unknown {
  const body = Buffer.isBuffer(request.body) ? request.body : undefined;
  // An empty body has no type: it is no JSON all the same.
  if (body !== undefined && body.length > 0) requireJson(request.headers);
  return parseJson(body);
}

function requireJson(headers: { [name: string]: string | string[] | undefined }): void {
  const type = headers["content-type"];
  if (type !== "application/json" && (typeof type !== "string" || !isJson(type))) {
    throw new Problem("unsupportedMediaType");
  }
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") {
    throw new Problem("unsupportedMediaType", {
      message: "Content-Encoding is not supported: send the body as it is",
    });
  }
}

/** Part by part: one expression over a whole header tries its spaces again and again. */
function isJson(type: string): boolean {
  const [mediaType, ...parameters] = type.split(";").map((part) => part.trim().toLowerCase());
  return (
    mediaType === "application/json" &&
    parameters.every((part) => part === "" || UTF8_CHARSET.test(part))
  );
}

export function parseJson(body: Buffer | undefined): unknown {
  try {
    if (body === undefined || !isUtf8(body)) throw new Error("not UTF-8");
    const text = body.toString("utf8");
    return JSON.parse(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text);
  } catch (error) {
    throw new Problem("unparsable", { cause: error });
  }
}
