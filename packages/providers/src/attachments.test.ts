import assert from "node:assert/strict";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { EmailMessage } from "@belfry/contracts/sending";
import { assertHas } from "@belfry/testing/assert-has";
import { createHandClock } from "@belfry/testing/hand-clock";
import { listen } from "@belfry/testing/listen";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";
import { FILES, INVITATION, LOGO, mailFile } from "../test/mail-files.ts";
import { EMAIL, NOW_MS, testDeps } from "../test/messages.ts";
import { signAwsRequest } from "./aws-signature.ts";
import { brevo } from "./brevo.ts";
import { httpEmail } from "./http.ts";
import { mailgun } from "./mailgun.ts";
import { postmark } from "./postmark.ts";
import type { ProviderDeps, ProviderKind } from "./provider.ts";
import { resend } from "./resend.ts";
import { sandboxEmail } from "./sandbox.ts";
import { sendgrid } from "./sendgrid.ts";
import { ses } from "./ses.ts";
import { smtp } from "./smtp.ts";

/** A file as a vendor reads it. */
interface FileAtVendor {
  name: string;
  /** Undefined: the vendor tells it by the name. */
  type: string | undefined;
  content: Buffer;
  cid: string | undefined;
}

interface Call {
  headers: IncomingMessage["headers"];
  path: string;
  body: Buffer;
}

interface Vendor {
  kind: ProviderKind<EmailMessage>;
  settings: Record<string, unknown>;
  accept: { status: number; body: string };
  /** Reads the files from a call, as the vendor documents its API. */
  read(call: Call): FileAtVendor[] | Promise<FileAtVendor[]>;
  showsImages: boolean;
}

const FROM = { from: "shop@example.com" };
const KEY = { apiKey: "key-0123456789abcdef", ...FROM };
const SES = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  region: "eu-central-1",
};
const json = ({ body }: Call) => JSON.parse(body.toString());
const decoded = (base64: string) => {
  // No padding may stand within it.
  assert.match(base64, /^[A-Za-z0-9+/]+={0,2}$/);
  assert.equal(base64.length % 4, 0);
  return Buffer.from(base64, "base64");
};

