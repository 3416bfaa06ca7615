import assert from "node:assert/strict";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import test, { type TestContext } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { reasonWords } from "@belfry/contracts/reasons";
import type { OutcomeClass } from "@belfry/contracts/sending";
import { assertHas } from "@belfry/testing/assert-has";
import { createHandClock } from "@belfry/testing/hand-clock";
import { BAD_ADDRESSES } from "@belfry/testing/hostile";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { closedPort, type ReceivedCall, startPort, startVendor } from "../test/loopback-vendor.ts";
import { EMAIL, LIST_EMAIL, NOW_MS, testDeps } from "../test/messages.ts";
import type { ProviderDeps } from "./provider.ts";
import { checkSettings } from "./settings.ts";
import { SMTP_SETTINGS, smtp, smtpTarget } from "./smtp.ts";
import { smtpFailure } from "./smtp-failure.ts";
import { openSmtpSession } from "./smtp-sessions.ts";

const SETTINGS = {
  host: "127.0.0.1",
  user: "shop",
  password: "p4ssw0rd-of-the-shop",
  from: "shop@example.com",
  fromName: "The Shöp",
  replyTo: "help@example.com",
};

interface Taken {
  user: string | undefined;
  secure: boolean;
  from: string;
  to: string[];
  data: string;
}

const NOTHING: Taken = { user: undefined, secure: false, from: "", to: [], data: "" };

async function startMailServer(t: TestContext, options: SMTPServerOptions = {}) {
  const taken: Taken[] = [];
  let connections = 0;
  const server = new SMTPServer({
    onConnect(_session, done) {
      connections += 1;
      done();
    },
    onAuth(auth, _session, done) {
      if (auth.password === SETTINGS.password) done(null, { user: auth.username! });
      else done(new Error("Invalid username or password"));
    },
    onData(stream, session, done) {
      let data = "";
      stream.setEncoding("utf8");
      stream.on("data", (chunk) => {
        data += chunk;
      });
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        taken.push({
          user: session.user as string | undefined,
          secure: session.secure === true,
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          data,
        });
        done(null, "2.0.0 Ok: queued as ABC123");
      });
    },
    closeTimeout: 20,
    ...options,
  });
  server.on("error", () => {});
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  t.after(() => new Promise<void>((closed) => server.close(closed)));
  const { port } = server.server.address() as AddressInfo;
  /** Ends every session. */
  const hangUp = async () => {
    for (const connection of server.connections) connection.close();
    while (server.connections.size > 0) await nextTurn();
  };
  return { port, taken, connections: () => connections, hangUp };
}

function providerAt(t: TestContext, port: number, changes: Partial<ProviderDeps> = {}) {
  const provider = smtp.create(
    { ...SETTINGS, port },
    testDeps({ messageAnswerMs: 60_000, ...changes }),
  );
  t.after(() => provider.close());
  return provider;
}

/** Does as told with each line, after it is whole. */
function followScript(socket: Socket, onLine: (line: string, socket: Socket) => void) {
  socket.write("220 mx ready\r\n");
  let buffered = "";
  socket.setEncoding("utf8");
  socket.on("data", (chunk: string) => {
    buffered += chunk;
    for (let end = buffered.indexOf("\r\n"); end >= 0; end = buffered.indexOf("\r\n")) {
      const line = buffered.slice(0, end);
      buffered = buffered.slice(end + 2);
      onLine(line, socket);
    }
  });
}

/** A mail server that follows a script. */
function startScripted(t: TestContext, onLine: (line: string, socket: Socket) => void) {
  return startPort(t, (socket) => followScript(socket, onLine));
}

const OBEDIENT: Readonly<Record<string, string>> = {
  EHLO: "250-mx\r\n250 AUTH PLAIN",
  AUTH: "235 in",
  MAIL: "250 ok",
  RCPT: "250 ok",
  DATA: "354 go on",
  ".": "250 ok",
  RSET: "250 ok",
  QUIT: "221 bye",
};
const reply = (line: string, socket: Socket) => {
  const answer = OBEDIENT[line === "." ? "." : line.slice(0, 4).toUpperCase()];
  if (answer !== undefined) socket.write(`${answer}\r\n`);
};

test("a message arrives logged in, over STARTTLS, with its envelope, headers and both parts", async (t) => {
  const server = await startMailServer(t);
  const outcome = await providerAt(t, server.port).send(EMAIL);
  assert.deepEqual(outcome, {
    class: "accepted",
    reason: "the mail server took the message",
    messageId: `${EMAIL.deliveryId}@example.com`,
    vendorStatus: "250",
    vendorAnswer: "250 2.0.0 Ok: queued as ABC123",
    retryAfterSeconds: null,
  });
  const [mail] = server.taken;
  assertHas(mail, { user: "shop", secure: true, from: "shop@example.com" });
  assert.deepEqual(mail!.to, ["ann@example.com"]);
  const head = mail!.data.slice(0, mail!.data.indexOf("\r\n\r\n")).replaceAll(/\r\n\s+/g, " ");
  const headers = Object.fromEntries(
    head
      .split("\r\n")
      .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
  );
  assert.deepEqual(Object.keys(headers).sort(), [
    "Auto-Submitted",
    "Content-Type",
    "Date",
    "From",
    "MIME-Version",
    "Message-ID",
    "Reply-To",
    "Subject",
    "To",
  ]);
  assert.equal(headers.From, "=?UTF-8?Q?The_Sh=C3=B6p?= <shop@example.com>");
  assert.equal(headers.To, "ann@example.com");
  assert.equal(headers["Auto-Submitted"], "auto-generated");
  assert.equal(headers["Reply-To"], "help@example.com");
  assert.equal(headers["Message-ID"], `<${EMAIL.deliveryId}@example.com>`);
  assert.match(headers.Subject!, /^=\?UTF-8\?/);
  assert.match(headers["Content-Type"]!, /^multipart\/alternative;/);
  assert.match(mail!.data, /Content-Type: text\/plain; charset=utf-8/);
  assert.match(mail!.data, /Content-Type: text\/html; charset=utf-8/);
});

const COPIES = { cc: ["c@example.com", "ö@example.com"], bcc: ["b@example.com"] };

