import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { Problem } from "@belfry/contracts/problems";
import { eventually } from "@belfry/testing/eventually";
import type { FastifyInstance } from "fastify";
import { createHttpServer } from "./http.ts";
import { createLogger } from "./logger.ts";

const lines: string[] = [];
const log = createLogger({
  service: "test",
  level: "info",
  destination: { write: (line) => lines.push(line) },
});

let app: FastifyInstance;
let origin: string;
let port: number;

before(async () => {
  app = createHttpServer({
    log,
    maxBodyBytes: 1024,
    timeouts: { headersMs: 300, requestMs: 400, checkEveryMs: 50 },
  });
  app.get("/fine", () => ({ ok: true }));
  app.get("/bad-luck", () => {
    throw new Error("SELECT secret FROM tenants");
  });
  app.get("/teapot", () => {
    throw Object.assign(new Error("library says no"), { statusCode: 418 });
  });
  app.get("/slow-down", () => {
    throw new Problem("tooManyRequests", { message: "Limit: 5/minute", retryAfterSeconds: 7 });
  });
  app.get<{ Params: { userId: string } }>("/users/:userId/things", (request) => {
    request.logFields = { tenantId: "t1" };
    return { userId: request.params.userId };
  });
  app.post("/echo", (request) => ({ body: request.body ?? null }));
  origin = await app.listen({ port: 0, host: "127.0.0.1" });
  port = (app.server.address() as AddressInfo).port;
});
after(() => app.close());

/** Sends raw bytes and returns everything that comes back until the server closes. */
async function raw(text: string, end = false): Promise<{ head: string; body: string }> {
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  socket.setEncoding("utf8").on("data", (chunk) => {
    answer += chunk;
  });
  socket.on("error", () => undefined);
  if (end) socket.end(text);
  else socket.write(text);
  await once(socket, "close");
  const [head = "", ...rest] = answer.split("\r\n\r\n");
  return { head, body: rest.join("\r\n\r\n") };
}

async function problem(path: string, init?: RequestInit) {
  const response = await fetch(origin + path, init);
  assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
  assert.ok(response.headers.get("x-trace-id"), "every answer has a trace id");
  const body = (await response.json()) as Record<string, unknown>;
  assert.equal(body.statusCode, response.status);
  const others = Object.keys(body).filter((key) => key !== "retryAfter");
  assert.deepEqual(others, ["statusCode", "error", "message"]);
  return { status: response.status, headers: response.headers, body };
}

test("a client that sends all of a body before it reads gets its 413, and may go on on the connection", async (t) => {
  const server = createHttpServer({ log, maxBodyBytes: 1024 });
  t.after(() => server.close());
  server.post("/echo", () => ({ ok: true }));
  await server.listen({ port: 0, host: "127.0.0.1" });
  const mebibyte = Buffer.alloc(1024 * 1024, "x");
  const chunk = Buffer.concat([Buffer.from("100000\r\n"), mebibyte, Buffer.from("\r\n")]);
  for (const [kind, parts] of [
    ["content-length: 16777216", Array(16).fill(mebibyte)],
    ["transfer-encoding: chunked", [...Array(16).fill(chunk), Buffer.from("0\r\n\r\n")]],
  ] as const) {
    const socket = connect((server.server.address() as AddressInfo).port, "127.0.0.1");
    const failed = once(socket, "error").then(([error]) => assert.fail(`${kind}: ${error.code}`));
    const written = (bytes: Buffer | string) =>
      new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
    const next = async () => {
      const [answer] = await Promise.race([once(socket, "data"), failed]);
      return String(answer).slice(9, 12);
    };
    const head = "POST /echo HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n";
    await written(`${head}${kind}\r\n\r\n`);
    for (const part of parts) await Promise.race([written(part), failed]);
    assert.equal(await next(), "413", kind);
    await written(`${head}content-length: 2\r\n\r\n{}`);
    assert.equal(await next(), "200", kind);
    socket.destroy();
  }
});

test("a refused body without an end is cut off", async (t) => {
  const server = createHttpServer({ log, maxBodyBytes: 1024 });
  t.after(() => server.close());
  server.post("/echo", () => ({ ok: true }));
  await server.listen({ port: 0, host: "127.0.0.1" });
  const socket = connect((server.server.address() as AddressInfo).port, "127.0.0.1");
  socket.resume().on("error", () => undefined);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  const head = "POST /echo HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n";
  socket.write(`${head}transfer-encoding: chunked\r\n\r\n`);
  const mebibyte = "x".repeat(1024 * 1024);
  const send = () => {
    if (!socket.destroyed) socket.write(`100000\r\n${mebibyte}\r\n`, send);
  };
  send();
  await closed;
});

