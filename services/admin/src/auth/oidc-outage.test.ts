import assert from "node:assert/strict";
import { test } from "node:test";
import { createBrowser, PASSWORD } from "../../test/browser.ts";
import { signInAt, startProvider } from "../../test/oidc-provider.ts";
import { startAdmin } from "../../test/start-admin.ts";
import { MAX_ANSWER_BYTES } from "./oidc-client.ts";

const ANN = { sub: "ann-1", email: "ann@acme.com", email_verified: true };
const NOT_NOW = /role="alert">Acme Login did not respond correctly\. Try again in a moment/;

test("a provider that is down keeps nobody from their password, is told of in words, and is asked anew when it is back", async (t) => {
  const provider = await startProvider(t);
  const lines: string[] = [];
  const admin = await startAdmin(t, {
    config: { oidc: provider.settings() },
    log: { write: (line) => void lines.push(line) },
  });
  await admin.person({ email: "ann@acme.com", name: "Ann" });
  let answers: "nothing" | "an error" | "no JSON" | "another issuer's" | "plain http" | "all" =
    "nothing";
  provider.instead = (_request, response) => {
    if (answers === "all") return false;
    if (answers === "nothing") response.destroy();
    const { url } = provider;
    const endpoints = { token_endpoint: `${url}/token`, jwks_uri: `${url}/jwks` };
    response.writeHead(answers === "an error" ? 503 : 200, { "content-type": "application/json" });
    const documents = {
      "another issuer's": { ...endpoints, issuer: "https://evil.example" },
      "plain http": { ...endpoints, issuer: url, authorization_endpoint: "http://evil.example/" },
    };
    response.end(answers in documents ? JSON.stringify(documents[answers as "plain http"]) : "{");
    return true;
  };
  for (const what of [
    "nothing",
    "an error",
    "no JSON",
    "another issuer's",
    "plain http",
  ] as const) {
    answers = what;
    const browser = admin.browser();
    const answer = await browser.get("/sign-in/oidc");
    const html = await answer.text();
    if (what === "another issuer's") assert.equal(answer.status, 403);
    else assert.deepEqual([answer.status, NOT_NOW.test(html)], [502, true], `${what}: ${html}`);
    assert.match(html, /href="\/sign-in\/oidc\?next=/);
    assert.equal(browser.cookies.has("belfry_oidc"), false);
    const fields = { email: "ann@acme.com", password: PASSWORD, next: "/" };
    assert.equal((await browser.post("/sign-in", fields, { from: "/sign-in" })).status, 303);
  }
  answers = "all";
  assert.equal((await signInAt(admin.url, provider, ANN)).answer.status, 303, "it is back");

  // The provider fails midway, after the browser was sent there.
  for (const path of ["/token", "/me"]) {
    const browser = admin.browser();
    const to = (await browser.get("/sign-in/oidc")).headers.get("location") ?? "";
    const { pathname, search } = new URL(await provider.visit(to, { sub: "ann-1", email: "x" }));
    provider.instead = (request, response) => {
      if (!request.url?.startsWith(path)) return false;
      response.destroy();
      return true;
    };
    const answer = await browser.get(pathname + search);
    assert.equal(answer.status, 502, path);
    assert.match(await answer.text(), NOT_NOW);
    provider.instead = undefined;
  }
  assert.match(lines.join(""), /"reason":"unavailable","code":"[^"]*UND_ERR_SOCKET/);
});

test("a provider has so long, and so many bytes, for an answer", async (t) => {
  const provider = await startProvider(t);
  const admin = await startAdmin(t, { config: { oidc: provider.settings() } });
  const never = provider.settings({ timeoutMs: 50 });
  const impatient = createBrowser(await admin.replica({ oidc: never }));
  const ended = Promise.withResolvers<void>();
  let isAsked = false;
  provider.instead = (request, response) => {
    isAsked = true;
    // The head comes, the body never ends.
    response.writeHead(200, { "content-type": "application/json" });
    response.write("{");
    request.socket.once("close", ended.resolve);
    return true;
  };
  // On a slow machine the deadline may come before the request does.
  while (!isAsked) assert.match(await impatient.text("/sign-in/oidc"), NOT_NOW);
  await ended.promise;

  const { url } = provider;
  const document = {
    ...{ issuer: url, authorization_endpoint: `${url}/auth` },
    ...{ token_endpoint: `${url}/token`, jwks_uri: `${url}/jwks` },
  };
  let bytes = MAX_ANSWER_BYTES + 1;
  provider.instead = (_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(document).padEnd(bytes));
    return true;
  };
  assert.match(await admin.browser().text("/sign-in/oidc"), NOT_NOW);
  bytes -= 1;
  assert.equal((await admin.browser().get("/sign-in/oidc")).status, 303);
});

