import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

/**
 * `node --experimental-import-meta-resolve test/runner/bundle-libraries.ts <folder>`: bundles each library into one
 * file. Hundreds of processes load the same libraries; for a service these are 800 files and half of its start time.
 * `preload.mjs` in the folder, loaded with `--import`, makes our modules import the bundles instead.
 */

/** The bundled libraries, by a package that depends on them. */
const LIBRARIES: Record<string, string[]> = {
  "packages/contracts": ["@sinclair/typebox", "@sinclair/typebox/value", "ipaddr.js"],
  "packages/database": ["jose", "kysely", "kysely/migration", "pg", "uuidv7"],
  "packages/providers": ["undici"],
  "packages/service": [
    ...["@nats-io/jetstream", "@nats-io/transport-node"],
    ...["fastify", "lru-cache", "pino", "prom-client"],
  ],
  "services/admin": ["@fastify/cookie", "eta"],
  "packages/http-api": ["@fastify/rate-limit", "@fastify/swagger"],
  "services/realtime-gateway": ["@fastify/websocket", "ws"],
};
const ROOT = resolve(import.meta.dirname, "../..");
const [folder = ""] = process.argv.slice(2);

/** A module that reexports the library as Node resolves it from `home`. CommonJS exports must be listed by name. */
async function reexported(specifier: string, home: string): Promise<string> {
  const url = import.meta.resolve(specifier, pathToFileURL(join(ROOT, home, "package.json")));
  const from = JSON.stringify(new URL(url).pathname);
  const names = Object.keys(await import(url));
  const isCommonJs = names.includes("module.exports");
  if (isCommonJs) {
    const own = names.filter((name) => name !== "default" && name !== "module.exports");
    return `import all from ${from};\nexport default all;\nexport const { ${own.join(", ")} } = all;`;
  }
  const asDefault = names.includes("default") ? `\nexport { default } from ${from};` : "";
  return `export * from ${from};${asDefault}`;
}

const files: [specifier: string, url: string][] = [];
const entryPoints: Record<string, string> = {};
for (const [home, specifiers] of Object.entries(LIBRARIES)) {
  for (const specifier of specifiers) {
    const name = specifier.replaceAll(/\W/g, "-");
    const entry = join(folder, `${name}.mjs`);
    await writeFile(entry, await reexported(specifier, home));
    entryPoints[name] = entry;
    files.push([specifier, pathToFileURL(join(folder, "bundled", `${name}.mjs`)).href]);
  }
}
await build({
  ...{ entryPoints, outdir: join(folder, "bundled"), outExtension: { ".js": ".mjs" } },
  ...{ bundle: true, splitting: true, format: "esm", platform: "node", target: "node24" },
  // The globals that CommonJS modules expect.
  banner: {
    js: [
      'import { createRequire as requireFrom } from "node:module";',
      "const require = requireFrom(import.meta.url);",
      "const { filename: __filename, dirname: __dirname } = import.meta;",
    ].join("\n"),
  },
  external: ["pg-native"],
  legalComments: "none",
  logLevel: "warning",
});
// Tests also start older versions of Node, which lack `registerHooks` and load the libraries as usual.
await writeFile(
  join(folder, "preload.mjs"),
  `import * as module from "node:module";
const files = new Map(${JSON.stringify(files)});
module.registerHooks?.({
  resolve(specifier, context, next) {
    const url = files.get(specifier);
    if (url === undefined || context.parentURL?.includes("/node_modules/")) return next(specifier, context);
    return { url, format: "module", shortCircuit: true };
  },
});
`,
);