test("copies are in the envelope, bcc in no header field, and the mail's own name and reply address count", async (t) => {
  const server = await startMailServer(t);
  const names = { fromName: 'Ann, of "Acme"', replyTo: "ann@bücher.example" };
  const outcome = await providerAt(t, server.port).send({ ...EMAIL, ...names, ...COPIES });
  assertHas(outcome, { class: "accepted", reason: "the mail server took the message" });
  const [mail] = server.taken;
  assert.deepEqual(mail!.to, [
    "ann@example.com",
    "c@example.com",
    "ö@example.com",
    "b@example.com",
  ]);
  const head = mail!.data.slice(0, mail!.data.indexOf("\r\n\r\n")).replaceAll(/\r\n\s+/g, " ");
  assert.match(head, /^From: "Ann, of \\"Acme\\"" <shop@example\.com>$/m);
  assert.match(head, /^Reply-To: ann@xn--bcher-kva\.example$/m);
  assert.match(head, /^Cc: c@example\.com, ö@example\.com$/m);
  assert.doesNotMatch(mail!.data, /^bcc:|b@example/im);
});

/** Refuses one address with this answer. */
const refusing = (address: string, answer: string) => (line: string, socket: Socket) =>
  line.includes(`<${address}>`) && line.startsWith("RCPT")
    ? socket.write(`${answer}\r\n`)
    : reply(line, socket);

test("a copy that the server refuses takes nothing from the recipient's mail", async (t) => {
  const port = await startScripted(t, refusing("c@example.com", "550 5.1.1 no such user"));
  const outcome = await providerAt(t, port).send({ ...EMAIL, cc: ["c@example.com"] });
  assertHas(outcome, {
    class: "accepted",
    reason: "the mail server took the message, but refused 1 of cc and bcc",
  });
  assert.equal(outcome.suppress, undefined, "the recipient's address is good");
});

test("a mail that the server takes for its copies alone has not been sent", async (t) => {
  for (const [answer, expected] of [
    ["550 5.1.1 no such user", { class: "permanent", suppress: "bounced" }],
    ["451 4.7.1 greylisted", { class: "deferred" }],
  ] as const) {
    const port = await startScripted(t, refusing("ann@example.com", answer));
    assertHas(await providerAt(t, port).send({ ...EMAIL, cc: ["c@example.com"] }), expected);
  }
});

test("a server without SMTPUTF8 is given no mail with such a copy, and the words say which address it is", async (t) => {
  const port = await startScripted(t, reply);
  assertHas(await providerAt(t, port).send({ ...EMAIL, ...COPIES }), {
    class: "permanent",
    reason:
      "the mail server cannot send to an address of cc or bcc: its part before the @ is not ASCII, and the server offers no SMTPUTF8",
  });
});

test("a name or address of a mail that could inject a header is refused before any connection", async (t) => {
  const provider = providerAt(t, 1);
  for (const one of [...BAD_ADDRESSES, ""]) {
    for (const change of [{ replyTo: one }, { cc: ["c@example.com", one] }, { bcc: [one] }]) {
      assert.equal((await provider.send({ ...EMAIL, ...change })).class, "permanent", one);
    }
  }
  for (const fromName of ["a\r\nBcc: evil@x.io", "a\u0000", "a\u2028b", " "]) {
    assert.equal((await provider.send({ ...EMAIL, fromName })).class, "permanent", fromName);
  }
});

test("a mail that can be unsubscribed from arrives with each of its headers once, folded validly", async (t) => {
  const server = await startMailServer(t);
  const provider = providerAt(t, server.port);
  const longest = {
    ...LIST_EMAIL.headers!,
    listUnsubscribe: `https://a.example/${"Ab-_9".repeat(188)}`,
  };
  for (const headers of [LIST_EMAIL.headers!, longest]) {
    assert.equal((await provider.send({ ...EMAIL, headers })).class, "accepted");
    const { data } = server.taken.pop()!;
    const head = data.slice(0, data.indexOf("\r\n\r\n"));
    const lines = head.split("\r\n");
    for (const line of lines) {
      // RFC 5322: no line beyond 998, none of blanks alone, none that ends in the middle of CR LF.
      assert.ok(line.length <= 998 && line.trim() !== "", line);
      assert.doesNotMatch(line, /[\r\n]/);
      assert.match(line, /^(?:[!-9;-~]+:|[ \t]+\S)/);
    }
    const fields = head.replaceAll(/\r\n(?=[ \t])/g, "").split("\r\n");
    const ofList = fields
      .filter((line) => /^list-/i.test(line))
      .map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase()));
    assert.deepEqual(ofList.sort(), [
      "list-id: <offers.acme.mail.example.com>",
      "list-unsubscribe-post: List-Unsubscribe=One-Click",
      `list-unsubscribe: <${headers.listUnsubscribe}>`,
    ]);
  }
});

/** A server that keeps each line it was given, and offers these extensions. */
async function startListening(t: TestContext, extensions: string) {
  const lines: string[] = [];
  const port = await startScripted(t, (line, socket) => {
    lines.push(line);
    if (line.startsWith("EHLO")) socket.write(`250-mx\r\n${extensions}250 AUTH PLAIN\r\n`);
    else reply(line, socket);
  });
  return { port, lines };
}

const SMTPUTF8 = "250-8BITMIME\r\n250-SMTPUTF8\r\n";

test("an address that is not ASCII leaves by SMTPUTF8, with its domain in ASCII", async (t) => {
  const { port, lines } = await startListening(t, SMTPUTF8);
  const provider = providerAt(t, port);
  assert.equal((await provider.send({ ...EMAIL, to: "jörg@bücher.example" })).class, "accepted");
  assert.ok(
    lines.includes("MAIL FROM:<shop@example.com> SMTPUTF8 BODY=8BITMIME"),
    lines.join("\n"),
  );
  assert.ok(lines.includes("RCPT TO:<jörg@xn--bcher-kva.example>"), lines.join("\n"));
  assert.ok(lines.includes("To: jörg@bücher.example"), lines.join("\n"));
  lines.length = 0;
  assert.equal((await provider.send({ ...EMAIL, to: "ann@bücher.example" })).class, "accepted");
  assert.ok(lines.includes("MAIL FROM:<shop@example.com>"), "others leave as ever");
  assert.ok(lines.includes("RCPT TO:<ann@xn--bcher-kva.example>"));
});

