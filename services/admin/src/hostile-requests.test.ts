import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { createTenant } from "@belfry/administration/tenants/tenants";
import { BAD_HOSTS, NAMES_OF_EVERY_OBJECT, ODD_PATHS } from "@belfry/testing/hostile";
import { PASSWORD, type TestBrowser } from "../test/browser.ts";
import { startAdmin, startForOperator, startForTenant } from "../test/start-admin.ts";
import { ACCESS } from "./page/access.ts";
import { ownPath } from "./page/answer.ts";

const NOWHERE = "01890000-0000-7000-8000-000000000000";

test("a form that another site sends is refused: without a token, with a stranger's, or from elsewhere", async (t) => {
  const { admin, operator } = await startForOperator(t);
  const stranger = admin.browser();
  const fields = { name: "Forged", perMinute: "1", dailyCap: "1" };
  const send = (browser: TestBrowser, token: string, headers = {}) =>
    browser.raw("/tenants", {
      method: "POST",
      headers,
      body: new URLSearchParams({ ...fields, _token: token }),
    });
  const own = await operator.token("/account");
  assert.equal((await send(operator, "")).status, 403);
  assert.equal((await send(operator, await stranger.token("/sign-in"))).status, 403);
  assert.equal((await send(operator, own, { origin: "https://evil.example" })).status, 403);
  assert.equal((await send(operator, own, { origin: "null" })).status, 403);
  assert.equal((await send(operator, own, { "sec-fetch-site": "cross-site" })).status, 403);
  assert.equal((await send(operator, own, { "sec-fetch-site": "same-site" })).status, 403);
  const json = await operator.raw("/tenants", {
    method: "POST",
    headers: { "content-type": "text/plain" },
    body: `_token=${own}&name=Forged`,
  });
  assert.equal(json.status, 415);
  assert.ok(!(await operator.text("/tenants")).includes("Forged"));
  assert.equal(
    (await send(operator, own, { origin: admin.url })).status,
    303,
    "the form itself works",
  );
});

test("no form of the table goes without its token, whoever sends it", async (t) => {
  const { operator, id } = await startForTenant(t);
  const own = await operator.token("/account");
  const letIn: string[] = [];
  for (const key of Object.keys(ACCESS).filter((one) => one.startsWith("POST "))) {
    const path = key.slice(5).replace(":tenantId", id).replaceAll(/:\w+/g, NOWHERE);
    // In the address it is no token: addresses are in logs and in the history.
    for (const [address, body] of [
      [path, ""],
      [`${path}?_token=${own}`, "x=1"],
    ] as const) {
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      const { status } = await operator.raw(address, { method: "POST", headers, body });
      if (status !== 403) letIn.push(`${key}: ${status}`);
    }
  }
  assert.deepEqual(letIn, []);
});

test("signing in over a session that somebody planted ends it, and begins another", async (t) => {
  const admin = await startAdmin(t);
  const attacker = await admin.operator();
  const planted = attacker.cookies.get("belfry_session") ?? "";
  const victim = admin.browser();
  victim.cookies.set("belfry_session", planted);
  const credentials = { email: "op@example.com", password: PASSWORD, next: "/account" };
  // The form of a page that was open before the cookie was planted has no token for it.
  const early = await admin.browser().token("/sign-in");
  const body = new URLSearchParams({ ...credentials, _token: early });
  assert.equal((await victim.raw("/sign-in", { method: "POST", body })).status, 403);
  assert.equal((await victim.post("/sign-in", credentials, { from: "/account" })).status, 303);
  assert.notEqual(victim.cookies.get("belfry_session"), planted);
  assert.equal((await victim.get("/tenants")).status, 200);
  assert.equal((await attacker.get("/tenants")).status, 303, "the planted one has ended");
});

