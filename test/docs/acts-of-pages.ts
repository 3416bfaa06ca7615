import { glob, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Act } from "@belfry/administration/act";
import { isAct } from "@belfry/administration/acts";
import { ACCESS } from "../../services/admin/src/page/access.ts";

const ADMIN = new URL("../../services/admin/src/", import.meta.url);

/**
 * The routes of the Admin UI by the acts that they run, read from its sources. A change has the forms that make it, a
 * read the pages that show it.
 */
export async function actsOfPages(): Promise<Map<Act, string[]>> {
  const found = new Map<Act, Set<string>>();
  for await (const file of glob("*/*.ts", { cwd: fileURLToPath(ADMIN) })) {
    if (file.endsWith(".test.ts")) continue;
    const source = await readFile(new URL(file, ADMIN), "utf8");
    for (const [key, acts] of actsOfRoutes(source, await importedActs(source))) {
      for (const act of acts) found.set(act, (found.get(act) ?? new Set()).add(key));
    }
  }
  const routes = new Map<Act, string[]>();
  for (const [act, keys] of found) {
    const inOrder = Object.keys(ACCESS).filter((key) => keys.has(key));
    const method = act.effect === "read" ? "GET" : "POST";
    const own = inOrder.filter((key) => key.startsWith(method));
    routes.set(act, own.length > 0 ? own : inOrder);
  }
  return routes;
}

/** By the name that the source has for each. */
async function importedActs(source: string): Promise<Map<string, Act>> {
  const acts = new Map<string, Act>();
  for (const [, names = "", path = ""] of source.matchAll(
    /import \{([^}]+)\} from "(@belfry\/administration\/[^"]+)"/g,
  )) {
    const module: Record<string, unknown> = await import(path);
    for (const name of names.split(",")) {
      const [exported = "", own = exported] = name.trim().split(" as ");
      const value = module[exported];
      if (isAct(value)) acts.set(own, value);
    }
  }
  return acts;
}

const DECLARED = /^ *(?:export )?(?:async )?(?:const|function) (\w+)/;

function actsOfRoutes(
  source: string,
  imported: ReadonlyMap<string, Act>,
): [key: string, acts: readonly Act[]][] {
  // Each part begins with a route, or with something that several routes use.
  const parts = source.split(
    /(?=\broute\(\s*["`])|(?=^(?: {2})?(?:export )?(?:async )?(?:const|function|for) )/m,
  );
  const functions = source.split(/(?=^(?:export )?(?:async )?function )/m);
  const declared = new Map(
    [...parts, ...functions].map((part) => [DECLARED.exec(part)?.[1], part]),
  );
  const actsIn = (text: string) =>
    [...imported].flatMap(([name, act]) => (has(text, name) ? [act] : []));
  const actsReached = (part: string) => [
    ...actsIn(part),
    ...[...declared].flatMap(([name, own]) =>
      name !== undefined && own !== part && has(withoutTexts(part), name) ? actsIn(own) : [],
    ),
  ];
  return parts.flatMap((part): [string, readonly Act[]][] => {
    const written = /^route\(\s*["`]([^"`]+)["`]/.exec(part)?.[1];
    if (written === undefined) return [];
    const key = written.replaceAll(
      /\$\{([A-Z]+)\}/g,
      (_, name) => /"(.+)"/.exec(declared.get(name) ?? "")?.[1] ?? "",
    );
    if (!key.includes("${")) return [[key, actsReached(part)]];
    // A route for each row of a list: each runs the act that has its last word as verb, or all the same one.
    const pattern = new RegExp(`^${key.replace(/\$\{\w+\}/, "([a-z-]+)")}$`);
    return Object.keys(ACCESS).flatMap((one): [string, readonly Act[]][] => {
      const verb = pattern.exec(one)?.[1];
      if (verb === undefined) return [];
      const own = [...imported.values()].filter(({ name }) => name.endsWith(` ${verb}`));
      return [[one, own.length > 0 ? own : actsReached(part)]];
    });
  });
}

function has(text: string, name: string): boolean {
  return new RegExp(`\\b${name}\\b`).test(text);
}

/** A path may have a word that is a name, too. */
function withoutTexts(source: string): string {
  return source.replaceAll(/(["`]).*?\1/g, "");
}
