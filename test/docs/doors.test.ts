import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { httpOf } from "@belfry/administration/act-http";
import { actsOfNoun, allActs, NOUNS } from "@belfry/administration/acts";
import { keyedActs, platformActs } from "@belfry/http-api/act-access";
import { createProgram } from "../../packages/cli/src/program.ts";
import { ACCESS, isOfBundle, type RouteKey } from "../../services/admin/src/page/access.ts";
import { type Document, document, manageDocument } from "../openapi/document.ts";
import { actsOfPages } from "./acts-of-pages.ts";
import { between, readDoc } from "./markdown.ts";

const FILE = fileURLToPath(new URL("../../docs/doors.md", import.meta.url));
const page = readDoc("doors.md");
const acts = await allActs();
const keyed = new Set(
  [...keyedActs(acts, "/api/v1"), ...platformActs(acts, "/api/v1/manage")].map(({ act }) => act),
);
const routesOf = await actsOfPages();

const short = (route: string) =>
  route.replace(" /api/v1/", " /").replace("/tenants/:tenantId", "~");
const cell = (codes: readonly string[]) => codes.map((code) => `\`${code}\``).join(", ") || "—";

async function tableOfActs(): Promise<string> {
  const lines: string[] = [];
  for (const noun of Object.values(NOUNS)) {
    lines.push(`### ${noun.summary}`, "");
    lines.push("| act | HTTP API | command line | MCP tool | Admin UI |");
    lines.push("| --- | --- | --- | --- | --- |");
    for (const act of await actsOfNoun(noun)) {
      const http = keyed.has(act) ? httpOf(act) : undefined;
      const doors = [
        http === undefined ? [] : [short(`${http.method} ${http.path}`)],
        act.command === false ? [] : [act.name],
        act.tool === undefined ? [] : [act.name.replaceAll(/[ -]/g, "_")],
        (routesOf.get(act) ?? []).map(short),
      ];
      lines.push(`| ${[act.summary, ...doors.map(cell)].join(" | ")} |`);
    }
    lines.push("");
  }
  return lines.slice(0, -1).join("\n");
}

test("the page has every act with its doors, as they are", async (t) => {
  const text = between(page, "acts", await tableOfActs());
  t.assert.fileSnapshot(text, FILE, { serializers: [(value: string) => value] });
});

test("each page that changes what a locked environment protects is read-only there", () => {
  const changing = [...routesOf].filter(([act]) => act.inBundle).flatMap(([, routes]) => routes);
  assert.ok(changing.length > 20, String(changing.length));
  assert.deepEqual(
    changing.filter((route) => !isOfBundle(route as RouteKey)),
    [],
  );
});

/** What stands in a column of the table of what is no act. */
const byHand = (column: number) =>
  page
    .slice(page.indexOf("<!-- acts:end -->"))
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .flatMap((line) => [...(line.split("|")[column + 1] ?? "").matchAll(/`([^`]+)`/g)])
    .map(([, code = ""]) => code);

/** All that there is stands in the page once: as a door of acts, or by hand. */
function assertTold(real: Iterable<string>, ofActs: Iterable<string>, hand: readonly string[]) {
  const acts = new Set(ofActs);
  const all = new Set(real);
  assert.deepEqual(
    [...acts].filter((one) => !all.has(one)),
    [],
    "acts have what there is not",
  );
  assert.deepEqual(hand.toSorted(), [...all].filter((one) => !acts.has(one)).sort());
}

test("what is no act is in the page, and nothing else: routes of both documents of the API", () => {
  const routes = ({ paths }: Document) =>
    Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) =>
        short(`${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`),
      ),
    );
  const ofActs = [...keyed].flatMap((act) => httpOf(act) ?? []);
  assertTold(
    [...routes(document), ...routes(manageDocument)],
    ofActs.map(({ method, path }) => short(`${method} ${path}`)),
    byHand(1),
  );
});

test("what is no act is in the page, and nothing else: commands", async () => {
  type Commands = Pick<Awaited<ReturnType<typeof createProgram>>, "commands">;
  const namesBelow = ({ commands }: Readonly<Commands>, path: string): string[] =>
    commands.flatMap((command) => {
      const name = `${path}${command.name()}`;
      return command.commands.length === 0 ? name : namesBelow(command, `${name} `);
    });
  const ofActs = (await allActs()).filter(({ command }) => command !== false);
  assertTold(
    namesBelow(await createProgram(), ""),
    ofActs.map(({ name }) => name),
    byHand(2),
  );
});

test("what is no act is in the page, and nothing else: pages and forms of the Admin UI", () => {
  assertTold(Object.keys(ACCESS).map(short), [...routesOf.values()].flat().map(short), byHand(3));
});