test("a real server takes a mail to an address that is not ASCII", async (t) => {
  const server = await startMailServer(t);
  const outcome = await providerAt(t, server.port).send({ ...EMAIL, to: "用户@例え.jp" });
  assert.equal(outcome.class, "accepted");
  assert.match(server.taken[0]!.data, /^To: 用户@例え\.jp\r$/m);
});

test("a server without SMTPUTF8 is not given such an address: this message fails, and says why", async (t) => {
  for (const extensions of ["", "250-8BITMIME\r\n", "250-SMTPUTF8\r\n"]) {
    const { port, lines } = await startListening(t, extensions);
    const provider = providerAt(t, port);
    const outcome = await provider.send({ ...EMAIL, to: "jörg@example.com" });
    assert.equal(outcome.class, "permanent");
    assert.match(outcome.reason, /offers no SMTPUTF8/);
    assert.ok(!lines.some((line) => line.startsWith("MAIL")));
    assert.equal((await provider.send(EMAIL)).class, "accepted", "the next one leaves");
    assert.equal(lines.filter((line) => line.startsWith("EHLO")).length, 1);
  }
});

test("a sender's address that is not ASCII is a matter of the account", async (t) => {
  const from = "größe@example.com";
  const { port } = await startListening(t, "");
  const refused = smtp.create({ ...SETTINGS, from, port }, testDeps());
  assert.equal((await refused.send(EMAIL)).class, "credentials");
  const { port: other, lines } = await startListening(t, SMTPUTF8);
  const taken = smtp.create({ ...SETTINGS, from, port: other }, testDeps());
  assert.equal((await taken.send(EMAIL)).class, "accepted");
  assert.ok(lines.includes(`MAIL FROM:<${from}> SMTPUTF8 BODY=8BITMIME`), lines.join("\n"));
  await Promise.all([refused.close(), taken.close()]);
});

test("odd dots and what needs quotes stand in quotes, in the envelope and in the header", async (t) => {
  const { port, lines } = await startListening(t, "");
  const provider = providerAt(t, port);
  for (const [to, written] of [
    ["a..b@docomo.ne.jp", '"a..b"@docomo.ne.jp'],
    ["abc.@ezweb.ne.jp", '"abc."@ezweb.ne.jp'],
    ['"a@b, c;d"@example.com', '"a@b, c;d"@example.com'],
    ['"a\\"b"@example.com', '"a\\"b"@example.com'],
  ] as const) {
    lines.length = 0;
    assert.equal((await provider.send({ ...EMAIL, to })).class, "accepted", to);
    const recipients = lines.filter((line) => line.startsWith("RCPT"));
    assert.deepEqual(recipients, [`RCPT TO:<${written}>`]);
    assert.ok(lines.includes(`To: <${written}>`), lines.join("\n"));
  }
});

test("a server that refuses an unquoted dot before the @ takes the mail", async (t) => {
  const server = await startMailServer(t);
  const provider = providerAt(t, server.port);
  assert.equal((await provider.send({ ...EMAIL, to: "abc.@docomo.ne.jp" })).class, "accepted");
  assert.deepEqual(server.taken[0]!.to, ['"abc."@docomo.ne.jp']);
});

const REFUSALS: readonly (readonly [string, SMTPServerOptions, OutcomeClass, string])[] = [
  ["RCPT 550", { onRcptTo: refuse(550) }, "permanent", "550"],
  ["RCPT 553", { onRcptTo: refuse(553) }, "permanent", "553"],
  ["RCPT 450 (greylisted)", { onRcptTo: refuse(450) }, "deferred", "450"],
  ["RCPT 452 (full)", { onRcptTo: refuse(452) }, "deferred", "452"],
  ["RCPT 421 (closing)", { onRcptTo: refuse(421) }, "transient", "421"],
  ["MAIL 550 (sender)", { onMailFrom: refuse(550) }, "credentials", "550"],
  ["MAIL 530 (log in first)", { onMailFrom: refuse(530) }, "credentials", "530"],
  ["MAIL 552 (too large)", { onMailFrom: refuse(552) }, "permanent", "552"],
  ["MAIL 451", { onMailFrom: refuse(451) }, "transient", "451"],
  ["DATA 554 (content)", { onData: refuseData(554) }, "permanent", "554"],
  ["DATA 451", { onData: refuseData(451) }, "deferred", "451"],
  ["DATA 421 (closing)", { onData: refuseData(421) }, "transient", "421"],
  ["login 535", { onAuth: (_auth, _session, done) => done(withCode(535)) }, "credentials", "535"],
  ["login 454", { onAuth: (_auth, _session, done) => done(withCode(454)) }, "transient", "454"],
  ["greeting 421", { onConnect: (_session, done) => done(withCode(421)) }, "transient", "421"],
  ["greeting 554", { onConnect: (_session, done) => done(withCode(554)) }, "credentials", "554"],
];
for (const [name, options, expected, status] of REFUSALS) {
  test(`${name} is ${expected}, and the server's reply is kept`, async (t) => {
    const server = await startMailServer(t, {
      disabledCommands: ["STARTTLS"],
      authOptional: true,
      ...options,
    });
    const outcome = await providerAt(t, server.port).send(EMAIL);
    assertHas(outcome, { class: expected, vendorStatus: status });
    assert.match(outcome.vendorAnswer!, new RegExp(`^${status}`));
    assert.ok(!outcome.reason.includes("@"));
    assert.equal(server.taken.length, 0);
  });
}

test("a refused message leaves its connection to the next one", async (t) => {
  const server = await startMailServer(t, {
    disabledCommands: ["STARTTLS"],
    onRcptTo(address, _session, done) {
      done(address.address.startsWith("no") ? withCode(550) : null);
    },
  });
  const provider = providerAt(t, server.port);
  assert.equal((await provider.send({ ...EMAIL, to: "no@example.com" })).class, "permanent");
  assert.equal((await provider.send(EMAIL)).class, "accepted");
  assert.equal(server.connections(), 1);
});