test("pages may not be framed, run only our scripts, and are not kept; cookies are out of reach", async (t) => {
  const { operator } = await startForOperator(t);
  for (const path of ["/tenants", "/sign-in", "/nowhere", "/tenants/nobody"]) {
    const { headers } = await operator.get(path);
    const policy = headers.get("content-security-policy") ?? "";
    assert.match(policy, /frame-ancestors 'none'/, path);
    assert.match(policy, /script-src 'self';/, path);
    assert.doesNotMatch(policy, /unsafe/, path);
    assert.equal(headers.get("x-frame-options"), "DENY");
    assert.equal(headers.get("cache-control"), "no-store");
    assert.equal(headers.get("x-content-type-options"), "nosniff");
  }
  const html = await operator.text("/tenants");
  assert.doesNotMatch(html, /<script(?![^>]* src=)/, "no script in the page");
  assert.doesNotMatch(html, / on\w+=| style=/, "no handler, no style in the page");
});

const ELSEWHERE = [
  "//evil.example",
  "/\\evil.example",
  "https://evil.example",
  "javascript:alert(1)",
  "/\t/evil.example",
  "/..//evil.example",
  "\\\\evil.example",
];

test("after signing in the way leads to a path of ours only", async (t) => {
  for (const bad of [...ELSEWHERE, null]) assert.equal(ownPath(bad), "/", String(bad));
  assert.equal(ownPath("/tenants/a?b=c"), "/tenants/a?b=c");
  const { admin, operator } = await startForOperator(t);
  for (const next of ELSEWHERE) {
    const signedIn = await operator.get(`/sign-in?next=${encodeURIComponent(next)}`);
    assert.equal(signedIn.headers.get("location"), "/", next);
  }
  const credentials = { email: "op@example.com", password: PASSWORD, next: "//evil.example" };
  const answer = await admin.browser().post("/sign-in", credentials, { from: "/sign-in" });
  assert.deepEqual([answer.status, answer.headers.get("location")], [303, "/"]);
  const guest = await admin.browser().get("/tenants/x?y=//evil.example");
  const to = guest.headers.get("location") ?? "";
  assert.equal(to, "/sign-in?next=%2Ftenants%2Fx%3Fy%3D%2F%2Fevil.example");
});

test("headers that name another host, address or method change nothing", async (t) => {
  const { admin, operator, id } = await startForTenant(t);
  const path = `/tenants/${id}/members`;
  const tricks = {
    "x-forwarded-host": "evil.example",
    "x-forwarded-proto": "https",
    forwarded: "host=evil.example",
    "x-host": "evil.example",
    "x-original-url": "/tenants",
    "x-rewrite-url": "/tenants",
    "x-http-method-override": "DELETE",
  };
  const _token = await operator.token("/account");
  const body = new URLSearchParams({ _token, email: "a@example.com", role: "owner" });
  const made = await operator.raw(`${path}/invite`, { method: "POST", headers: tricks, body });
  const html = await operator.page(made);
  assert.match(html, /http:\/\/admin\.test\/join\//, "links are of the configured address");
  assert.ok(!html.includes("evil.example"));
  const guest = await admin.browser().raw(path, { headers: tricks });
  assert.equal(guest.headers.get("location"), `/sign-in?next=${encodeURIComponent(path)}`);
  assert.equal(await rawStatus(admin.url, "/sign-in", { host: "evil.example" }), 200);
  const { rows } = await admin.pool.query(
    "select address from audit_log where action = 'member.invite'",
  );
  assert.deepEqual(rows, [{ address: "127.0.0.1" }]);
});

test("a form of another type, one that is too large, and names of every object are answered, not thrown", async (t) => {
  const { admin, operator } = await startForOperator(t);
  const _token = await operator.token("/account");
  const send = async (type: string, body: string) =>
    (await operator.raw("/tenants", { method: "POST", headers: { "content-type": type }, body }))
      .status;
  // A form with a file is read; this one has no token.
  assert.equal(await send("multipart/form-data; boundary=x", "--x--"), 403);
  assert.equal(await send("text/plain", `_token=${_token}`), 415);
  const form = "application/x-www-form-urlencoded";
  assert.equal(await send(form, `_token=${_token}&name=${"x".repeat(1_100_000)}`), 413);
  assert.equal(await send(form, `_token=${_token}${"&a".repeat(2_000)}`), 413);
  assert.equal(await send("multipart/form-data; boundary=x", "\r\n".repeat(20_000)), 413);
  assert.equal((await operator.get(`/tenants?${"a&".repeat(2_000)}`)).status, 413);
  const odd = "__proto__=x&constructor=y&name[]=z&name=Odd&name=Second";
  assert.equal(await send(form, `_token=${_token}&${odd}&perMinute=1&dailyCap=1`), 303);
  assert.ok((await operator.text("/tenants")).includes(">Odd<"), "of one name the first counts");
  assert.equal(await send("application/json", JSON.stringify({ _token, name: "x" })), 403);
  for (const name of NAMES_OF_EVERY_OBJECT) {
    const html = await operator.text(`/tenants?done=${name}`);
    assert.ok(!html.includes('role="status"'), `a notice named ${name}`);
  }
  const { id } = await createTenant(admin.db, { name: "Acme" });
  for (const query of ["range=constructor", "range[]=day", "range=%00"]) {
    assert.equal((await operator.get(`/tenants/${id}?${query}`)).status, 200, query);
  }
  const queries = [
    "before=%00",
    "channel=__proto__&status=constructor",
    "from=%00&to=9999-99-99T00:00",
  ];
  queries.push("user=%00", "event=%00", "type=%F0%9F", `trace=${"x".repeat(1500)}`);
  for (const query of queries) {
    assert.equal((await operator.get(`/tenants/${id}/activity?${query}`)).status, 200, query);
  }
});

test("no path leads out of the assets, and broken requests are answered, not thrown", async (t) => {
  const admin = await startAdmin(t);
  const places = ["", "/assets", "/tenants", "/join", "/tenants/x"];
  const odd = places.flatMap((place) => ODD_PATHS.map((path) => place + path));
  const own = ["/assets/../main.ts", "/assets/%2e%2e/main.ts", "/assets/x/..%2f..%2fmain.ts"];
  for (const path of [...own, ...odd, "//tenants", "/TENANTS", "/tenants/"]) {
    const status = await rawStatus(admin.url, path);
    assert.ok([303, 400, 404, 414].includes(status), `${path}: ${status}`);
  }
});

/** The path as it stands: fetch would tidy it. */
function rawStatus(
  url: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on("error", reject)
      .end();
  });
}

