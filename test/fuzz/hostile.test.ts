import assert from "node:assert/strict";
import { connect } from "node:net";
import { afterEach, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import {
  BAD_HOSTS,
  NO_TEXTS,
  NOT_HTTP,
  NOT_JSON,
  NOT_JSON_TYPES,
  NOT_UTF8,
  ODD_PATHS,
  ODD_TEXTS,
} from "@belfry/testing/hostile";
import { wholeFile } from "@belfry/testing/whole-file";
import { checkResponse } from "../openapi/check-response.ts";
import { httpText, type RawAnswer, rawRequest } from "./raw-request.ts";
import { startIngest } from "./start-ingest.ts";

/** Hostile requests over real sockets: each gets its status and our shape, and nothing is stored. */

const TRIGGER = "/api/v1/events/trigger";
const TOKEN = "/api/v1/auth/realtime-token";
const ID = "0198c0de-0000-7000-8000-000000000001";
const good = { eventType: "order.confirmed", payload: { userId: "user-1" } };

const ingest = await startIngest(wholeFile());
const tenant = await ingest.createTenant();
/** Under way while everything else is tested. */
const slowAnswers = Promise.all([
  ...Array.from({ length: 50 }, () => dribble("GET /docs HTTP/1.1\r\nHost: a\r\nx-slow: ")),
  ...Array.from({ length: 50 }, () =>
    dribble(
      httpText(`POST ${TRIGGER}`, {
        "x-api-key": tenant.apiKey,
        "content-type": "application/json",
        "content-length": 1000,
      }),
    ),
  ),
]);

/** Sends a request that must not be accepted; returns its answer after it was held to the document. */
async function send(
  method: string,
  path: string,
  headers: Record<string, string | number> = {},
  body: string | Uint8Array = "",
): Promise<RawAnswer> {
  const line = `${method} ${path}`;
  const bytes = httpText(line, { "x-api-key": tenant.apiKey, ...headers }, body);
  const answer = await rawRequest(ingest.port, bytes);
  checkResponse({ method, path, ...answer });
  assert.doesNotMatch(answer.body, /fastify|FST_|kysely|postgres|node_modules|\bat \//i);
  return answer;
}

function post(body: string | Uint8Array, headers: Record<string, string | number> = {}) {
  return send("POST", TRIGGER, { "content-type": "application/json", ...headers }, body);
}

function messages(answer: RawAnswer): string[] {
  return JSON.parse(answer.body).message;
}

/** Sends the beginning of a request and then a byte now and then; returns what comes back until it is closed. */
async function dribble(first: Uint8Array | string): Promise<string> {
  const socket = connect(ingest.port, "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
  });
  socket.on("error", () => undefined);
  socket.write(first);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const drops = setInterval(() => socket.writable && socket.write("x"), 500);
  await closed;
  clearInterval(drops);
  return text;
}

describe("nothing hostile is stored, crashes or is our fault", () => {
  afterEach(async () => {
    assert.equal(await ingest.storedEvents(), 0, "stored");
    assert.deepEqual(ingest.faults(), []);
    assert.equal(
      (await fetch(`http://127.0.0.1:${ingest.process.managementPort}/health/live`)).status,
      200,
    );
  });

  test("what is not JSON is 400", async () => {
    for (const body of NOT_JSON) {
      assert.equal((await post(body)).status, 400, body.slice(0, 40));
      const token = await send("POST", TOKEN, { "content-type": "application/json" }, body);
      assert.equal(token.status, 400, body.slice(0, 40));
    }
  });

  test("bytes that are not UTF-8 are 400", async () => {
    for (const body of NOT_UTF8) {
      assert.equal((await post(body)).status, 400);
    }
  });

  test("another content type or encoding is 415", async () => {
    for (const type of NOT_JSON_TYPES) {
      assert.equal((await post(JSON.stringify(good), { "content-type": type })).status, 415, type);
    }
    for (const encoding of ["gzip", "deflate", "br", "identity, gzip", "nonsense"]) {
      const answer = await post(gzipSync(JSON.stringify(good)), { "content-encoding": encoding });
      assert.equal(answer.status, 415, encoding);
    }
  });

  test("an empty body is 400, one of 300 KiB 413, also where it comes in chunks", async () => {
    assert.equal((await post("")).status, 400);
    assert.equal((await post("", { "content-length": 0 })).status, 400);
    const long = JSON.stringify({ ...good, variables: { text: "x".repeat(300 * 1024) } });
    assert.equal((await post(long)).status, 413);
    const chunk = `${(16 * 1024).toString(16)}\r\n${"x".repeat(16 * 1024)}\r\n`;
    const head = httpText(`POST ${TRIGGER}`, {
      "x-api-key": tenant.apiKey,
      "content-type": "application/json",
      "transfer-encoding": "chunked",
    });
    const chunked = await rawRequest(ingest.port, head, ...Array(20).fill(chunk), "0\r\n\r\n");
    assert.equal(chunked.status, 413);
    checkResponse({ method: "POST", path: TRIGGER, ...chunked });
    // Its length is a claim: it is refused before a byte of it.
    assert.equal((await post("{}", { "content-length": 999_999_999_999 })).status, 413);
    for (const length of ["-1", "1e3", "0x10", "+5", "99999999999999999999999"]) {
      assert.equal((await post("{}", { "content-length": length })).status, 400, length);
    }
  });

  test("broken chunks and two ways to tell a length are 400", async () => {
    const head = (headers: Record<string, string>) =>
      httpText(`POST ${TRIGGER}`, {
        "x-api-key": tenant.apiKey,
        "content-type": "application/json",
        ...headers,
      });
    const cases: [string, Uint8Array, string][] = [
      ["no number", head({ "transfer-encoding": "chunked" }), "zz\r\n{}\r\n0\r\n\r\n"],
      ["negative", head({ "transfer-encoding": "chunked" }), "-2\r\n{}\r\n0\r\n\r\n"],
      ["two lengths", head({ "transfer-encoding": "chunked", "content-length": "2" }), "{}"],
      ["unknown", head({ "transfer-encoding": "gzip" }), "{}"],
    ];
    for (const [name, ...pieces] of cases) {
      const answer = await rawRequest(ingest.port, ...pieces);
      assert.equal(answer.status, 400, name);
      checkResponse({ method: "POST", path: TRIGGER, ...answer });
    }
  });

  test("keys such as __proto__ and constructor count as any other and change nothing", async () => {
    const bodies = [
      '{"__proto__":{"eventType":"a","payload":{"userId":"u"}}}',
      '{"constructor":{"prototype":{"eventType":"a"}},"payload":{"userId":"u"}}',
      '{"eventType":"a","payload":{"__proto__":{"userId":"u"}}}',
      '{"eventType":{"toString":"a"},"payload":{"userId":{"valueOf":1}}}',
      '{"eventType":"a","payload":{"userId":"u"},"channels":{"length":1,"0":"EMAIL"}}',
    ];
    for (const body of bodies) assert.equal((await post(body)).status, 422, body);
    const next = await post(JSON.stringify({ payload: {} }));
    assert.deepEqual(messages(next), [
      "eventType must be a string",
      "payload.userId must be a string",
    ]);
  });

  test("null bytes, control characters and lone surrogates in texts are 422", async () => {
    for (const bad of NO_TEXTS) {
      for (const body of [
        `{"eventType":"${bad}","payload":{"userId":"u"}}`,
        `{"eventType":"e","payload":{"userId":"${bad}"}}`,
        `{"eventType":"e","eventId":"${bad}","payload":{"userId":"u"}}`,
      ]) {
        assert.equal((await post(body)).status, 422, body);
      }
      const token = await send(
        "POST",
        TOKEN,
        { "content-type": "application/json" },
        `{"userId":"${bad}"}`,
      );
      assert.equal(token.status, 422, bad);
    }
  });

  test("texts past their bounds, bodies nested too deep and too many channels are 422", async () => {
    const long = "x".repeat(256);
    for (const body of [
      { ...good, eventType: long },
      { ...good, eventId: long },
      { ...good, payload: { userId: long } },
      { ...good, payload: { userId: "u", recipientEmail: `${"x".repeat(250)}@b.example` } },
      { ...good, payload: { userId: "u", recipientPhone: `+1${"2".repeat(300)}` } },
      { ...good, channels: Array(10_000).fill("EMAIL") },
    ]) {
      assert.equal(
        (await post(JSON.stringify(body))).status,
        422,
        JSON.stringify(body).slice(0, 80),
      );
    }
    const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
    const deep = (levels: number) =>
      `{"eventType":"e","payload":{"userId":"u"},"variables":${nested(levels)}}`;
    for (const levels of [64, 100, 20_000]) assert.equal((await post(deep(levels))).status, 422);
    const arrays = `{"eventType":"e","payload":{"userId":"u"},"variables":{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}}`;
    assert.equal((await post(arrays)).status, 422);
  });

  test("an idempotency key past its bounds is 422", async () => {
    const body = JSON.stringify(good);
    for (const key of ["", "x".repeat(256), "tab\tinside", "\u0080"]) {
      const answer = await post(body, { "x-idempotency-key": key });
      assert.equal(answer.status, 422, JSON.stringify(key));
      assert.match(messages(answer)[0] ?? "", /^X-Idempotency-Key /);
    }
  });

  test("a key that is given twice, broken or of 20 KB is refused", async () => {
    const twice = httpText(
      `POST ${TRIGGER}`,
      {
        "x-api-key": `${tenant.apiKey}\r\nx-api-key: ${tenant.apiKey}`,
        "content-type": "application/json",
      },
      JSON.stringify(good),
    );
    assert.equal((await rawRequest(ingest.port, twice)).status, 401);
    for (const key of [
      "",
      " ",
      "x".repeat(257),
      `${tenant.apiKey}x`,
      tenant.apiKey.slice(1),
      "\u0080\u00ff",
      "' or 1=1 --",
    ]) {
      assert.equal((await post(JSON.stringify(good), { "x-api-key": key })).status, 401, key);
    }
    assert.equal((await post("{}", { "x-api-key": "x".repeat(20_000) })).status, 431);
    assert.equal((await post("{}", { "x-filler": "x".repeat(20_000) })).status, 431);
    const many = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`x-filler-${n}`, "1"]));
    assert.equal((await post("{}", many)).status, 431);
  });

  test("what is not HTTP, or names no host that can be read, is 400 and smuggles nothing", async () => {
    const end = "Connection: close\r\n\r\n";
    const hosts = BAD_HOSTS.map((host) => [host, `GET / HTTP/1.1\r\n${host}${end}`]);
    for (const [name, text = ""] of [...Object.entries(NOT_HTTP), ...hosts]) {
      const answer = await rawRequest(ingest.port, Buffer.from(text, "latin1"));
      assert.equal(answer.status, 400, name);
      checkResponse({ method: "GET", path: "/nothing", ...answer });
    }
    const lengths = `Host: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n${end}{}`;
    assert.equal((await rawRequest(ingest.port, `POST / HTTP/1.1\r\n${lengths}`)).status, 400);
    assert.equal((await rawRequest(ingest.port, "GET /nothing HTTP/1.0\r\n\r\n")).status, 404);
    for (const host of ["a.example.com:8080", "[::1]:3000", "127.0.0.1", "", "a_b~%20:"]) {
      const answer = await rawRequest(ingest.port, `GET /x HTTP/1.1\r\nHost: ${host}\r\n${end}`);
      assert.equal(answer.status, 404, host);
    }
  });

  test("unknown routes are 404, unknown methods 405 with Allow", async () => {
    for (const path of [
      "/",
      "/api",
      "/api/v1",
      "/api/v2/events/trigger",
      "/api/v1/events/trigger/",
      "//api/v1/events/trigger",
      "/api/v1/Events/Trigger",
      "/api/v1/events/trigger;a=b",
      "/.env",
      "/admin",
      "/api/v1/notifications/a",
      "*",
      "/api/v1/events/",
      "/metrics",
      "/health/live",
    ]) {
      assert.equal((await send("GET", path)).status, 404, path);
    }
    const routes: [string, string][] = [
      [TRIGGER, "POST"],
      [TOKEN, "POST"],
      [`/api/v1/events/${ID}`, "GET, HEAD, PATCH"],
      ["/api/v1/events/scheduled", "GET, HEAD"],
      ["/api/v1/events/cancel", "POST"],
      [`/api/v1/notifications/${tenant.id}/u`, "GET, HEAD"],
      [`/api/v1/notifications/${tenant.id}/u/${ID}`, "DELETE, PATCH"],
      [`/api/v1/notifications/${tenant.id}/u/${ID}/read`, "PUT"],
      ["/openapi.json", "GET, HEAD"],
      ["/docs", "GET, HEAD"],
    ];
    for (const [path, allow] of routes) {
      for (const method of [
        "GET",
        "POST",
        "PUT",
        "PATCH",
        "DELETE",
        "OPTIONS",
        "TRACE",
        "PROPFIND",
        "QUERY",
      ]) {
        if (allow.split(", ").includes(method)) continue;
        const answer = await send(method, path);
        assert.equal(answer.status, 405, `${method} ${path}`);
        assert.ok(answer.headers.get("allow") === allow, `${method} ${path}`);
      }
    }
  });

  test("paths with odd encodings and 10,000 characters lead nowhere", async () => {
    const user = (text: string) => `/api/v1/notifications/${tenant.id}/${text}`;
    const cases: [string, number][] = [
      ["/api/v1/%65vents/trigger/x", 404],
      ["/api/v1/events/%2e%2e/trigger", 404],
      ["/api/v1/events/%00", 404],
      [`/api/v1/events/${ID}%00`, 404],
      ["/api/v1/events/%zz", 400],
      ["/api/v1/events/%c0%ae", 400],
      ["/api/v1/events/%ed%a0%80", 400],
      ["/api/v1/events/%", 400],
      [user("%00"), 422],
      [user("a%0d%0ab"), 422],
      [user("x".repeat(256)), 422],
      [user("x".repeat(2049)), 414],
      [user("%ff"), 400],
      [`/api/v1/notifications/%00/u`, 403],
      [`/api/v1/notifications/${tenant.id}%20/u`, 403],
      [`/api/v1/notifications/${tenant.id.toUpperCase()}x/u`, 403],
      [`/${"x".repeat(10_000)}`, 404],
      [`/api/v1/events/${"x".repeat(10_000)}`, 414],
      [`/${"x".repeat(20_000)}`, 431],
    ];
    for (const [path, status] of cases) {
      assert.equal((await send("GET", path)).status, status, path.slice(0, 80));
    }
    for (const path of ODD_PATHS) {
      for (const place of ["", "/api/v1/events"]) {
        const { status } = await send("GET", place + path);
        assert.ok([400, 404, 414].includes(status), `${place}${path.slice(0, 40)}: ${status}`);
      }
    }
    for (const id of ["", "x", "%00", ID.slice(1), `${ID}0`, "..", "%2e%2e", "0".repeat(2048)]) {
      const answer = await send("PUT", user(`u/${id}/read`));
      assert.ok([404, 400].includes(answer.status), `${id.slice(0, 40)} ${answer.status}`);
    }
    assert.equal((await send("PUT", user(`u/${ID}/read`))).status, 404);
    assert.equal((await send("GET", `/api/v1/events/${ID}`)).status, 404);
  });

  test("limits and offsets that are no integers in their bounds are 422", async () => {
    const bad = [
      "0",
      "-1",
      "1001",
      "1.5",
      "1e2",
      "0x10",
      "",
      " 1",
      "NaN",
      "null",
      "9".repeat(400),
      "%00",
      "1;2",
      "٣",
    ];
    for (const value of bad) {
      const path = `/api/v1/notifications/${tenant.id}/u?limit=${encodeURI(value).replaceAll("%25", "%")}`;
      const answer = await send("GET", path);
      assert.equal(answer.status, 422, value.slice(0, 20));
      assert.match(messages(answer)[0] ?? "", /^limit must be an integer from/);
    }
    for (const query of [
      "limit=1&limit=2",
      "offset=-1",
      "offset=x",
      "offset=99999999999",
      "limit[]=1",
      "offset=2147483648",
    ]) {
      const { status } = await send("GET", `/api/v1/notifications/${tenant.id}/u?${query}`);
      assert.equal(status, query === "limit[]=1" ? 200 : 422, query);
    }
  });
});