test("thirty messages at once share at most five connections", async (t) => {
  const server = await startMailServer(t, { disabledCommands: ["STARTTLS"] });
  const provider = providerAt(t, server.port);
  const outcomes = await Promise.all(Array.from({ length: 30 }, () => provider.send(EMAIL)));
  assert.ok(outcomes.every((outcome) => outcome.class === "accepted"));
  assert.ok(server.connections() <= 5, `${server.connections()} connections`);
});

test("a mail server is greeted by the name of the settings, else by our public host, else by our address", async (t) => {
  const greeted: string[] = [];
  const port = await startScripted(t, (line, socket) => {
    if (line.startsWith("EHLO")) greeted.push(line.slice("EHLO ".length));
    reply(line, socket);
  });
  const greet = async (settings: object, publicHost: string | undefined) => {
    const deps = testDeps({ publicUrl: publicHost && `https://${publicHost}` });
    const provider = smtp.create({ ...SETTINGS, port, ...settings }, deps);
    assert.equal((await provider.send(EMAIL)).class, "accepted");
    await provider.close();
    return greeted.pop();
  };
  assert.equal(
    await greet({ ehloName: "mail.example.com" }, "belfry.example.com"),
    "mail.example.com",
  );
  assert.equal(await greet({ ehloName: "[192.0.2.1]" }, undefined), "[192.0.2.1]");
  assert.equal(await greet({}, "belfry.example.com"), "belfry.example.com");
  // Ours in truth: the connection's.
  for (const host of ["localhost", "192.0.2.1", "[2001:db8::1]", undefined]) {
    assert.equal(await greet({ host: "127.0.0.1" }, host), "[127.0.0.1]");
  }
  const bad = ["a b", "-a.example", "mail.example.com\r\nMAIL", "[x]", "ü.example"];
  for (const ehloName of bad) {
    assert.deepEqual(checkSettings(smtp, { host: "m.example.com", from: "a@b.io", ehloName }), [
      "ehloName: must be a host name, or an address in brackets",
    ]);
  }
});

const hasIpv6 = Object.values(networkInterfaces()).some((some) =>
  some?.some(({ address }) => address === "::1"),
);
const WITH_IPV6 = { skip: hasIpv6 ? false : "this machine has no IPv6" };
test(
  "without a name of ours the address is the connection's own, as IPv6 has it, too",
  WITH_IPV6,
  async (t) => {
    const greeted: string[] = [];
    const server = createServer((socket) =>
      followScript(socket, (line) => {
        if (line.startsWith("EHLO")) greeted.push(line);
        reply(line, socket);
      }),
    );
    await new Promise<void>((listening) => server.listen(0, "::1", listening));
    t.after(() => new Promise((closed) => server.close(closed)));
    const { port } = server.address() as AddressInfo;
    const provider = smtp.create({ ...SETTINGS, host: "::1", port }, testDeps());
    assert.equal((await provider.send(EMAIL)).class, "accepted");
    await provider.close();
    assert.deepEqual(greeted, ["EHLO [IPv6:::1]"]);
  },
);

test("connections, and messages over each, are settings", async (t) => {
  const server = await startMailServer(t, { disabledCommands: ["STARTTLS"] });
  const settings = { ...SETTINGS, port: server.port, maxConnections: 2, messagesPerConnection: 4 };
  const provider = smtp.create(settings, testDeps());
  t.after(() => provider.close());
  assert.equal(provider.maxCalls, 2);
  for (let round = 0; round < 4; round += 1) {
    const sent = await Promise.all([provider.send(EMAIL), provider.send(EMAIL)]);
    assert.ok(sent.every((outcome) => outcome.class === "accepted"));
  }
  assert.equal(server.connections(), 2);
  await provider.send(EMAIL);
  assert.equal(server.connections(), 3);
  const { maxConnections, messagesPerConnection } = SMTP_SETTINGS.properties;
  assert.deepEqual([maxConnections.default, messagesPerConnection.default], [5, 100]);
});

test("what a server bears is learned from what it refuses beside a connection that works, and tried again later", async (t) => {
  const clock = createHandClock();
  let open = 0;
  let refused = 0;
  let most = 1;
  const port = await startPort(t, (socket) => {
    open += 1;
    socket.on("close", () => {
      open -= 1;
    });
    if (open <= most) return followScript(socket, reply);
    refused += 1;
    socket.end("421 4.7.0 Too many connections\r\n");
  });
  const provider = providerAt(t, port, { clock });
  const sendAll = async () => {
    const sent = await Promise.all(Array.from({ length: 5 }, () => provider.send(EMAIL)));
    assert.deepEqual(new Set(sent.map((outcome) => outcome.class)), new Set(["accepted"]));
  };
  await sendAll();
  assert.deepEqual([provider.maxCalls, refused], [1, 4]);
  await sendAll();
  assert.deepEqual([provider.maxCalls, refused], [1, 4], "not tried again at once");
  clock.advance(11 * 60_000);
  most = 5;
  await sendAll();
  assert.deepEqual([provider.maxCalls, refused], [5, 4]);
});

test("a server that is not reached beside a connection that works is an attempt, and limits nothing", async (t) => {
  const asked = Promise.withResolvers<() => void>();
  const port = await startScripted(t, (line, socket) => {
    if (line.startsWith("RCPT")) asked.resolve(() => reply(line, socket));
    else reply(line, socket);
  });
  let isKnown = true;
  const resolve = async () => {
    if (!isKnown) throw Object.assign(new Error("no answer"), { code: "EDNS" });
    return [{ address: "127.0.0.1", family: 4 }];
  };
  const settings = { ...SETTINGS, host: "mail.example.com", port };
  const provider = smtp.create(settings, testDeps({ resolve }));
  t.after(() => provider.close());
  const first = provider.send(EMAIL);
  const goOn = await asked.promise;
  isKnown = false;
  assert.equal((await provider.send(EMAIL)).class, "transient");
  assert.equal(provider.maxCalls, 5);
  goOn();
  assert.equal((await first).class, "accepted");
});

