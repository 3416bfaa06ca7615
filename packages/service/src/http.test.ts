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
  app.post(
    "/strict",
    {
      schema: {
        body: {
          type: "object",
          required: ["name", "inner"],
          properties: {
            name: { type: "string", maxLength: 3 },
            count: { type: "integer" },
            inner: { type: "object", required: ["id"], properties: { id: { type: "string" } } },
          },
        },
      },
    },
    () => ({ ok: true }),
  );
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

const json = (body: string | Uint8Array<ArrayBuffer>, type = "application/json"): RequestInit => ({
  method: "POST",
  headers: { "content-type": type },
  body,
});

describe("every error has the one shape", () => {
  test("an unknown path is 404", async () => {
    const { status, body } = await problem("/nowhere?x=1");
    assert.equal(status, 404);
    assert.equal(body.message, "Not found");
  });

  test("a known path with another method is 405 and says which are allowed", async () => {
    const plain = await problem("/fine", { method: "DELETE" });
    assert.equal(plain.status, 405);
    assert.equal(plain.headers.get("allow"), "GET, HEAD");
    const withParameter = await problem("/users/a%2Fb/things", { method: "PATCH" });
    assert.equal(withParameter.status, 405);
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

  test("a body that is not JSON, or not UTF-8, is 400", async () => {
    assert.equal((await problem("/echo", json("{nope"))).body.message, PROBLEM_UNPARSABLE);
    const bytes = new Uint8Array([0x22, 0xff, 0x22]);
    assert.equal((await problem("/echo", json(bytes))).status, 400);
  });

  test("another content type is 415, a body that is too long 413", async () => {
    assert.equal((await problem("/echo", json("a=1", "text/plain"))).status, 415);
    assert.equal((await problem("/echo", json("{}", "no type at all"))).status, 415);
    assert.equal((await problem("/echo", json(`"${"x".repeat(2000)}"`))).status, 413);
  });

  test("every fault of a body is listed with its field", async () => {
    const { status, body } = await problem(
      "/strict",
      json('{"name":"long","count":"1","inner":{}}'),
    );
    assert.equal(status, 422);
    assert.deepEqual((body.message as string[]).toSorted(), [
      "count must be an integer",
      "inner.id is required",
      "name must NOT have more than 3 characters",
    ]);
  });

  test("a path that cannot be decoded is 400, a parameter that is too long 414", async () => {
    assert.equal((await problem("/users/%zz/things")).status, 400);
    assert.equal((await problem("/%c0%ae")).status, 400);
    assert.equal((await problem(`/users/${"x".repeat(2049)}/things`)).status, 414);
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

  test("a request without Host, with two or with one that is none is 400", async () => {
    for (const host of [
      "",
      "Host: a\r\nHost: a\r\n",
      "Host: a\r\nhOST: b\r\n",
      "Host: a b\r\n",
      "Host: a/b\r\n",
      "Host: user@a\r\n",
      "Host: a:80:90\r\n",
      "Host: a:x\r\n",
      "Host: [::1\r\n",
      "Host: %zz\r\n",
      "Host: \u00fc\r\n",
    ]) {
      const { head, body } = await raw(`GET /fine HTTP/1.1\r\n${host}Connection: close\r\n\r\n`);
      assert.match(head, /^HTTP\/1\.1 400 /, host);
      assert.equal(JSON.parse(body).error, "Bad Request");
    }
  });

  test("hosts of every form are served, and HTTP/1.0 needs none", async () => {
    for (const host of ["a", "a.example.com:8080", "[::1]:3000", "127.0.0.1", "", "a_b~%20:"]) {
      const { head } = await raw(
        `GET /fine HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
      assert.match(head, /^HTTP\/1\.1 200 /, host);
    }
    assert.match((await raw("GET /fine HTTP/1.0\r\n\r\n")).head, /^HTTP\/1\.1 200 /);
  });

  test("a length and a chunked body together are refused", async () => {
    const { head } = await raw(
      "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
    );
    assert.match(head, /^HTTP\/1\.1 400 /);
  });

  test("a client that sends its headers or its body too slowly is 408", async () => {
    const headers = await raw("GET /fine HTTP/1.1\r\nHost: x\r\n");
    assert.match(headers.head, /^HTTP\/1\.1 408 /);
    assert.equal(JSON.parse(headers.body).statusCode, 408);
    const body = await raw(
      "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
    );
    assert.match(body.head, /^HTTP\/1\.1 408 /);
  });
});

const PROBLEM_UNPARSABLE = "Request body is not valid JSON";

describe("trace id", () => {
  const echo = async (headers: [string, string][]) => {
    const response = await fetch(`${origin}/fine`, { headers });
    return response.headers.get("x-trace-id") ?? "";
  };

  test("a valid one is echoed, any other is replaced", async () => {
    assert.equal(await echo([["x-trace-id", "my~trace/1"]]), "my~trace/1");
    for (const bad of ["", "a b", "x".repeat(129)]) {
      assert.match(await echo([["x-trace-id", bad]]), /^[0-9a-f]{32}$/);
    }
  });

  test("a W3C traceparent gives its trace id where there is no X-Trace-Id", async () => {
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    const parent: [string, string] = ["traceparent", `00-${trace}-00f067aa0ba902b7-01`];
    assert.equal(await echo([parent]), trace);
    assert.equal(await echo([parent, ["x-trace-id", "mine"]]), "mine");
    const lines = `${parent.join(": ")}\r\n`.repeat(2);
    const { head } = await raw(
      `GET /fine HTTP/1.1\r\nHost: x\r\n${lines}Connection: close\r\n\r\n`,
    );
    assert.match(head, /x-trace-id: [0-9a-f]{32}/i);
    assert.doesNotMatch(head, new RegExp(trace), "two of them are none");
  });
});

describe("bodies", () => {
  test("keys that are names of prototypes arrive as plain keys", async () => {
    const response = await fetch(`${origin}/echo`, json('{"__proto__":1,"constructor":{"a":2}}'));
    assert.equal(await response.text(), '{"body":{"__proto__":1,"constructor":{"a":2}}}');
  });

  test("a content type with an empty body is no body", async () => {
    for (const type of ["application/json", "application/x-www-form-urlencoded"]) {
      const response = await fetch(`${origin}/echo`, {
        method: "POST",
        headers: { "content-type": type },
      });
      assert.deepEqual(await response.json(), { body: null });
    }
  });

  test("a raw body arrives byte for byte", async () => {
    await using rawApp = createHttpServer({ log, maxBodyBytes: 1024, jsonBody: "raw" });
    rawApp.post("/", (request) => ({ hex: (request.body as Buffer).toString("hex") }));
    const address = await rawApp.listen({ port: 0, host: "127.0.0.1" });
    const response = await fetch(address, json("{ bad"));
    assert.deepEqual(await response.json(), { hex: Buffer.from("{ bad").toString("hex") });
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
    const response = await answer;
    assert.equal(response.status, 200);
    await closed;
    await assert.rejects(fetch(`${address}/slow`));
  });
});
