import assert from "node:assert/strict";
import { createServer as createHttpServer } from "node:http";
import { createServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import type { ResolvedAddress } from "@belfry/providers/address-guard";
import { createHandClock } from "@belfry/testing/hand-clock";
import { listen } from "@belfry/testing/listen";
import { startRecordingServer } from "@belfry/testing/recording-server";
import { createEndpointCalls, type EndpointCallsOptions } from "./endpoint-calls.ts";

function callsOf(t: TestContext, options: Partial<EndpointCallsOptions> = {}) {
  const calls = createEndpointCalls({ allowPrivateAddresses: true, ...options });
  t.after(() => calls.close());
  return (url: string) => calls.post({ url, headers: { "webhook-id": "1" }, body: "{}" });
}

/** A server that is told of each connection whose request has come. */
async function rawServer(t: TestContext, onRequest: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("data", () => onRequest(socket));
  });
  const port = await listen(t, server);
  return { url: `http://127.0.0.1:${port}`, sockets };
}

test("nothing private is called, however its address is written and whatever its port", async (t) => {
  const server = await startRecordingServer(t);
  const { port } = new URL(server.url);
  const post = callsOf(t, { allowPrivateAddresses: false });
  const hosts = [
    ...["127.0.0.1", "localhost", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0.0.0.0"],
    ...["10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1"],
    ...["[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[fd00::1]", "[fe80::1]"],
    ...["[64:ff9b::7f00:1]", "[2002:7f00:1::]", "shop.internal", "shop"],
  ];
  for (const host of hosts) {
    for (const url of [`http://${host}:${port}/`, `https://${host}:${port}/`, `https://${host}/`]) {
      const answer = await post(url);
      assert.match(answer.reason, /^not called: the host must be a public/, url);
      assert.equal(answer.class, "transient");
    }
  }
  assert.equal(server.requests.length, 0);
});

test("a name is judged by what each connection finds, and never called where that is private", async (t) => {
  const server = await startRecordingServer(t);
  const { port } = new URL(server.url);
  const looked: string[] = [];
  const answers: ResolvedAddress[][] = [
    [{ address: "127.0.0.1", family: 4 }],
    [{ address: "::ffff:127.0.0.1", family: 6 }],
    [],
  ];
  const post = callsOf(t, {
    allowPrivateAddresses: false,
    async resolve(name) {
      looked.push(name);
      return answers[looked.length - 1] ?? [];
    },
  });
  for (const _ of answers) {
    const { reason } = await post(`https://rebound.example.com:${port}/`);
    assert.equal(reason, "not called: the host has no public address");
  }
  assert.deepEqual(looked, ["rebound.example.com", "rebound.example.com", "rebound.example.com"]);
  assert.equal(server.requests.length, 0);
});

test("a call without a status ends after 15 s; an answer whose body stays open has decided, and ends a second after its headers", async (t) => {
  const reached: (() => void)[] = [];
  const began = () => new Promise<void>((resolve) => reached.push(resolve));
  const says = (text: string) =>
    rawServer(t, (socket) => {
      socket.write(text, () => reached.shift()?.());
    });
  const open = "content-length: 900\r\n\r\nbecau";
  const none = "ambiguous: the request left and no answer came within 15 s";
  const cases: [text: string, afterMs: number, expected: string][] = [
    ["", 15_000, none],
    ["HTTP/1.1 200 OK\r\nx-a: b", 15_000, none],
    [`HTTP/1.1 500 Oops\r\n${open}`, 1_000, "transient: it answered 500"],
    [`HTTP/1.1 200 OK\r\n${open}`, 1_000, "accepted: it answered 200"],
    ["HTTP/1.1 200 OK\r\n\r\nbecau", 1_000, "accepted: it answered 200"],
  ];
  for (const [text, afterMs, expected] of cases) {
    const clock = createHandClock();
    const server = await says(text);
    const post = callsOf(t, { clock });
    const there = began();
    let ended = false;
    const posted = post(server.url).finally(() => {
      ended = true;
    });
    await there;
    await drained();
    clock.advance(afterMs - 1);
    await drained();
    assert.equal(ended, false, text);
    clock.advance(1);
    const answer = await posted;
    assert.equal(`${answer.class}: ${answer.reason}`, expected);
    assert.equal(answer.timedOut, answer.status === null);
    if (answer.status !== null) assert.equal(answer.text, "becau");
  }
});

const FINAL = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ndone";
const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";
const HINTS = "HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload\r\n\r\n";

test("interim answers before the final one are read past, however they are cut into pieces", async (t) => {
  const answers = [
    [CONTINUE + FINAL],
    [CONTINUE, FINAL],
    [CONTINUE, CONTINUE, HINTS, CONTINUE, FINAL],
    ["HTTP/1.0 102 Processing\r\n\r\n", `${HINTS}HTTP/1.1 199 X\r\n\r\n${FINAL}`],
    [...(CONTINUE + HINTS + FINAL)],
    // A body that reads like one is a body.
    ["HTTP/1.1 200 OK\r\ncontent-length: 25\r\n\r\n", CONTINUE],
  ];
  for (const pieces of answers) {
    const server = await rawServer(t, (socket) => {
      const left = [...pieces];
      const next = () => {
        const piece = left.shift();
        if (piece !== undefined) socket.write(piece, () => setImmediate(next));
      };
      next();
    });
    const { reason, text } = await callsOf(t)(server.url);
    const expected = pieces.at(-1) === CONTINUE ? CONTINUE : "done";
    assert.deepEqual([reason, text], ["it answered 200", expected], pieces.join("|"));
  }
});

test("a kept connection brings interim answers again, and one that is all that comes is no answer", async (t) => {
  const server = await rawServer(t, (socket) => {
    let requests = 0;
    const answer = () => {
      requests += 1;
      if (requests < 3) socket.write(CONTINUE + FINAL);
      else socket.end(CONTINUE);
    };
    socket.on("data", (data) => {
      if (data.toString().startsWith("POST ")) answer();
    });
    answer();
  });
  const post = callsOf(t);
  for (const _ of [1, 2]) {
    assert.equal((await post(server.url)).text, "done");
    await drained();
  }
  assert.equal(server.sockets.size, 1);
  assert.equal((await post(server.url)).class, "ambiguous");
});

test("an answer may have 256 KiB of headers, and no more", async (t) => {
  const withHeaders = (count: number) =>
    rawServer(t, (socket) => {
      const headers = Array.from({ length: count }, (_, at) => `x-${at}: ${"a".repeat(90)}\r\n`);
      socket.write(`HTTP/1.1 200 OK\r\n${headers.join("")}content-length: 4\r\n\r\ndone`);
    });
  const post = callsOf(t);
  for (const count of [200, 2_500]) {
    assert.equal((await post((await withHeaders(count)).url)).text, "done", `${count} headers`);
  }
  const { class: outcome, reason } = await post((await withHeaders(3_000)).url);
  assert.equal(outcome, "ambiguous");
  assert.match(
    reason,
    /the request left and no answer came: its headers are too long \(UND_ERR_HEADERS_OVERFLOW\)/,
  );
});

test("headers that come late leave their body what is left of the 15 s", async (t) => {
  const clock = createHandClock();
  const asked = Promise.withResolvers<Socket>();
  const server = await rawServer(t, asked.resolve);
  const posted = callsOf(t, { clock })(server.url);
  const socket = await asked.promise;
  clock.advance(14_900);
  socket.write("HTTP/1.1 200 OK\r\n\r\n");
  await drained();
  clock.advance(100);
  assert.equal((await posted).class, "accepted");
});

test("an answer that arrived while our loop stood still is read before it is judged", async (t) => {
  const clock = createHandClock();
  let socket: Socket | undefined;
  const asked = Promise.withResolvers<void>();
  const server = await rawServer(t, (one) => {
    socket = one;
    asked.resolve();
  });
  const post = callsOf(t, { clock });
  const posted = post(server.url);
  await asked.promise;
  socket!.end("HTTP/1.1 204 No Content\r\n\r\n");
  clock.jump(60_000);
  const { reason, timedOut } = await posted;
  assert.deepEqual([reason, timedOut], ["it answered 204", false]);
});

test("an answer of 100 MB is left after its first KiB, and its connection closed", async (t) => {
  const chunk = Buffer.alloc(64 * 1024, "a");
  let written = 0;
  const closed = Promise.withResolvers<void>();
  const server = createHttpServer((request, response) => {
    request.resume();
    response.on("close", closed.resolve);
    const more = () => {
      while (!response.destroyed && written < 100 * 1024 * 1024) {
        written += chunk.length;
        if (!response.write(chunk)) return void response.once("drain", more);
      }
      response.end();
    };
    more();
  });
  const port = await listen(t, server);
  const post = callsOf(t);
  const answer = await post(`http://127.0.0.1:${port}/`);
  assert.deepEqual([answer.class, answer.text], ["accepted", "a".repeat(1024)]);
  await closed.promise;
  // The bytes that the system's buffers took, not all that the endpoint had.
  assert.ok(written < 20 * 1024 * 1024, `${written}`);
});

test("an endpoint that closes at once, or speaks no TLS, is told apart by its reason", async (t) => {
  const silent = await rawServer(t, (socket) => socket.destroy());
  const post = callsOf(t);
  assert.match(
    (await post(silent.url)).reason,
    /^the request left and no answer came: it closed the connection \((UND_ERR_SOCKET|ECONNRESET)\)$/,
  );
  const plain = await startRecordingServer(t);
  const { reason } = await post(plain.url.replace("http:", "https:"));
  assert.match(reason, /^no connection: it does not speak TLS \(\w+\)$/);
  assert.equal(plain.requests.length, 0);
});

test("a kept connection that the endpoint closes as a message comes is no failed try; a fresh one is", async (t) => {
  for (const how of ["destroy", "resetAndDestroy", "end"] as const) {
    const came: string[] = [];
    const server = await rawServer(t, (socket) => {
      const connection = server.sockets.size;
      let requests = 0;
      const answer = () => {
        requests += 1;
        came.push(`${connection}.${requests}`);
        // The third connection ends unanswered, though nobody had kept it.
        if (requests > 1 || connection === 3) socket[how]();
        else socket.write("HTTP/1.1 204 No Content\r\nkeep-alive: timeout=600\r\n\r\n");
      };
      // A request may come in pieces.
      socket.on("data", (data) => {
        if (data.toString().startsWith("POST ")) answer();
      });
      answer();
    });
    const post = callsOf(t);
    assert.equal((await post(server.url)).class, "accepted");
    // The connection is kept for the next.
    await drained();
    assert.equal((await post(server.url)).reason, "it answered 204", how);
    assert.deepEqual(came, ["1.1", "1.2", "2.1"], how);
    assert.equal((await post(server.url)).class, "ambiguous", how);
    assert.deepEqual(came.slice(3), ["3.1"], how);
  }
});

test("calls of one host wait for no other's: a hundred that hang hold up none", async (t) => {
  const server = await startRecordingServer(t);
  server.answer = ({ path }) => (path === "/hangs" ? { instead: "hang" } : { status: 204 });
  const clock = createHandClock();
  const post = callsOf(t, { clock });
  const hanging = Array.from({ length: 100 }, () => post(`${server.url}/hangs`));
  await server.received(100);
  assert.equal((await post(`${server.url}/answers`)).class, "accepted");
  clock.advance(15_000);
  for (const answer of await Promise.all(hanging)) assert.equal(answer.class, "ambiguous");
});

/** Waits until the data in the sockets has been read. */
async function drained(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((next) => setImmediate(next));
}

test("what comes without an end is read no further than 1 MiB, interim answers and chunk extensions, too", async (t) => {
  const endless = {
    "an interim answer": { start: "", piece: "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n" },
    "a chunk extension": {
      start: "HTTP/1.1 500 X\r\ntransfer-encoding: chunked\r\n\r\n1;",
      piece: "x".repeat(40),
    },
  };
  for (const [what, { start, piece }] of Object.entries(endless)) {
    const { url, sockets } = await rawServer(t, (socket) => {
      socket.write(start);
      const flood = () => {
        while (!socket.destroyed && socket.write(piece.repeat(1_000)));
      };
      socket.on("drain", flood);
      flood();
    });
    // The hand clock stands: nothing but the bytes ends the call.
    assert.notEqual((await callsOf(t, { clock: createHandClock() })(url)).class, "accepted", what);
    assert.equal(sockets.size, 1, what);
  }
});
