import assert from "node:assert/strict";
import { test } from "node:test";
import { createProgram } from "../../packages/cli/src/program.ts";
import { ACCESS } from "../../services/admin/door/access.ts";
import { document } from "../openapi/document.ts";
import { readDoc } from "./markdown.ts";

/** The rows of the tables of acts, cell by cell. */
const LINES = readDoc("doors.md")
  .split("\n")
  .filter((line) => line.startsWith("|") && !line.startsWith("| ---"))
  .map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
const ROWS = LINES.filter((cells) => cells.length === 4 && cells[0] !== "act");
const REASONS = LINES.filter((cells) => cells.length === 2).map(([reason]) => reason);

/** What stands as code in the cells of a column that has the act. */
const named = (column: number) =>
  ROWS.map((cells) => cells[column] ?? "")
    .filter((cell) => !cell.startsWith("—"))
    .flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code));

/** `GET, POST /x` are two. */
const routesOf = (column: number, whole: (path: string) => string) =>
  named(column).flatMap((code) => {
    const [, methods = "", path = ""] = /^([A-Z, ]+) (\S+)$/.exec(code) ?? [];
    return methods.split(", ").map((method) => `${method} ${whole(path)}`);
  });

type Command = Awaited<ReturnType<typeof createProgram>>;
const commands = new Map<string, Command>();
(function collect(under: Readonly<Pick<Command, "commands">>, path: string) {
  for (const command of under.commands) {
    const name = `${path}${command.name()}`;
    if (command.commands.length === 0) commands.set(name, command as Command);
    collect(command, `${name} `);
  }
})(await createProgram(), "");

const differences = (told: readonly string[], real: Iterable<string>) => {
  const [one, other] = [new Set(told), new Set(real)];
  return {
    invented: [...one].filter((name) => !other.has(name)),
    missing: [...other].filter((name) => !one.has(name)),
  };
};
const NONE = { invented: [], missing: [] };

test("each act has every door, or says why not", () => {
  assert.ok(ROWS.length > 70, String(ROWS.length));
  for (const [act, ...doors] of ROWS) {
    assert.ok(
      doors.some((cell) => !cell.startsWith("—")),
      act,
    );
    for (const cell of doors) {
      const reason = /^— (\w+)(:.+)?$/.exec(cell)?.[1];
      const told = cell.startsWith("—") ? REASONS.includes(reason) : /^`[^`]+`/.test(cell);
      assert.ok(told, `${act}: ${cell}`);
    }
  }
});

test("each route of the API's document is in the table of doors, and no other", () => {
  const real = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const whole = (path: string) => (path in document.paths ? path : `/api/v1${path}`);
  assert.deepEqual(differences(routesOf(1, whole), real), NONE);
});

test("each command of the command line is in the table of doors, and no other; its flags exist", () => {
  const told = named(2).map((code) => {
    const [name = "", ...flags] = code.split(/ (?=--)/);
    for (const flag of flags) {
      const known = commands.get(name)?.options.some(({ long }) => long === flag);
      assert.ok(known, code);
    }
    return name;
  });
  assert.deepEqual(differences(told, commands.keys()), NONE);
});

test("each page and form of the Admin UI is in the table of doors, and no other", () => {
  const whole = (path: string) => path.replace(/^~/, "/tenants/:tenantId");
  assert.deepEqual(differences(routesOf(3, whole), Object.keys(ACCESS)), NONE);
});