test("a connection that is refused while none works is an attempt; soon after a message was taken it is none", async (t) => {
  const clock = createHandClock();
  let isFull = true;
  const port = await startPort(t, (socket) => {
    if (isFull) socket.end("421 4.7.0 Too many connections\r\n");
    else followScript(socket, reply);
  });
  const provider = smtp.create(
    { ...SETTINGS, port, messagesPerConnection: 1 },
    testDeps({ clock }),
  );
  t.after(() => provider.close());
  const send = async () => {
    const outcome = await provider.send(EMAIL);
    return [outcome.class, outcome.notBegun];
  };
  assert.deepEqual(await send(), ["throttled", undefined]);
  isFull = false;
  assert.deepEqual(await send(), ["accepted", undefined]);
  isFull = true;
  assert.deepEqual(await send(), ["transient", true]);
  clock.advance(11_000);
  assert.deepEqual(await send(), ["throttled", undefined]);
});

test("a session that wants no more messages costs none an attempt, whatever it says and wherever", async (t) => {
  for (const [step, refusal] of [
    ["RSET", "421 4.7.0 Too many messages"],
    ["MAIL", "421 4.7.0 Too many messages"],
    ["MAIL", "452 4.3.1 Busy"],
    ["MAIL", "503 5.5.1 Bad sequence of commands"],
    ["RCPT", "450 4.7.1 Too many messages over this connection"],
    ["RCPT", "421 4.3.2 Closing"],
    [".", "421 4.3.2 Closing"],
    ["DATA", "554 5.7.0 Too many messages in this session"],
  ] as const) {
    const accepted: number[] = [];
    let connections = 0;
    const port = await startPort(t, (socket) => {
      connections += 1;
      const number = connections;
      let taken = 0;
      followScript(socket, (line) => {
        const isDone = number === 1 && taken === 2;
        if (isDone && line.toUpperCase().startsWith(step)) socket.write(`${refusal}\r\n`);
        else if (step === "RSET" && number === 1 && taken === 1 && line === ".") {
          // The next message after a refused one begins with RSET.
          taken += 1;
          socket.write("554 no\r\n");
        } else {
          if (line === ".") accepted.push(number);
          if (line === ".") taken += 1;
          reply(line, socket);
        }
      });
    });
    const provider = providerAt(t, port);
    const sent: OutcomeClass[] = [];
    for (let n = 0; n < 6; n += 1) sent.push((await provider.send(EMAIL)).class);
    const [, second] = sent;
    assert.equal(second, step === "RSET" ? "permanent" : "accepted", `${step} ${refusal}`);
    assert.deepEqual(new Set(sent.toSpliced(1, 1)), new Set(["accepted"]), `${step} ${refusal}`);
    // Two a connection: the third took the rest of the six.
    assert.deepEqual(accepted, step === "RSET" ? [1, 2, 2, 3, 3] : [1, 1, 2, 2, 3, 3]);
  }
});

test("a healthy server that takes its time gets each message once, however many wait for a connection", async (t) => {
  const clock = createHandClock();
  const takes: (() => void)[] = [];
  const server = await startMailServer(t, {
    disabledCommands: ["STARTTLS"],
    onData(stream, session, done) {
      stream.resume();
      stream.on("end", () => {
        server.taken.push({
          ...NOTHING,
          to: session.envelope.rcptTo.map(({ address }) => address),
        });
        takes.push(() => done(null, "2.0.0 queued"));
      });
    },
  });
  const provider = providerAt(t, server.port, { timeoutMs: 1_000, turnWaitMs: 60_000, clock });
  const addresses = Array.from({ length: 12 }, (_, at) => `ann${at}@example.com`);
  const sent = Promise.all(addresses.map((to) => provider.send({ ...EMAIL, to })));
  for (const inHand of [5, 5, 2]) {
    while (takes.length < inHand) await nextTurn();
    // Longer than everything else may take.
    clock.advance(1_200);
    await nextTurn();
    for (const take of takes.splice(0)) take();
  }
  const outcomes = await sent;
  assert.deepEqual(new Set(outcomes.map((outcome) => outcome.class)), new Set(["accepted"]));
  assert.deepEqual(server.taken.flatMap(({ to }) => to).sort(), addresses.toSorted());
  assert.equal(server.connections(), 5);
});

test("a message for which no connection comes free is no attempt: nothing of it was sent", async (t) => {
  let begun = 0;
  const answers: (() => void)[] = [];
  const everyConnectionIsBusy = Promise.withResolvers<void>();
  const server = await startMailServer(t, {
    disabledCommands: ["STARTTLS"],
    onMailFrom(_address, _session, done) {
      begun += 1;
      answers.push(done);
      if (begun === 5) everyConnectionIsBusy.resolve();
    },
  });
  const provider = providerAt(t, server.port, { turnWaitMs: 1 });
  const sent = Array.from({ length: 5 }, () => provider.send(EMAIL));
  await everyConnectionIsBusy.promise;
  const late = await provider.send(EMAIL);
  assert.deepEqual([late.class, late.notBegun], ["transient", true]);
  assert.equal(begun, 5);
  for (const answer of answers) answer();
  assert.ok((await Promise.all(sent)).every((outcome) => outcome.class === "accepted"));
});

test("a connection that the server has closed meanwhile costs no attempt: the message leaves by another", async (t) => {
  for (const step of ["RSET", "MAIL", "RCPT", "DATA"]) await leaveByAnother(t, step);
});

test("a used connection that is lost after the whole message left is ambiguous like any other", async (t) => {
  let messages = 0;
  const port = await startScripted(t, (line, socket) => {
    if (line === ".") messages += 1;
    if (line === "." && messages === 2) socket.resetAndDestroy();
    else reply(line, socket);
  });
  const provider = providerAt(t, port);
  assert.equal((await provider.send(EMAIL)).class, "accepted");
  assert.equal((await provider.send(EMAIL)).class, "ambiguous");
  assert.equal(messages, 2);
});