describe("every error has the one shape", () => {
  test("a known path with another method is 405 and says which are allowed", async () => {
    const plain = await problem("/fine", { method: "DELETE" });
    assert.equal(plain.status, 405);
    assert.equal(plain.headers.get("allow"), "GET, HEAD");
    assert.equal((await problem("/users/a%2Fb/things", { method: "PATCH" })).status, 405);
    const post = await problem("/echo", { method: "OPTIONS" });
    assert.equal(post.headers.get("allow"), "POST");
  });

  test("a fault of ours is 500 without a word of what it was, and the log has it", async () => {
    const { status, body } = await problem("/bad-luck", { headers: { "x-trace-id": "find-me" } });
    assert.equal(status, 500);
    assert.doesNotMatch(JSON.stringify(body), /SELECT|secret/);
    const logged = lines.find((line) => line.includes("SELECT secret"));
    assert.match(logged ?? "", /"traceId":"find-me"/);
  });

  test("a library's own status that is not in our table is a plain 500", async () => {
    const { status, body } = await problem("/teapot");
    assert.equal(status, 500);
    assert.doesNotMatch(JSON.stringify(body), /library/);
  });

  test("a limit carries retryAfter and Retry-After", async () => {
    const { status, headers, body } = await problem("/slow-down");
    assert.equal(status, 429);
    assert.equal(headers.get("retry-after"), "7");
    assert.deepEqual(body, {
      statusCode: 429,
      error: "Too Many Requests",
      message: "Limit: 5/minute",
      retryAfter: 7,
    });
  });

  test("bytes that are not HTTP are 400, headers that are too long 431", async () => {
    const broken = await raw("GARBAGE\r\n\r\n");
    assert.match(broken.head, /^HTTP\/1\.1 400 Bad Request/);
    assert.equal(JSON.parse(broken.body).statusCode, 400);
    assert.match(broken.head, /x-trace-id: \S+/i);
    const long = await raw(
      `GET /fine HTTP/1.1\r\nHost: x\r\nX-Long: ${"x".repeat(20_000)}\r\n\r\n`,
    );
    assert.match(long.head, /^HTTP\/1\.1 431 /);
    assert.equal(JSON.parse(long.body).statusCode, 431);
    const head = await raw(`HEAD /${"x".repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    assert.match(head.head, /^HTTP\/1\.1 431 /);
    assert.equal(head.body, "", "no body answers HEAD");
  });
});

describe("bodies", () => {
  test("a content type with an empty body is no body", async () => {
    for (const type of ["application/json", "application/x-www-form-urlencoded"]) {
      const response = await fetch(`${origin}/echo`, {
        method: "POST",
        headers: { "content-type": type },
      });
      assert.deepEqual(await response.json(), { body: null });
    }
  });
});

describe("the request's log line", () => {
  test("has the route and the fields of the handler, and nothing of the path, query or headers", async () => {
    lines.length = 0;
    await fetch(`${origin}/users/alice%40example.org/things?token=abc`, {
      headers: { "x-trace-id": "t-1", "x-api-key": "very-secret" },
    });
    await eventually(() => lines.length > 0);
    const all = lines.join("");
    assert.match(all, /"route":"\/users\/:userId\/things"/);
    assert.match(all, /"traceId":"t-1"/);
    assert.match(all, /"tenantId":"t1"/);
    assert.doesNotMatch(all, /alice|abc|very-secret|127\.0\.0\.1/);
    assert.equal(lines.length, 1);
  });
});

describe("closing", () => {
  test("a request in hand is answered", async () => {
    const closing = createHttpServer({ log, maxBodyBytes: 1024 });
    const started = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    closing.get("/slow", async () => {
      started.resolve();
      await release.promise;
      return { ok: true };
    });
    const address = await closing.listen({ port: 0, host: "127.0.0.1" });
    const answer = fetch(`${address}/slow`);
    await started.promise;
    const closed = closing.close();
    release.resolve();
    assert.equal((await answer).status, 200);
    await closed;
    await assert.rejects(fetch(`${address}/slow`));
  });

  test("an answer that is being sent to a slow client arrives whole", async () => {
    const closing = createHttpServer({ log, maxBodyBytes: 1024 });
    const bytes = 30_000_000;
    closing.get("/big", async () => "x".repeat(bytes));
    const address = await closing.listen({ port: 0, host: "127.0.0.1" });
    const answer = await fetch(`${address}/big`);
    // Node closes idle connections when the server no longer listens.
    const closed = closing.close();
    await eventually(() => !closing.server.listening);
    assert.equal((await answer.arrayBuffer()).byteLength, bytes);
    await closed;
  });
});