const VENDORS: readonly Vendor[] = [
  {
    kind: sendgrid,
    settings: KEY,
    accept: { status: 202, body: "" },
    showsImages: true,
    read: (call) =>
      json(call).attachments.map((one: Record<string, string>) => {
        assert.equal(one.disposition, one.content_id === undefined ? "attachment" : "inline");
        const { filename: name, type, content = "", content_id: cid } = one;
        return { name, type, content: decoded(content), cid };
      }),
  },
  {
    kind: ses,
    settings: { ...SES, ...FROM },
    accept: { status: 200, body: '{"MessageId":"1"}' },
    showsImages: true,
    read(call) {
      const url = `http://${call.headers.host}${call.path}`;
      const headers = { "content-type": String(call.headers["content-type"]) };
      const signed = signAwsRequest(
        { method: "POST", url, headers, body: call.body.toString() },
        "ses",
        SES,
        NOW_MS,
      );
      assert.equal(call.headers.authorization, signed.authorization);
      const { Attachments } = json(call).Content.Simple;
      return Attachments.map((one: Record<string, string>) => {
        assert.equal(one.ContentTransferEncoding, "BASE64");
        assert.equal(one.ContentDisposition, one.ContentId === undefined ? "ATTACHMENT" : "INLINE");
        const { FileName: name, ContentType: type, RawContent = "", ContentId: cid } = one;
        return { name, type, content: decoded(RawContent), cid };
      });
    },
  },
  {
    kind: postmark,
    settings: { serverToken: "a1b2c3d4-0000-4000-8000-123456789abc", ...FROM },
    accept: { status: 200, body: '{"MessageID":"1","ErrorCode":0}' },
    showsImages: true,
    read: (call) =>
      json(call).Attachments.map(
        ({ Name, Content = "", ContentType, ContentID }: Record<string, string>) => ({
          name: Name,
          type: ContentType,
          content: decoded(Content),
          cid: ContentID?.replace(/^cid:/, ""),
        }),
      ),
  },
  {
    kind: mailgun,
    settings: { ...KEY, domain: "mg.example.com" },
    accept: { status: 200, body: '{"id":"1"}' },
    showsImages: true,
    async read({ body, headers }) {
      // The judge of the form is the Fetch standard's reader.
      const type = { headers: { "content-type": String(headers["content-type"]) } };
      const form = await new Response(new Uint8Array(body), type).formData();
      assert.equal(form.get("subject"), EMAIL.subject);
      assert.equal(form.get("html"), EMAIL.html);
      const files = [...form].flatMap(([field, value]) => {
        if (typeof value === "string") return [];
        return [{ field, value }];
      });
      return await Promise.all(
        files.map(async ({ field, value }) => ({
          name: field === "inline" ? LOGO.name : value.name,
          type: value.type,
          content: Buffer.from(await value.arrayBuffer()),
          cid: field === "inline" ? value.name : undefined,
        })),
      );
    },
  },
  {
    kind: resend,
    settings: KEY,
    accept: { status: 200, body: '{"id":"1"}' },
    showsImages: true,
    read: (call) =>
      json(call).attachments.map(
        ({ filename, content = "", content_type, content_id }: Record<string, string>) => ({
          name: filename,
          type: content_type,
          content: decoded(content),
          cid: content_id,
        }),
      ),
  },
  {
    kind: brevo,
    settings: KEY,
    accept: { status: 201, body: '{"messageId":"<1@b>"}' },
    showsImages: false,
    read: (call) =>
      json(call).attachment.map(({ name, content = "" }: Record<string, string>) => ({
        name,
        type: undefined,
        content: decoded(content),
        cid: undefined,
      })),
  },
];

/** Reads each request as `takeBody` does, and answers it. */
async function startVendor(
  t: TestContext,
  { kind, settings, accept }: Vendor,
  deps: Partial<ProviderDeps> = {},
  takeBody: (request: IncomingMessage) => Promise<Buffer> = wholeBody,
) {
  const calls: Call[] = [];
  const server = createServer(async (request, response) => {
    const body = await takeBody(request).catch(() => undefined);
    if (body === undefined) return;
    calls.push({ headers: request.headers, path: request.url!, body });
    response.writeHead(accept.status, { "content-type": "application/json" }).end(accept.body);
  });
  const port = await listen(t, server);
  const baseUrl = `http://127.0.0.1:${port}`;
  const provider = kind.create({ ...settings, baseUrl }, testDeps(deps));
  t.after(() => provider.close());
  return { provider, calls };
}

async function wholeBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function bytesOf(file: (typeof FILES)[number]): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of file.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