test("closing lets the messages in hand finish", async (t) => {
  const server = await startMailServer(t, { disabledCommands: ["STARTTLS"] });
  const provider = smtp.create({ ...SETTINGS, port: server.port }, testDeps());
  const sent = Array.from({ length: 8 }, () => provider.send(EMAIL));
  await provider.close();
  assert.ok((await Promise.all(sent)).every((outcome) => outcome.class === "accepted"));
  assert.equal((await provider.send(EMAIL)).class, "transient");
});

test("a refused connection is transient", async (t) => {
  assert.equal((await providerAt(t, await closedPort()).send(EMAIL)).class, "transient");
});

test("a server that never greets is transient after the timeout", async (t) => {
  const port = await startPort(t, () => {});
  assert.equal((await providerAt(t, port, { timeoutMs: 250 }).send(EMAIL)).class, "transient");
});

test("a server that hangs up before the greeting is transient, and asked once", async (t) => {
  let connections = 0;
  const port = await startPort(t, (socket) => {
    connections += 1;
    socket.destroy();
  });
  assert.equal((await providerAt(t, port).send(EMAIL)).class, "transient");
  assert.equal(connections, 1);
});

for (const step of ["EHLO", "AUTH", "MAIL", "RCPT", "DATA"]) {
  for (const [what, act] of [
    ["cut", (socket: Socket) => socket.resetAndDestroy()],
    ["silent", () => {}],
  ] as const) {
    test(`a connection ${what} at ${step}, before the message left, is transient`, async (t) => {
      const port = await startScripted(t, (line, socket) => {
        if (line.toUpperCase().startsWith(step)) act(socket);
        else reply(line, socket);
      });
      assert.equal((await providerAt(t, port, { timeoutMs: 250 }).send(EMAIL)).class, "transient");
    });
  }
}

for (const [what, act] of [
  ["cut", (socket: Socket) => socket.resetAndDestroy()],
  ["closed", (socket: Socket) => socket.end()],
  ["silent", () => {}],
] as const) {
  test(`a connection ${what} after the whole message left is ambiguous, and it is not sent again`, async (t) => {
    let messages = 0;
    const port = await startScripted(t, (line, socket) => {
      if (line === ".") {
        messages += 1;
        act(socket);
      } else reply(line, socket);
    });
    const outcome = await providerAt(t, port, { messageAnswerMs: 250 }).send(EMAIL);
    assert.equal(outcome.class, "ambiguous");
    while (messages === 0) await nextTurn();
    assert.equal(messages, 1);
  });
}

for (const step of ["greeting", "message"]) {
  test(`what the server says to the ${step} while our own loop stands still is read before anything is judged`, async (t) => {
    const clock = createHandClock();
    let messages = 0;
    // Earlier answers are in the socket, unread, when our timers fire.
    const say = (what: string, words: () => void) =>
      setImmediate(() => {
        words();
        if (what === step) clock.jump(2_000);
      });
    const answer = (line: string, socket: Socket) => {
      if (line === ".") messages += 1;
      say(line === "." ? "message" : line, () => reply(line, socket));
    };
    const port = await startPort(t, (socket) =>
      say("greeting", () => followScript(socket, answer)),
    );
    const changes = { timeoutMs: 1_000, messageAnswerMs: 1_000, clock };
    assert.equal((await providerAt(t, port, changes).send(EMAIL)).class, "accepted");
    assert.equal(messages, 1);
  });
}

test("the server's reply is kept without the password it echoes", async (t) => {
  const port = await startScripted(t, (line, socket) => {
    if (line.startsWith("RCPT")) socket.write(`550 ${SETTINGS.password} is no user\r\n`);
    else reply(line, socket);
  });
  assert.equal((await providerAt(t, port).send(EMAIL)).vendorAnswer, "550 •••• is no user");
});

test("a server that offers no login gets no message from an account that needs one", async (t) => {
  const lines: string[] = [];
  const port = await startScripted(t, (line, socket) => {
    lines.push(line);
    if (line.startsWith("EHLO")) socket.write("250 mx\r\n");
    else if (line.startsWith("AUTH")) socket.write("502 no such command\r\n");
    else reply(line, socket);
  });
  assert.equal((await providerAt(t, port).send(EMAIL)).class, "credentials");
  assert.ok(!lines.some((line) => line.startsWith("MAIL")));
});

test("a subject that looks like an encoded word is shown as it is written", async (t) => {
  const { port, taken } = await startMailServer(t);
  const subject =
    "=?utf-8?Q?Free_money?= and =?iso-8859-1?b?w7w=?= für Ann 👍 and everybody who reads this";
  assert.equal((await providerAt(t, port).send({ ...EMAIL, subject })).class, "accepted");
  const head = (taken[0]?.data ?? "").replace(/\r\n[ \t]+/g, " ");
  const [, written = ""] = /^Subject: (.*)$/m.exec(head) ?? [];
  const words = written.trim().split(" ");
  const read = words.map((word) => {
    assert.ok(word.length <= 75, word);
    const [, text] = /^=\?UTF-8\?B\?([A-Za-z0-9+/=]*)\?=$/.exec(word) ?? [];
    assert.ok(text !== undefined, word);
    return Buffer.from(text, "base64").toString();
  });
  assert.equal(read.join(""), subject);
});

test("an address or subject that could inject a header is refused before any connection", async (t) => {
  const port = await startPort(t, () => assert.fail("connected"));
  const provider = providerAt(t, port);
  for (const to of [...BAD_ADDRESSES, ""]) {
    assert.equal((await provider.send({ ...EMAIL, to })).class, "permanent", JSON.stringify(to));
  }
  const subject = "Hi\r\nBcc: evil@example.com";
  assert.equal((await provider.send({ ...EMAIL, subject })).class, "permanent");
});

test("a text that looks like a file or an address is sent as it stands", async (t) => {
  const server = await startMailServer(t, { disabledCommands: ["STARTTLS"] });
  await providerAt(t, server.port).send({ ...EMAIL, html: "", text: "file:///etc/passwd" });
  assert.match(server.taken[0]!.data, /\r\n\r\nfile:\/\/\/etc\/passwd/);
});