describe("what is odd but allowed", () => {
  test("is accepted, stored and leaves the answer in our shape", async () => {
    const deep = `${'{"a":'.repeat(62)}1${"}".repeat(62)}`;
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`name${n}`, n]));
    const bodies: Record<string, string> = {
      "__proto__ as a variable":
        '{"__proto__":{"a":1},"constructor":1,"toString":"x","hasOwnProperty":null}',
      "a null byte in a variable": '{"a":"x\\u0000y"}',
      "a lone surrogate in a variable": '{"a":"\\ud800"}',
      "a null byte in a name": '{"\\u0000":1,"":2}',
      "a number beyond all": '{"a":1e400000,"b":-1e400000,"c":1e-400000}',
      "10,000 variables": JSON.stringify(many),
      "62 levels": deep,
      "the same name twice": '{"a":1,"a":2}',
    };
    let stored = await ingest.storedEvents();
    for (const [name, variables] of Object.entries(bodies)) {
      const answer = await post(
        `{"eventType":"e","payload":{"userId":"u"},"variables":${variables}}`,
        { "x-idempotency-key": name },
      );
      assert.equal(answer.status, 200, `${name}: ${answer.body}`);
      const shown = await send("GET", `/api/v1/events/${answer.headers.get("x-event-id")}`);
      assert.equal(shown.status, 200, name);
    }
    assert.ok((await ingest.storedEvents()) > stored);
    stored = await ingest.storedEvents();
    for (const text of ODD_TEXTS) {
      const event = { eventType: text, eventId: text, payload: { userId: text } };
      assert.equal((await post(JSON.stringify(event))).status, 200, text.slice(0, 20));
      const history = `/api/v1/notifications/${tenant.id}/${encodeURIComponent(text)}`;
      assert.equal((await send("GET", history)).status, 200, text.slice(0, 20));
    }
    assert.equal(
      (await post(JSON.stringify(good), { "content-type": 'application/json; charset="UTF-8"' }))
        .status,
      200,
    );
    const keys = ["Übung", "日本"].map((key) => Buffer.from(key).toString("latin1"));
    for (const key of keys) {
      const answer = await post(JSON.stringify(good), { "x-idempotency-key": key });
      assert.equal(answer.status, 200, answer.body);
    }
    const { rows } = await ingest.pool.query("select count(*) from events where event_type = 'e'");
    assert.equal(Number(rows[0].count), Object.keys(bodies).length);
    assert.deepEqual(ingest.faults(), []);
  });
});