test("returns are bounded as passwords are, over all replicas; one that succeeds takes its try back", async (t) => {
  const provider = await startProvider(t);
  const admin = await startAdmin(t, { config: { oidc: provider.settings() } });
  await admin.person({ email: "ann@acme.com", name: "Ann" });
  assert.equal((await signInAt(admin.url, provider, ANN)).answer.status, 303);
  const count = async () => {
    const { rows } = await admin.pool.query("select count from sign_in_tries");
    return rows.map((row) => row.count);
  };
  assert.deepEqual(await count(), [0]);
  const back = "/sign-in/oidc/callback?code=x&state=y";
  assert.equal((await admin.browser().get(back)).status, 400);
  assert.deepEqual(await count(), [1]);
  await admin.db.updateTable("sign_in_tries").set({ count: 50 }).execute();
  const asked = provider.asked.length;
  const { answer } = await signInAt(await admin.replica(), provider, ANN);
  assert.equal(answer.status, 429);
  assert.match(await answer.text(), /Too many attempts\. Wait 15 min/);
  assert.ok(Number(answer.headers.get("retry-after")) > 0);
  assert.ok(!provider.asked.slice(asked).includes("/token"), "nothing is asked of the provider");
});

test("nobody is let in who may not, and is told why, with both ways to sign in on the page", async (t) => {
  const provider = await startProvider(t);
  const lines: string[] = [];
  const groupRoles = [{ group: "staff", tenantId: "nosuchtenant", role: "owner" as const }];
  const admin = await startAdmin(t, {
    config: { oidc: provider.settings({ groupRoles }) },
    log: { write: (line) => void lines.push(line) },
  });
  await admin.operator();
  await admin.person({ email: "op@acme.com", name: "Olga", operator: true });
  const verified = { email_verified: true };
  const hostile = '"><script>alert(1)</script>@acme.com';
  const cases: [object, RegExp][] = [
    [
      { email: "ann@acme.com", email_verified: false },
      /not say that your email address is verified/,
    ],
    [{ email: "ann@acme.com", email_verified: 1 }, /not say that your email address is verified/],
    [{ email: "ann@acme.com" }, /not say that your email address is verified/],
    [{ ...verified, email: { at: "acme.com" } }, /not say that your email address is verified/],
    [
      { ...verified, email: "ann@evil-acme.com" },
      /The domain of ann@evil-acme\.com is not allowed/,
    ],
    [{ ...verified, email: hostile }, /of &quot;&gt;&lt;script&gt;alert\(1\)&lt;\/script&gt;@acme/],
    [
      { ...verified, email: "op@acme.com" },
      /An operator connects Acme Login by hand: sign in with/,
    ],
    [{ ...verified, email: "ann@acme.com" }, /no account for ann@acme\.com, and none of your/],
    [{ ...verified, email: "ann@acme.com", groups: ["staff"] }, /no account for ann@acme\.com/],
    [
      { ...verified, email: "ann@acme.com", groups: [1] },
      /list of your groups that Acme Login sent/,
    ],
    [{ ...verified, email: "ann@acme.com", groups: { staff: 1 } }, /list of your groups/],
    [{ ...verified, email: "ann@acme.com", groups: [["staff"]] }, /list of your groups/],
  ];
  for (const [index, [claims, words]] of cases.entries()) {
    const { answer, browser } = await signInAt(admin.url, provider, {
      sub: `p${index}`,
      ...claims,
    });
    const html = await answer.text();
    assert.equal(answer.status, 403, html);
    assert.match(html, words);
    assert.match(html, /name="password"[\s\S]*href="\/sign-in\/oidc\?next=%2Faccount"/);
    assert.equal((await browser.get("/account")).status, 303);
  }
  assert.equal((await admin.pool.query("select from people")).rows.length, 2);
  const log = lines.join("");
  assert.match(log, /"reason":"foreign-domain"/);
  assert.ok(!log.includes("@evil-acme.com"), "the log names nobody");
});
