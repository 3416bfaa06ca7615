import { execFile } from "node:child_process";
import { access, cp, glob, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { document, manageDocument } from "../openapi/document.ts";
import { GO_CLIENT, PYTHON_CLIENT } from "../runner/needed-tools.ts";
import { forGo, type PreparedDocument, preparedDocument } from "./prepared-document.ts";

const run = promisify(execFile);

/** The folders of generated code in each package, and from which document. */
export const GENERATED = {
  tenant: () => preparedDocument(document, "/api/v1"),
  management: () => preparedDocument(manageDocument, "/api/v1/manage"),
};

/** A client library with its generator. */
export interface ClientLibrary {
  language: string;
  /** The folder below which the generated folders are. */
  source: string;
  generator: string;
  write(document: PreparedDocument, folder: string, name: string): Promise<void>;
}

const packageFolder = (name: string) =>
  fileURLToPath(new URL(`../../packages/${name}/`, import.meta.url));

export const PYTHON: ClientLibrary = {
  language: "Python",
  source: join(packageFolder("client-python"), "src/belfry"),
  generator: PYTHON_CLIENT.places[0]!,
  async write(document, folder, name) {
    const from = packageFolder("client-python");
    const path = join(folder, `${name}.json`);
    await writeFile(path, JSON.stringify(document));
    await run(this.generator, [
      ...["generate", "--path", path, "--output-path", join(folder, name), "--meta", "none"],
      ...["--config", join(from, "generator/config.json")],
      ...["--custom-template-path", join(from, "generator/templates"), "--fail-on-warning"],
    ]);
    await rm(path);
    // The generator writes some imports in the order of a set, which differs from run to run.
    for await (const file of glob(join(folder, name, "models/*.py"))) {
      const text = await readFile(file, "utf8");
      const sorted = text.replaceAll(/(?:^ +from \.\.models.*\n)+/gm, (imports) =>
        imports
          .split(/(?<=\n)/)
          .sort()
          .join(""),
      );
      await writeFile(file, sorted);
    }
  },
};

export const GO: ClientLibrary = {
  language: "Go",
  source: packageFolder("client-go"),
  generator: GO_CLIENT.places[0]!,
  async write(document, folder, name) {
    const generator = join(packageFolder("client-go"), "generator");
    const config = await readFile(join(generator, "config.json"), "utf8");
    const [configPath, path] = [join(folder, "config.json"), join(folder, `${name}.json`)];
    await writeFile(
      configPath,
      config.replaceAll("PACKAGE", name).replaceAll("TEMPLATES", join(generator, "templates")),
    );
    await writeFile(path, JSON.stringify(forGo(document)));
    await mkdir(join(folder, name));
    const written = join(folder, name, `${name}.gen.go`);
    await run(this.generator, ["-config", configPath, "-o", written, path]);
    await Promise.all([rm(configPath), rm(path)]);
  },
};

/** Writes the generated folders of a library into a folder. */
export async function generate(library: ClientLibrary, folder: string): Promise<void> {
  for (const [name, prepared] of Object.entries(GENERATED)) {
    await library.write(prepared(), folder, name);
  }
}

export async function isInstalled(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

/** `node test/client-languages/generate.ts` writes the generated code of both packages. */
if (import.meta.main) {
  for (const library of [PYTHON, GO]) {
    const folder = await mkdtemp(join(tmpdir(), "belfry-generated-"));
    await generate(library, folder);
    for (const name of Object.keys(GENERATED)) {
      await rm(join(library.source, name), { recursive: true, force: true });
      await cp(join(folder, name), join(library.source, name), { recursive: true });
    }
    await rm(folder, { recursive: true });
  }
}
