import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { ChatBlock } from "@belfry/contracts/chat";
import type { ChatMessage } from "@belfry/contracts/sending";
import { PROVIDER_KINDS } from "@belfry/providers/kinds";
import type { ProviderKind } from "@belfry/providers/provider";
import { compileTemplate } from "@belfry/templates/compile";
import { createRenderer } from "@belfry/templates/render";
import type { Cleanup } from "@belfry/testing/cleanup";
import { startRecordingServer } from "@belfry/testing/recording-server";
import { between, readDoc } from "../docs/markdown.ts";
import { HOSTILE } from "./hostile-values.ts";
import {
  discordJudge,
  mattermostJudge,
  type Shown,
  seen,
  slackJudge,
  teamsJudge,
  telegramJudge,
} from "./judges.ts";

const VENDORS = {
  slack: { to: "slack:#ops", judge: slackJudge },
  teams: { to: "teams:ops", judge: teamsJudge },
  discord: { to: "discord:ops", judge: discordJudge },
  mattermost: { to: "mattermost:ops", judge: mattermostJudge },
  telegram: { to: "telegram:-100123", judge: telegramJudge },
};
type Vendor = keyof typeof VENDORS;
const NAMES = Object.keys(VENDORS) as Vendor[];

const MARKDOWN = `# Order {{ x }}

Hello {{ x }}, **{{ x }}**, *{{ x }}*, \`{{ x }}\` and [the {{ x }} order](https://shop.example/{{ x }}).

- one {{ x }}
  1. two {{ x }}

{{ x }}

[Open {{ x }}](https://shop.example/open?q={{ x }})
`;
const URL_OF_WHOLE = "https://shop.example/orders/1";

async function renderer(content: string) {
  const made = await compileTemplate(
    { kind: "chat", content, url: URL_OF_WHOLE },
    { owner: "acme" },
  );
  assert.ok(made.ok, JSON.stringify(made));
  const render = createRenderer(made.compiled);
  return (x: string) => {
    const message = render({ x });
    assert.ok(message.ok && message.kind === "chat", JSON.stringify(message).slice(0, 200));
    return message;
  };
}

/** Returns a function that sends a message by a vendor's provider and returns what the vendor shows. */
async function start(t: Cleanup, name: Vendor) {
  const vendor = await startRecordingServer(t);
  const settings =
    name === "telegram"
      ? { botToken: "123456:ABCDEFGHIJ", baseUrl: vendor.url }
      : { addresses: `ops=${vendor.url}/hook` };
  const kind = PROVIDER_KINDS.CHAT.find((one) => one.kind === name) as ProviderKind<ChatMessage>;
  const provider = kind.create(settings, {
    timeoutMs: 60_000,
    allowPrivateAddresses: true,
    storeInOutbox: async () => "",
  });
  t.after(() => provider.close());
  return async (message: { blocks: readonly ChatBlock[]; url?: string }): Promise<Shown> => {
    const ids = { deliveryId: "d", tenantId: "t", eventId: "e" };
    await provider.send({ ...ids, to: VENDORS[name].to, blocks: message.blocks, url: message.url });
    return VENDORS[name].judge(JSON.parse(vendor.requests.at(-1)!.body));
  };
}

const ELEMENTS: Readonly<Record<string, string>> = {
  "`# heading`": "# heading",
  "`**bold**`": "**bold**",
  "`*italic*`": "*italic*",
  "`` `code` ``": "`code`",
  "`- item`": "- item",
  "`1. item`": "1. item",
  "`[words](https://…)`": "a [words](https://a.example)",
  "`[words](https://…)`, alone on its line": "[words](https://a.example)",
  "`> quotation`": "> quotation",
  "`\\| table \\|`": "| a |\n| - |\n| b |",
  "`![words](https://…)`": "![words](https://a.example/p.png)",
};