describe("bounds on abuse", () => {
  test("guessing keys ends in 429 for the address, and not for a key that is known", async (t) => {
    const small = await startIngest(t, {
      UNKNOWN_KEYS_PER_MINUTE: "10",
      OTHER_REQUESTS_PER_MINUTE: "5",
    });
    const known = await small.createTenant();
    const ask = async (apiKey: string, path: string) => {
      const response = await fetch(`${small.url}${path}`, { headers: { "x-api-key": apiKey } });
      const { status, headers } = response;
      checkResponse({ method: "GET", path, status, headers, body: await response.text() });
      return status;
    };
    const path = `/api/v1/events/${ID}`;
    assert.equal(await ask(known.apiKey, path), 404);
    const answers: number[] = [];
    for (let n = 0; n < 15; n += 1) answers.push(await ask(`guess-${n}`, path));
    assert.deepEqual(answers, [...Array(10).fill(401), ...Array(5).fill(429)]);
    assert.equal(await ask(known.apiKey, path), 404, "the neighbour's own key");
    const flood: number[] = [];
    for (let n = 0; n < 5; n += 1) flood.push(await ask(known.apiKey, path));
    assert.deepEqual(
      flood,
      [404, 404, 404, 429, 429],
      "the other endpoints are bounded per tenant",
    );
  });

  test("a client that dribbles its headers or its body is 408 and closed, others are served", async () => {
    assert.equal((await send("GET", "/docs")).status, 200);
    for (const text of await slowAnswers) {
      assert.match(text, /^HTTP\/1\.1 408 /);
      assert.equal(JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4)).statusCode, 408);
    }
  });
});
