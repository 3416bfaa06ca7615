import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { PROBLEMS, Problem, type ProblemName } from "@belfry/contracts/problems";
import { HEADERS } from "@belfry/contracts/trigger";
import type { FastifyReply, FastifyRequest } from "fastify";
import { newTraceId } from "./trace-id.ts";

const BY_STATUS: Record<number, ProblemName> = {
  400: "badRequest",
  404: "notFound",
  405: "methodNotAllowed",
  408: "timeout",
  413: "tooLarge",
  414: "uriTooLong",
  415: "unsupportedMediaType",
  429: "tooManyRequests",
  431: "headersTooLarge",
  503: "unavailable",
};

/** Returns the problem to answer for an error: a plain 500 unless the error is known to be the client's fault. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (!(error instanceof Error)) return new Problem("internal", { cause: error });
  const { statusCode } = error as { statusCode?: unknown };
  const name = typeof statusCode === "number" ? BY_STATUS[statusCode] : undefined;
  return new Problem(name ?? "internal", { cause: error });
}

/**
 * Answers input that is no request: broken HTTP, headers that are too long or too slow. Node passes only the socket.
 */
export function answerBrokenRequest(
  error: Error & { code?: string; rawPacket?: unknown },
  socket: Socket,
): void {
  const current = (socket as { _httpMessage?: { headersSent: boolean } })._httpMessage;
  if (error.code === "ECONNRESET" || !socket.writable || current?.headersSent) {
    socket.destroy();
    return;
  }
  const name: ProblemName =
    error.code === "HPE_HEADER_OVERFLOW"
      ? "headersTooLarge"
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? "timeout"
        : "badRequest";
  const problem = PROBLEMS[name];
  const body = JSON.stringify(problem);
  const { rawPacket } = error;
  const isHead = Buffer.isBuffer(rawPacket) && rawPacket.toString("latin1", 0, 5) === "HEAD ";
  socket.end(
    [
      `HTTP/1.1 ${problem.statusCode} ${STATUS_CODES[problem.statusCode]}`,
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
      `${HEADERS.traceId}: ${newTraceId()}`,
      "Connection: close",
      "",
      // The answer to HEAD has no body, though it has a Content-Length.
      isHead ? "" : body,
    ].join("\r\n"),
  );
}

/** How many bytes of an unread body the server receives and drops. More than the largest body of any route. */
const MAX_DROPPED_BYTES = 32 * 1024 * 1024;

/**
 * Drops the rest of the body of a refused request. If the server closed the connection instead, a client that still
 * sends would get a broken pipe in place of the answer.
 */
export function dropRest({ raw }: FastifyRequest, reply: FastifyReply): void {
  const { "content-length": length, "transfer-encoding": encoding } = raw.headers;
  if (raw.complete || raw.destroyed || (length === undefined && encoding === undefined)) return;
  let leftBytes = MAX_DROPPED_BYTES;
  if (Number(length ?? 0) > leftBytes) {
    reply.header("connection", "close");
    return;
  }
  // Fastify closes the connection after a body that is too large.
  reply.removeHeader("connection");
  raw.on("data", (part: Buffer) => {
    leftBytes -= part.length;
    if (leftBytes < 0) raw.destroy();
  });
  raw.resume();
}

/** Matches `uri-host [":" port]` (RFC 3986), including IPv6 literals. It may be empty. */
const HOST =
  /^(?:\[[0-9A-Fa-f:.]+\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)(?::[0-9]{0,5})?$/;

/**
 * Whether a request must be refused for its `Host` (RFC 9112, 3.2): none in HTTP/1.1, more than one, or an invalid one.
 * Otherwise the server could serve another site than the one that the proxy in front of it has read.
 */
export function hasHostFault({ headers, httpVersion, rawHeaders }: IncomingMessage): boolean {
  const { host } = headers;
  if (host === undefined) return httpVersion === "1.1";
  // `headers` has only the first line, so we count the raw ones.
  let lines = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === "host") lines += 1;
  }
  return lines > 1 || !HOST.test(host);
}