test("a public name that turns out to be private gets no connection", async () => {
  const resolve = async () => [{ address: "169.254.169.254", family: 4 }];
  const deps = testDeps({ allowPrivateAddresses: false, resolve });
  const provider = smtp.create({ ...SETTINGS, host: "mail.example.com" }, deps);
  const outcome = await provider.send(EMAIL);
  assert.equal(outcome.class, "credentials");
  assert.match(outcome.reason, /no public address/);
  await provider.close();
});

test("with the guard on, TLS with a valid certificate is required on every port", () => {
  const deps = testDeps({ allowPrivateAddresses: false });
  for (const port of [465, 587, 2525]) {
    const options = smtpTarget({ ...SETTINGS, port }, deps);
    assertHas(options, { secure: port === 465, requireTLS: true });
    assert.equal(options.tls?.rejectUnauthorized, true);
  }
});

test("a server that cannot do STARTTLS gets neither password nor message when TLS is required", async (t) => {
  const lines: string[] = [];
  const port = await startScripted(t, (line, socket) => {
    lines.push(line);
    if (line === "STARTTLS") socket.write("502 no such command\r\n");
    else reply(line, socket);
  });
  const target = { ...smtpTarget({ ...SETTINGS, port }, testDeps()), requireTLS: true };
  const error = await openSmtpSession(target, testDeps(), new AbortController().signal).catch(
    (reason) => reason,
  );
  assert.equal(smtpFailure(error, false, []).class, "credentials");
  assert.ok(!lines.some((line) => /^(AUTH|MAIL)/.test(line)), lines.join());
});

const OAUTH = {
  user: "shop@example.com",
  password: undefined,
  oauthClientId: "the-application",
  oauthClientSecret: "s3cret-of-the-application",
  oauthScope: "https://outlook.office365.com/.default",
};

/** A mail server that offers XOAUTH2 alone, and the server of its tokens: `t1`, `t2` … */
async function startOAuth(t: TestContext, { challenges = true, expires_in = 3600 } = {}) {
  const refused = new Set<string | undefined>();
  const logins: (string | undefined)[] = [];
  const server = await startMailServer(t, {
    disabledCommands: ["STARTTLS"],
    authMethods: ["XOAUTH2"],
    allowInsecureAuth: true,
    onAuth({ accessToken, username }, _session, done) {
      logins.push(accessToken);
      if (!refused.has(accessToken)) done(null, { user: username! });
      else if (challenges) done(null, { data: { status: "401", schemes: "Bearer" } });
      else done(withCode(535));
    },
  });
  let tokens = 0;
  const vendor = await startVendor(t, (response, { body }) => {
    tokens += 1;
    const isRight = new URLSearchParams(body).get("client_secret") === OAUTH.oauthClientSecret;
    const answer = isRight
      ? { token_type: "Bearer", access_token: `t${tokens}`, expires_in }
      : { error: "invalid_client", error_description: body };
    response.writeHead(isRight ? 200 : 400).end(JSON.stringify(answer));
  });
  const provider = (changes: object = {}, deps: Partial<ProviderDeps> = {}) => {
    const oauthTokenUrl = `${vendor.url}/oauth2/v2.0/token`;
    const settings = { ...SETTINGS, ...OAUTH, oauthTokenUrl, port: server.port, ...changes };
    const { password: _none, ...given } = settings;
    const made = smtp.create(given, testDeps(deps));
    t.after(() => made.close());
    return made;
  };
  return { server, vendor, refused, logins, provider };
}

test("a server that offers XOAUTH2 alone is given a token that the client asks for, once for many messages", async (t) => {
  const { server, vendor, logins, provider } = await startOAuth(t);
  const made = provider();
  const sent = await Promise.all(Array.from({ length: 12 }, () => made.send(EMAIL)));
  assert.ok(sent.every((outcome) => outcome.class === "accepted"));
  assert.equal(server.taken[0]!.user, OAUTH.user);
  assert.deepEqual(new Set(logins), new Set(["t1"]));
  assert.equal(vendor.received.length, 1);
  const [{ method, path, headers, body }] = vendor.received as [ReceivedCall];
  assert.deepEqual([method, path], ["POST", "/oauth2/v2.0/token"]);
  assert.equal(headers["content-type"], "application/x-www-form-urlencoded");
  assert.deepEqual(Object.fromEntries(new URLSearchParams(body)), {
    grant_type: "client_credentials",
    client_id: OAUTH.oauthClientId,
    client_secret: OAUTH.oauthClientSecret,
    scope: OAUTH.oauthScope,
  });
});

test("a refresh token is exchanged for an access token", async (t) => {
  const { vendor, provider } = await startOAuth(t);
  const changes = { oauthRefreshToken: "1//refresh", oauthScope: undefined };
  assert.equal((await provider(changes).send(EMAIL)).class, "accepted");
  assert.deepEqual(Object.fromEntries(new URLSearchParams(vendor.received[0]!.body)), {
    grant_type: "refresh_token",
    client_id: OAUTH.oauthClientId,
    client_secret: OAUTH.oauthClientSecret,
    refresh_token: "1//refresh",
  });
});

test("a token is used until a minute before its end, then another is asked for", async (t) => {
  let nowMs = NOW_MS;
  const { server, logins, provider } = await startOAuth(t, { expires_in: 600 });
  const made = provider({}, { now: () => nowMs });
  const sendAnew = async () => {
    assert.equal((await made.send(EMAIL)).class, "accepted");
    await server.hangUp();
  };
  await sendAnew();
  nowMs += 539_000;
  await sendAnew();
  nowMs += 1_000;
  await sendAnew();
  assert.deepEqual(logins, ["t1", "t1", "t2"]);
});

test("a token that the server refuses is replaced once; then the account is at fault", async (t) => {
  for (const challenges of [true, false]) {
    const { logins, refused, provider, vendor } = await startOAuth(t, { challenges });
    const made = provider();
    refused.add("t1");
    assert.equal((await made.send(EMAIL)).class, "accepted");
    assert.deepEqual(logins, ["t1", "t2"]);
    for (const token of ["t1", "t2", "t3"]) refused.add(token);
    const other = await provider().send(EMAIL);
    assertHas(other, { class: "accepted" });
    for (const token of ["t4", "t5", "t6"]) refused.add(token);
    const failed = await provider().send(EMAIL);
    assertHas(failed, { class: "credentials", vendorStatus: "535" });
    assert.equal(vendor.received.length, 6);
  }
});