for (const vendor of VENDORS) {
  const { title } = vendor.kind;

  test(`${title}: files arrive byte by byte, under their names and types`, async (t) => {
    const { provider, calls } = await startVendor(t, vendor);
    const files = vendor.showsImages ? [...FILES, LOGO] : FILES;
    assertHas(await provider.send({ ...EMAIL, attachments: files }), { class: "accepted" });
    const [call] = calls;
    assert.equal(Number(call!.headers["content-length"]), call!.body.length);
    const read = await vendor.read(call!);
    for (const [at, file] of files.entries()) {
      const { content, type, ...rest } = read[at]!;
      assert.deepEqual(rest, { name: file.name, cid: file.cid });
      // The Fetch standard gives the type of a form's file in lower case.
      if (type !== undefined) assert.equal(type.toLowerCase(), file.type.toLowerCase());
      assert.ok(content.equals(await bytesOf(file)), file.name);
    }
    assert.equal(read.length, files.length);
  });

  test(`${title}: what is too large for it, another provider may take`, async (t) => {
    const { provider, calls } = await startVendor(t, vendor);
    const most = vendor.kind.maxMessageBytes!;
    const file = { ...mailFile(Buffer.alloc(1), FILES[0]!), bytes: Math.floor(most / 1.36) };
    const outcome = await provider.send({ ...EMAIL, attachments: [file, file] });
    assert.equal(outcome.class, "policy");
    assert.match(outcome.reason, /^#mail-too-large /);
    if (!vendor.showsImages) {
      const image = await provider.send({ ...EMAIL, attachments: [LOGO] });
      assertHas(image, { class: "policy", reason: "#inline-images-not-taken" });
    }
    assert.equal(calls.length, 0);
  });

  test(`${title}: a body that breaks off, for want of a file, is no mail`, async (t) => {
    const { provider, calls } = await startVendor(t, vendor);
    const failing = mailFile(
      Buffer.alloc(3 * 256 * 1024),
      FILES[0]!,
      (() => {
        let reads = 0;
        return () => {
          reads += 1;
          // The vendor that signs reads once more before.
          if (reads === (vendor.kind === ses ? 6 : 3)) throw new Error("no database");
        };
      })(),
    );
    const { class: ended } = await provider
      .send({ ...EMAIL, attachments: [failing] })
      .catch(() => ({ class: "thrown" }));
    assert.ok(ended === "transient" || ended === "thrown", ended);
    assert.equal(calls.length, 0, "nobody has got a whole request");
    const { class: next } = await provider.send({ ...EMAIL, attachments: [FILES[3]!] });
    assert.equal(next, "accepted", "the next one passes");
  });
}

test("a vendor that reads slowly gets all of it in one call, however long that takes", async (t) => {
  const clock = createHandClock();
  const vendor = VENDORS[0]!;
  let isRead = false;
  // At most a piece a turn, with longer between them than the whole timeout would be for all.
  const slowly = async (request: IncomingMessage) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk);
      await nextTurn();
    }
    isRead = true;
    return Buffer.concat(chunks);
  };
  const { provider, calls } = await startVendor(t, vendor, { timeoutMs: 10_000, clock }, slowly);
  let moved = 0;
  const file = mailFile(Buffer.alloc(6 * 1024 * 1024, 1), FILES[0]!, async () => {
    moved += 9_000;
    await clock.advance(9_000);
  });
  const outcome = await provider.send({ ...EMAIL, attachments: [file] });
  assert.equal(outcome.class, "accepted");
  assert.ok(moved > 200_000 && isRead);
  assert.equal(calls.length, 1, "no double");
});

test("a vendor that stops reading in the middle has no mail: it is tried again", async (t) => {
  const clock = createHandClock();
  const vendor = VENDORS[0]!;
  const stopped = Promise.withResolvers<void>();
  const stops = async (request: IncomingMessage): Promise<Buffer> => {
    request.once("readable", () => stopped.resolve());
    return await new Promise(() => undefined);
  };
  const { provider } = await startVendor(t, vendor, { timeoutMs: 10_000, clock }, stops);
  const large = mailFile(Buffer.alloc(20 * 1024 * 1024, 1), FILES[0]!);
  const sending = provider.send({ ...EMAIL, attachments: [large] });
  await stopped.promise;
  let ended = false;
  void sending.finally(() => {
    ended = true;
  });
  while (!ended) {
    await clock.advance(5_000);
    await nextTurn();
  }
  assert.equal((await sending).class, "transient");
});