test("the page of providers has what each vendor shows of the same Markdown", async (t) => {
  const shows = await Promise.all(NAMES.map((name) => start(t, name)));
  const rows: string[][] = [];
  for (const [written, content] of Object.entries(ELEMENTS)) {
    const message = (await renderer(content))("");
    const cells = await Promise.all(
      shows.map(async (show) => [...(await show(message)).looks].join(", ") || "text"),
    );
    rows.push([written, ...cells]);
  }
  const head = ["Markdown", "Slack", "Teams", "Discord", "Mattermost", "Telegram"];
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  const page = between(readDoc("providers.md"), "chat-dialects", lines.join("\n"));
  const file = fileURLToPath(new URL("../../docs/providers.md", import.meta.url));
  t.assert.fileSnapshot(page, file, { serializers: [(value: string) => value] });
});

const TOKEN = "Qqq";
const GRAPHEMES = ["a", "👨‍👩‍👧‍👦", "e\u0301", "*", "&"];

for (const name of NAMES) {
  test(`${name}: every hostile value is shown as the text that it is`, async (t) => {
    const [render, show] = [await renderer(MARKDOWN), await start(t, name)];
    const plain = await show(render(TOKEN));
    assert.equal(plain.text.split(TOKEN).length - 1, 10, "each place shows the value");
    assert.equal(plain.links.length, 2);
    for (const value of HOSTILE) {
      const shown = await show(render(value));
      const expected = (text: string) => text.replaceAll(TOKEN, seen(value));
      assert.equal(shown.text, expected(plain.text), value);
      assert.equal(shown.strong, expected(plain.strong), value);
      assert.equal(shown.emphasis, expected(plain.emphasis), value);
      assert.ok(["", expected(plain.code)].includes(shown.code), value);
      assert.deepEqual(shown.mentions, [], value);
      assert.equal(shown.items, plain.items, value);
      assert.deepEqual(new Set([...shown.looks, "code"]), plain.looks, value);
      const texts = shown.links.map(({ text }) => text);
      assert.deepEqual(
        texts,
        plain.links.map(({ text }) => expected(text)),
        value,
      );
      for (const { url } of shown.links) assert.ok(url.startsWith("https://shop.example/"), url);
    }
  });

  test(`${name}: a message of 100 KB is cut at a grapheme, with a link to the whole`, async (t) => {
    const [render, show] = [await renderer("{{ x }}\n\nThe end"), await start(t, name)];
    for (const piece of [...GRAPHEMES, "@everyone ", "<b>"]) {
      const value = piece.repeat(Math.ceil(100_000 / piece.length));
      const shown = await show(render(value));
      assert.deepEqual(shown.mentions, []);
      assert.deepEqual(shown.links, [{ text: "shop.example", url: URL_OF_WHOLE }], piece);
      const [text = "", ...rest] = shown.text.split("…");
      assert.deepEqual(rest, ["shop.example"], piece);
      assert.ok(text.length > 500 && seen(value).startsWith(text), piece);
      if (GRAPHEMES.includes(piece)) {
        assert.equal(text.replaceAll(piece, ""), "", `${piece} is cut in two`);
      }
    }
  });

  test(`${name}: a list as deep as a template may have it is within the limits`, async (t) => {
    const [depths, show] = [[...Array(19).keys()], await start(t, name)];
    const deep = await renderer(depths.map((at) => `${"  ".repeat(at)}- d${at}`).join("\n"));
    const { text } = await show(deep(""));
    for (const at of depths) assert.ok(text.includes(`d${at}`), text);
  });

  test(`${name}: a message of many blocks and one of a giant grapheme are within the limits`, async (t) => {
    const [many, one] = [await renderer("aa\n\n".repeat(9000)), await renderer("{{ x }}")];
    const long = await renderer(`${"a".repeat(1000)}\n\n`.repeat(40));
    const show = await start(t, name);
    for (const render of [many, long])
      assert.match((await show(render(""))).text, /^a+…shop\.example$/);
    assert.match((await show(one(`e${"\u0301".repeat(100_000)}`))).text, /^…shop\.example$/);
  });
}
