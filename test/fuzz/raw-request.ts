import { once } from "node:events";
import { connect } from "node:net";

export interface RawAnswer {
  status: number;
  headers: Headers;
  body: string;
}

/**
 * Sends bytes as they are over a socket of its own and reads one answer until the server closes.
 * `pieces` are written one after the other. Throws when the server closes without an answer.
 */
export async function rawRequest(
  port: number,
  ...pieces: (string | Uint8Array)[]
): Promise<RawAnswer> {
  const socket = connect(port, "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  // A server may close the connection after its answer while the client still sends.
  socket.on("error", () => undefined);
  await once(socket, "connect");
  for (const piece of pieces) {
    if (socket.writable) socket.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (!socket.closed) await once(socket, "close");
  return parseAnswer(Buffer.concat(chunks));
}

/** An HTTP request as bytes, with `Connection: close`. */
export function httpText(
  line: string,
  headers: Record<string, string | number> = {},
  body: string | Uint8Array = "",
): Uint8Array {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const all: Record<string, string | number> = {
    Host: "belfry.example",
    Connection: "close",
    ...headers,
  };
  const saysLength = Object.keys(all).some((name) =>
    /^(content-length|transfer-encoding)$/i.test(name),
  );
  if (bytes.length > 0 && !saysLength) all["Content-Length"] = bytes.length;
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`${line} HTTP/1.1\r\n${head.join("")}\r\n`, "latin1"), bytes]);
}

function parseAnswer(bytes: Buffer): RawAnswer {
  const text = bytes.toString("utf8");
  const end = text.indexOf("\r\n\r\n");
  const [line = "", ...lines] = text.slice(0, Math.max(end, 0)).split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1]);
  if (!(status >= 100)) throw new Error(`no answer: ${JSON.stringify(text.slice(0, 200))}`);
  const headers = new Headers();
  for (const header of lines) {
    const colon = header.indexOf(":");
    headers.append(header.slice(0, colon), header.slice(colon + 1).trim());
  }
  const body = text.slice(end + 4);
  return {
    status,
    headers,
    body: headers.get("transfer-encoding") === "chunked" ? joined(body) : body,
  };
}

function joined(chunked: string): string {
  let rest = chunked;
  let body = "";
  for (;;) {
    const end = rest.indexOf("\r\n");
    const size = Number.parseInt(rest.slice(0, end), 16);
    if (!(size > 0)) return body;
    body += rest.slice(end + 2, end + 2 + size);
    rest = rest.slice(end + 2 + size + 2);
  }
}
