import assert from "node:assert/strict";
import { test } from "node:test";
import { REASONS, type ReasonCode, reasonWords, storedReason } from "@belfry/contracts/reasons";
import { connectedDatabase } from "@belfry/testing/database";

const TOLD: Readonly<Record<string, string>> = {
  "550 5.7.26 unauthenticated mail": "550 5.7.26 unauthenticated mail",
  "550 5.1.1 <Ann.B+x@Mail.example.com>: no such user": "550 5.1.1 <…>: no such user",
  'to "Ann Smith"@example.com': "to …",
  "ann@[192.168.100.100] and mailto:ann@example.com": "… and mailto:…",
  "ann%40example.com, ann&#64;example.com, ann＠example.com": "…, …, …",
  "bounces+ann=example.com@relay.example": "…",
  "to +49 170 1234567.": "to ….",
  "(202) 555-0123 is no mobile": "(… is no mobile",
  "0049/170/1234567, 170.123.4567, ＋４９１７０１２３４５６７": "…, …, …",
  "21211: 'To' number 12025550123": "21211: 'To' number …",
  "throttled until 08:00, 23 Nov 2026 (UTC)": "throttled until 08:00, 23 Nov 2026 (UTC)",
  "said of KNOWN here": "said of … here",
  "HTTP 503 after 15000 ms": "HTTP 503 after 15000 ms",
  "no mailbox ann.lee&#x40;example.com": "no mailbox …",
  "no mailbox ann.lee&commat;example.com": "no mailbox …",
  "no mailbox ann.lee\\u0040example.com": "no mailbox …",
};

test("a reason is told without what may be somebody's address or number, and no longer than 500 characters", async (t) => {
  const { pool } = await connectedDatabase(t);
  const told = async (reason: string | null, recipient: string | null) => {
    const rows = await pool.sql<{ told: string | null }>`select told_reason(${reason},
        ${recipient}) as told`;
    return rows[0]!.told;
  };
  for (const [reason, words] of Object.entries(TOLD)) {
    assert.equal(await told(reason, "KNOWN"), words);
  }
  assert.equal(await told(null, "KNOWN"), null);
  assert.equal(await told("a KNOWN b", null), "a KNOWN b");
  const long = await told(`${"x ".repeat(240)}somebody.with.a.long.name@example.com and more`, "");
  assert.equal(long, `${"x ".repeat(240)}… and more`);
  assert.equal((await told("é".repeat(5000), ""))?.length, 500);
  assert.match((await told("a@".repeat(2000), "")) ?? "", /^…+@?$/);
});

test("the database puts each reason into the same words as whoever reads it", async (t) => {
  const { pool } = await connectedDatabase(t);
  const names = Object.values(REASONS).flatMap((words) => words.match(/(?<=\{)\w+/g) ?? []);
  const args = Object.fromEntries(names.map((name) => [name, `$& {${name}} \\1 'x'`]));
  args.why = storedReason("retries-exhausted", { why: storedReason("no-reply", { code: "E" }) });
  const stored = Object.keys(REASONS).map((code) => storedReason(code as ReasonCode, args));
  const others = [
    storedReason("quiet"),
    "550 no such user",
    "#",
    "#quiet {",
    "#none {}",
    "# 1",
    "",
  ];
  for (const reason of [...stored, ...others]) {
    const rows = await pool.sql`select reason_in_words(${reason}) as words`;
    assert.equal(rows[0].words, reasonWords(reason), reason);
  }
});