test("of a form from somebody who is not signed in no more is read than signing in takes", async (t) => {
  const admin = await startAdmin(t);
  const { hostname, port } = new URL(admin.url);
  // Nothing follows the headers: whoever waits for the rest does not answer.
  const status = async (path: string, length: number) => {
    const socket = connect(Number(port), hostname);
    const type = "Content-Type: application/x-www-form-urlencoded";
    const lines = [`POST ${path} HTTP/1.1`, "Host: a", type, `Content-Length: ${length}`, "", ""];
    socket.write(lines.join("\r\n"));
    const [head] = await once(socket, "data");
    socket.destroy();
    return Number(String(head).split(" ")[1]);
  };
  assert.equal(await status("/tenants", 1_000_000), 303);
  assert.equal(await status(`/tenants/${NOWHERE}/keys`, 1_000_000), 303);
  assert.equal(await status("/sign-in", 20_000), 413);
  assert.equal(await status("/join/nobody", 20_000), 413);
});

test("a request without a Host that can be read is 400, never a fault of ours; HTTP/1.0 needs none", async (t) => {
  const admin = await startAdmin(t);
  const { hostname, port } = new URL(admin.url);
  const status = async (...lines: string[]) => {
    const socket = connect(Number(port), hostname);
    socket.end(`${[...lines, "Connection: close", "", ""].join("\r\n")}`);
    return Number((await text(socket)).split(" ")[1]);
  };
  for (const path of ["/sign-in", "/", "/tenants", "/assets/nothing", "/nowhere"]) {
    for (const host of BAD_HOSTS) {
      const lines = host.split("\r\n").filter((line) => line !== "");
      assert.equal(await status(`GET ${path} HTTP/1.1`, ...lines), 400, `${path} ${host}`);
    }
    const old = await status(`GET ${path} HTTP/1.0`);
    assert.ok([200, 303, 404].includes(old), `${path}: ${old}`);
  }
});
