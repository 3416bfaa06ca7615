import { hash } from "node:crypto";
import { readdir, readFile, realpath } from "node:fs/promises";
import { findPackageJSON } from "node:module";
import { dirname, extname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { NotFound } from "@belfry/administration/input-error";
import { documentAnswer } from "./answer.ts";
import { catalogueOf, LANGUAGES, type Language } from "./language.ts";
import type { Route } from "./router.ts";
import { previewFrameHeaders } from "./security-headers.ts";
import { translateScript } from "./translate-source.ts";

/**
 * Scripts, styles and other files for browsers. They are read once at the start, so that no request names a file on the
 * disk. Modules of packages are served with their imports rewritten to our addresses. This needs no build step, and no
 * import map, which would have to be inline.
 */
interface Assets {
  get(path: string): { type: string; content: Buffer } | undefined;
  /**
   * Returns the address of a file such as `page.js`. It changes with the content, so browsers may cache the file for
   * ever.
   */
  address(name: string, language?: Language): string;
}

/** The style sheets that are joined into one, in this order. */
const STYLES = [
  "base.css",
  "frame.css",
  "cards.css",
  "forms.css",
  "overview.css",
  "content.css",
  "templates.css",
  "editor.css",
  "writing.css",
  "visual.css",
  "stage.css",
  "starters.css",
  "images.css",
  "webhooks.css",
  "narrow.css",
];
const STYLES_OF_PACKAGES = [
  import.meta.resolve("modern-normalize"),
  import.meta.resolve("prosemirror-view/style/prosemirror.css"),
  import.meta.resolve("prosemirror-gapcursor/style/gapcursor.css"),
];
const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};
const IMPORT = /^(import\s*|(?:import|export)\s[^"';]*?\bfrom\s*)(["'])([^"']+)\2/gm;

interface Source {
  name: string;
  text: string;
  /** Names of served modules by import specifier. */
  imports: Map<string, string>;
}

let loaded: Promise<Assets> | undefined;

/** Reads the assets, once a process. */
export function loadAssets(): Promise<Assets> {
  loaded ??= readAssets();
  return loaded;
}

async function readAssets(): Promise<Assets> {
  const sources = new Map<string, Source>();

  const add = async (file: string, name: string): Promise<string> => {
    const known = sources.get(file);
    if (known !== undefined) return known.name;
    const source: Source = { name, text: await readFile(file, "utf8"), imports: new Map() };
    sources.set(file, source);
    if (!name.endsWith(".js")) return name;
    for (const [, , , specifier = ""] of source.text.matchAll(IMPORT)) {
      if (isRelative(specifier)) continue;
      const served = `modules/${specifier.replaceAll(/[^a-z0-9]+/gi, "-").replace(/^-/, "")}.js`;
      source.imports.set(specifier, await add(await moduleFile(specifier, file), served));
    }
    return name;
  };
  const root = join(import.meta.dirname, "../assets");
  for (const name of (await readdir(root)).sort()) {
    if (!name.endsWith(".css")) await add(join(root, name), name);
  }
  const inbox = dirname(fileURLToPath(import.meta.resolve("@belfry/inbox/belfry-inbox")));
  for (const name of (await readdir(inbox)).filter((one) => one.endsWith(".js"))) {
    await add(join(inbox, name), `inbox/${name}`);
  }
  const ofPackages = STYLES_OF_PACKAGES.map((url) => fileURLToPath(url));
  const sheets = [...ofPackages, ...STYLES.map((name) => join(root, name))];
  const texts = await Promise.all(sheets.map((file) => readFile(file, "utf8")));
  sources.set("style.css", { name: "style.css", text: texts.join("\n"), imports: new Map() });

  const all = [...sources.values()].map((source) => source.text).join("\n");
  const version = hash("sha256", all).slice(0, 12);
  const address = (name: string, language: Language = "en") =>
    `/assets/${version}/${isTranslated(name) ? `${language}/` : ""}${name}`;
  const contents = new Map<string, Buffer>();
  for (const { name, text, imports } of sources.values()) {
    const served = text.replaceAll(IMPORT, (whole, before, quote, specifier) => {
      const target = imports.get(specifier);
      return target === undefined ? whole : `${before}${quote}${address(target)}${quote}`;
    });
    if (isTranslated(name)) {
      for (const language of Object.keys(LANGUAGES) as Language[]) {
        const translated = translateScript(served, catalogueOf(language));
        contents.set(`${language}/${name}`, Buffer.from(translated));
      }
    } else contents.set(name, Buffer.from(name.endsWith(".js") ? served : text));
  }
  return {
    address,
    get(path) {
      const [given, ...rest] = path.split("/");
      const content = given === version ? contents.get(rest.join("/")) : undefined;
      if (content === undefined) return undefined;
      return { type: TYPES[extname(path)] ?? "application/octet-stream", content };
    },
  };
}

/**
 * Whether there is a file for each language: only of our own scripts, as they contain texts. Their names have no
 * folder, so their relative imports stay in the folder of their language.
 */
function isTranslated(name: string): boolean {
  return name.endsWith(".js") && !name.includes("/");
}

function isRelative(specifier: string): boolean {
  return specifier.startsWith(".") || specifier.startsWith("/");
}

/** Returns the file of the ES module that a package offers to browsers. */
async function moduleFile(specifier: string, from: string): Promise<string> {
  const manifest = findPackageJSON(specifier, pathToFileURL(from));
  if (manifest === undefined) throw new Error(`no package ${specifier} for ${from}`);
  const described = JSON.parse(await readFile(manifest, "utf8"));
  const entry = described.exports?.import ?? described.exports?.["."]?.import ?? described.module;
  const file = typeof entry === "string" ? entry : (entry?.default ?? described.main);
  return await realpath(join(dirname(manifest), file));
}

/** Registers the routes for styles and scripts, and for the document that contains the live preview. */
export function assetRoutes(route: Route, assets: Assets, apiUrl: string): void {
  route("GET /assets/*", async ({ params }) => {
    const asset = assets.get(params["*"] ?? "");
    if (asset === undefined) throw new NotFound("path", "no such asset");
    const headers = {
      "content-type": asset.type,
      "cache-control": "public, max-age=31536000, immutable",
      // The frame of the preview is sandboxed, so the browser treats it as another origin.
      "cross-origin-resource-policy": "cross-origin",
    };
    return documentAnswer(asset.content, headers);
  });

  const script = assets.address("preview-frame.js");
  route("GET /preview-frame", async () =>
    documentAnswer(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Preview</title><style>html,body{margin:0;height:100%}iframe{border:0;width:100%;height:100%;display:block;background:#fff}</style></head><body><script src="${script}"></script></body></html>`,
      {
        ...previewFrameHeaders(apiUrl),
        "content-type": "text/html; charset=utf-8",
      },
    ),
  );
}
