import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { PROVIDER_CHANNELS, type ProviderChannel } from "@belfry/contracts/channels";
import { checkSettings, PROVIDER_KINDS } from "@belfry/providers/kinds";
import type { AnyProviderKind } from "@belfry/providers/provider";
import { between, blocksOf, readDoc } from "./markdown.ts";

const FILE = fileURLToPath(new URL("../../docs/providers.md", import.meta.url));
const page = readDoc("providers.md");

const titleOf = ({ title }: AnyProviderKind) => title.replace(/ \(.*\)$/, "");

function proofOf({ receipts }: AnyProviderKind): string {
  if (receipts === undefined) return "–";
  return receipts.basicAuth ? "by a password" : "signed";
}

function regionsOf({ settings }: AnyProviderKind): string {
  const { region } = settings.properties;
  if (region === undefined) return "–";
  const choices: { const: string }[] = region.anyOf ?? [];
  return choices.map((one) => `\`${one.const}\``).join(", ") || "setting `region`";
}

function tableOf(channel: ProviderChannel): string {
  const rows = PROVIDER_KINDS[channel].map((row) => [
    titleOf(row),
    `\`${row.kind}\``,
    proofOf(row),
    row.idempotent ? "yes" : "–",
    row.settings.properties.testMode ? "yes" : "–",
    regionsOf(row),
    row.maxMessageBytes === undefined ? "–" : `${row.maxMessageBytes / 1024 / 1024} MB`,
  ]);
  const head = ["vendor", "kind", "receipts", "idempotency key", "test mode", "regions"];
  return [[...head, "largest message"], new Array(7).fill("---"), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

test("the page has every kind of provider with what it offers, as the code has it", (t) => {
  const text = PROVIDER_CHANNELS.reduce(
    (whole, channel) => between(whole, `vendors-${channel}`, tableOf(channel)),
    page,
  );
  t.assert.fileSnapshot(text, FILE, { serializers: [(value: string) => value] });
});

test("the page tells how each provider is set up, by settings that Belfry takes", () => {
  const lines = page.split("\n");
  const blocks = blocksOf("providers.md").filter(({ language }) => language === "json");
  for (const channel of PROVIDER_CHANNELS) {
    const begin = lines.indexOf(`## ${CHAPTERS[channel]}`);
    const next = lines.findIndex((line, index) => index > begin && line.startsWith("## "));
    const end = next === -1 ? lines.length : next;
    const examples = new Map(
      blocks
        .filter(({ line }) => line > begin && line < end)
        .map(({ line, text }) => {
          const heading = lines.slice(0, line).findLast((one) => one.startsWith("### "));
          return [heading?.slice("### ".length), text] as const;
        }),
    );
    assert.deepEqual([...examples.keys()], PROVIDER_KINDS[channel].map(titleOf));
    for (const kind of PROVIDER_KINDS[channel]) {
      const settings = JSON.parse(examples.get(titleOf(kind)) ?? "", (_, value) =>
        typeof value === "string" ? (FILES[value] ?? value) : value,
      ) as Record<string, unknown>;
      assert.deepEqual(checkSettings(kind, settings), [], kind.kind);
      const { receipts, inbound } = kind;
      for (const reader of [receipts, inbound]) {
        assert.ok(reader === undefined || reader.keyOf(settings), `${kind.kind}: webhooks`);
      }
      const isEntered = receipts !== undefined && !receipts.askedByMessage;
      assert.ok(!isEntered || page.includes(`/webhooks/${kind.kind}/<tenant id>`), kind.kind);
    }
  }
});

const pem = (key: KeyObject) => key.export({ type: "pkcs8", format: "pem" }).toString();
/** The files of keys that examples only name. */
const FILES: Readonly<Record<string, string>> = {
  "<the JSON file>": JSON.stringify({
    type: "service_account",
    project_id: "shop",
    client_email: "belfry@shop.iam.gserviceaccount.com",
    private_key: pem(generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey),
    token_uri: "https://oauth2.googleapis.com/token",
  }),
  "<the .p8 file>": pem(generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey),
};
const CHAPTERS = {
  EMAIL: "Email",
  SMS: "SMS",
  DEVICE: "Device push",
  CHAT: "Chat",
} satisfies Record<ProviderChannel, string>;