test("without a token no mail server is asked: the account is at fault, or the OAuth server away", async (t) => {
  const { server, provider } = await startOAuth(t);
  const wrong = await provider({ oauthClientSecret: "an0ther-secret" }).send(EMAIL);
  assertHas(wrong, { class: "credentials", vendorStatus: "400" });
  assert.match(wrong.vendorAnswer!, /invalid_client/);
  assert.doesNotMatch(
    wrong.vendorAnswer!,
    /an0ther/,
    "the secret that the vendor echoes is masked",
  );
  const nowhere = `http://127.0.0.1:${await closedPort()}/token`;
  const away = await provider({ oauthTokenUrl: nowhere }).send(EMAIL);
  assert.equal(away.class, "transient");
  assert.match(reasonWords(away.reason), /^no access token: /);
  for (const [status, body, expected] of [
    [503, "", "transient"],
    [429, "", "throttled"],
    [401, "{}", "credentials"],
    [200, "{}", "credentials"],
    [200, '{"access_token":"a b"}', "credentials"],
    [201, '{"access_token":"t0ken"}', "credentials"],
    [200, '{"refresh_token":"t0ken"}', "credentials"],
    [302, "", "credentials"],
  ] as const) {
    const other = await startVendor(t, (response) => response.writeHead(status).end(body));
    const failed = await provider({ oauthTokenUrl: other.url }).send(EMAIL);
    assert.equal(failed.class, expected, `${status} ${body}`);
    assert.doesNotMatch(failed.vendorAnswer ?? "", /t0ken/);
  }
  assert.equal(server.connections(), 0);
});

test("the OAuth server is behind the address guard, as every vendor", async () => {
  const settings = { ...SETTINGS, ...OAUTH, host: "mail.example.com" };
  const { password: _none, ...given } = settings;
  const faultsOf = (oauthTokenUrl: string | undefined, changes: object = {}) =>
    checkSettings(smtp, JSON.parse(JSON.stringify({ ...given, oauthTokenUrl, ...changes })));
  const url = "https://login.microsoftonline.com/contoso/oauth2/v2.0/token";
  assert.deepEqual(faultsOf(url), []);
  assert.deepEqual(faultsOf("http://login.example.com/"), [
    "oauthTokenUrl: must begin with https://",
  ]);
  assert.deepEqual(faultsOf("https://169.254.169.254/"), [
    "oauthTokenUrl: must be a public address",
  ]);
  assert.deepEqual(faultsOf(undefined), ["oauthTokenUrl: is missing", "password: is missing"]);
  assert.deepEqual(faultsOf(url, { oauthClientId: undefined, oauthClientSecret: undefined }), [
    "oauthClientId: is missing",
    "oauthClientSecret: is missing",
  ]);
  assert.deepEqual(faultsOf(url, { password: "x" }), ["password: give either a password or OAuth"]);
  assert.deepEqual(faultsOf(url, { user: undefined }), ["user: is missing"]);
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  const deps = testDeps({ allowPrivateAddresses: false, resolve });
  const provider = smtp.create({ ...given, oauthTokenUrl: url }, deps);
  assert.equal((await provider.send(EMAIL)).class, "credentials");
  await provider.close();
});

test("each fault of the settings names its field", () => {
  const faultsOf = (changes: object) =>
    checkSettings(smtp, { ...SETTINGS, host: "mail.example.com", ...changes });
  assert.deepEqual(faultsOf({}), []);
  assert.deepEqual(faultsOf({ port: 25 }), ["port: must be 465, 587 or 2525"]);
  assert.deepEqual(faultsOf({ host: "mail.example.com:25" }), [
    "host: must be a host name or an IP address",
  ]);
  assert.deepEqual(faultsOf({ host: "0x7f000001" }), ["host: must be a public address"]);
  assert.deepEqual(faultsOf({ from: "größe@bücher.example" }), []);
  assert.deepEqual(faultsOf({ from: "a b@example.com" }), ["from: must be an email address"]);
  assert.deepEqual(faultsOf({ replyTo: "größe@example.com" }), [
    "replyTo: must have only ASCII characters before the @",
  ]);
  assert.deepEqual(faultsOf({ user: undefined }).length, 1);
  assert.deepEqual(checkSettings(smtp, { host: "m.example.com", from: "a@b.io", user: "x" }), [
    "password: is missing",
  ]);
  assert.deepEqual(checkSettings(smtp, { host: "m.example.com", from: "a@b.io" }), []);
});

/** The first connection ends when the second message comes to the step. */
async function leaveByAnother(t: TestContext, step: string) {
  const accepted: number[] = [];
  let connections = 0;
  const port = await startPort(t, (socket) => {
    connections += 1;
    const number = connections;
    let recipients = 0;
    followScript(socket, (line) => {
      if (line.startsWith("RCPT")) recipients += 1;
      const isSecond = recipients === (step === "RSET" || step === "MAIL" ? 1 : 2);
      if (number === 1 && isSecond && line.startsWith(step)) socket.resetAndDestroy();
      else if (number === 1 && step === "RSET" && line === ".") socket.write("554 no\r\n");
      else {
        if (line === ".") accepted.push(number);
        reply(line, socket);
      }
    });
  });
  const provider = providerAt(t, port);
  const isRefused = step === "RSET";
  assert.equal((await provider.send(EMAIL)).class, isRefused ? "permanent" : "accepted", step);
  assert.equal((await provider.send(EMAIL)).class, "accepted", step);
  assert.equal(connections, 2, step);
  assert.deepEqual(accepted, isRefused ? [2] : [1, 2], step);
}

function withCode(responseCode: number): Error {
  return Object.assign(new Error("refused"), { responseCode });
}

function refuse(responseCode: number) {
  return (_address: unknown, _session: unknown, done: (error: Error) => void) =>
    done(withCode(responseCode));
}

function refuseData(responseCode: number): NonNullable<SMTPServerOptions["onData"]> {
  return (stream, _session, done) => {
    stream.resume();
    stream.on("end", () => done(withCode(responseCode)));
  };
}