test("any HTTP API takes no files, and says so; the sandbox keeps what they are", async (t) => {
  const http = httpEmail.create(
    { url: "http://127.0.0.1:1/", body: '{"to": {{ to }}}' },
    testDeps(),
  );
  t.after(() => http.close());
  const refused = await http.send({ ...EMAIL, attachments: [LOGO] });
  assertHas(refused, { class: "policy", reason: "#attachments-not-taken" });
  const kept: unknown[] = [];
  const storeInOutbox: ProviderDeps["storeInOutbox"] = async ({ attachments }) => {
    kept.push(attachments);
    return "1";
  };
  const sandbox = sandboxEmail.create({}, testDeps({ storeInOutbox }));
  await sandbox.send({ ...EMAIL, attachments: [LOGO] });
  await sandbox.send(EMAIL);
  const { name, type, bytes, sha256, cid } = LOGO;
  assert.deepEqual(kept, [[{ name, type, bytes, sha256, cid }], undefined]);
});

async function startMailServer(t: TestContext) {
  const mails: Buffer[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        mails.push(Buffer.concat(chunks));
        done();
      });
    },
  });
  // Connections that the peer breaks off are not failures here.
  server.on("error", () => undefined);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.server.address() as AddressInfo;
  const provider = smtp.create({ host: "127.0.0.1", port, ...FROM }, testDeps());
  t.after(async () => {
    await provider.close();
    await new Promise<void>((closed) => server.close(closed));
  });
  return { provider, mails };
}

test("over SMTP files arrive byte by byte, an image inline, and an invitation as Outlook wants it", async (t) => {
  const { provider, mails } = await startMailServer(t);
  const files = [...FILES, LOGO];
  assertHas(await provider.send({ ...EMAIL, attachments: files }), { class: "accepted" });
  const raw = mails[0]!;
  const mail = await PostalMime.parse(raw, { forceRfc822Attachments: true });
  assert.equal(mail.html?.trim(), EMAIL.html);
  assert.equal(mail.text?.trim(), EMAIL.text);
  const read = mail.attachments.map(({ content, ...rest }) => ({
    ...rest,
    content: Buffer.from(content as ArrayBuffer),
  }));
  for (const file of files) {
    const one = read.find(({ filename }) => filename === file.name);
    assert.ok(one, file.name);
    // The parser ends the lines of calendars in its own way: their bytes are compared below.
    if (file.name !== "invite.ics") assert.ok(one.content.equals(await bytesOf(file)), file.name);
    assert.equal(one.disposition, file.cid === undefined ? "attachment" : "inline");
    assert.equal(one.contentId, file.cid && `<${file.cid}>`);
    const [media] = file.type.split(";");
    assert.equal(one.mimeType, file.name === "invite.ics" ? "application/ics" : media);
  }
  // Outlook looks for it in the first part of the mixed one: after text and HTML, with its method.
  const invitation = read.find(({ mimeType }) => mimeType === "text/calendar");
  assert.equal(invitation?.method, "REQUEST");
  assert.match(invitation!.content.toString(), /SUMMARY:Müllers Termin/);
  const text = raw.toString("latin1");
  const inLines = Buffer.from(INVITATION).toString("base64").replaceAll(/.{76}/g, "$&\r\n");
  assert.equal(text.split(inLines).length, 3, "byte by byte: as the alternative and as the file");
  const types = [...text.matchAll(/^Content-Type: ([a-z]+\/[a-z]+)/gim)].map(([, type]) => type);
  assert.deepEqual(types.slice(0, 7), [
    "multipart/mixed",
    "multipart/alternative",
    "text/plain",
    "multipart/related",
    "text/html",
    "image/png",
    "text/calendar",
  ]);
  assert.ok(text.split("\r\n").every((line) => line.length <= 998));
});

test("over SMTP a mail whose file cannot be read is never ended", async (t) => {
  const { provider, mails } = await startMailServer(t);
  let reads = 0;
  const failing = mailFile(Buffer.alloc(4 * 256 * 1024), FILES[0]!, () => {
    reads += 1;
    if (reads === 3) throw new Error("no database");
  });
  const outcome = await provider.send({ ...EMAIL, attachments: [failing] });
  assert.equal(outcome.class, "transient");
  assert.equal((await provider.send({ ...EMAIL, attachments: [FILES[3]!] })).class, "accepted");
  assert.equal(mails.length, 1);
});
