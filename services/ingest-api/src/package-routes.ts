import { hash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { documented } from "@belfry/contracts/fields";
import { Problem } from "@belfry/contracts/problems";
import { ALWAYS, answers, TRACE_HEADERS } from "@belfry/http-api/route-schema";
import { Type } from "@sinclair/typebox";
import type { FastifyInstance } from "fastify";

const PACKAGES_PATH = "/packages";
/** The file name that `pnpm pack` gives to a package of ours. */
const TARBALL = /^belfry-([a-z]+)-(\d+\.\d+\.\d+)\.tgz$/;
const TARBALL_TYPE = "application/gzip";

const PackageList = Type.Object(
  {
    packages: Type.Array(
      Type.Object({
        name: Type.String({ description: "The package's name for `import`" }),
        version: Type.String(),
        path: Type.String({ description: "Path of the tarball, after this service's address" }),
        bytes: Type.Integer({ description: "Size of the tarball" }),
        integrity: Type.String({
          description: "SHA-512 of the tarball, as lockfiles have it: compare",
        }),
      }),
      { description: "Empty where whoever runs this service has packed none" },
    ),
  },
  { title: "PackageList" },
);

const EXAMPLE = {
  packages: [
    {
      name: "@belfry/client",
      version: "0.1.0",
      path: "/packages/belfry-client-0.1.0.tgz",
      bytes: 9000,
      integrity: `sha512-${Buffer.alloc(64, 7).toString("base64")}`,
    },
  ],
};

const listSchema = {
  operationId: "listPackages",
  tags: ["Packages"],
  summary: "List the packages to install",
  description: "The client for Node and the inbox for pages, as this service has them.",
  security: [],
  headers: Type.Object(TRACE_HEADERS),
  response: answers({ description: "The packages", schema: PackageList, example: EXAMPLE }, ALWAYS),
};

const tarballSchema = {
  operationId: "getPackage",
  tags: ["Packages"],
  summary: "A package's tarball",
  description: "`npm install` and the other package managers take its address.",
  security: [],
  headers: Type.Object(TRACE_HEADERS),
  params: Type.Object({
    file: documented({
      type: "string",
      description: "Its name, with the version",
      examples: ["belfry-client-0.1.0.tgz"],
    }),
  }),
  response: answers(
    { description: "The tarball", schema: Type.String(), mediaType: TARBALL_TYPE },
    { ...ALWAYS, notFound: { message: "There is no such package here: see /packages" } },
  ),
};

/** Serves the packages that tenants' developers install, without a key. A release packs them, never this service. */
export function packageRoutes(app: FastifyInstance, deps: { packagesFolder: string }): void {
  const tarballs = createTarballs(deps.packagesFolder);
  app.get(PACKAGES_PATH, { schema: listSchema }, async () => {
    const found = await tarballs.all();
    return {
      packages: found.map(({ name, version, file, integrity, content }) => ({
        name,
        version,
        integrity,
        path: `${PACKAGES_PATH}/${file}`,
        bytes: content.length,
      })),
    };
  });
  app.get<{ Params: { file: string } }>(
    `${PACKAGES_PATH}/:file`,
    { schema: tarballSchema },
    async (request, reply) => {
      const tarball = await tarballs.get(request.params.file);
      if (tarball === undefined) {
        throw new Problem("notFound", {
          message: "There is no such package here: see /packages",
        });
      }
      return reply
        .headers({
          "content-type": TARBALL_TYPE,
          "cache-control": "public, max-age=300",
          "x-content-type-options": "nosniff",
        })
        .send(tarball.content);
    },
  );
}

interface Tarball {
  file: string;
  /** The package's name for `import`. */
  name: string;
  version: string;
  /** Checksum in the form of lockfiles (`sha512-…`). */
  integrity: string;
  content: Buffer;
  changedAtMs: number;
}

/**
 * Reads the tarballs of a folder and ignores files with other names. It reads a file again when the file has changed,
 * so that a package that is packed while the service runs appears. A missing folder counts as empty.
 */
function createTarballs(folder: string) {
  const kept = new Map<string, Tarball>();

  async function read(file: string): Promise<Tarball | undefined> {
    const [, short, version] = TARBALL.exec(file) ?? [];
    if (short === undefined || version === undefined) return undefined;
    const path = join(folder, file);
    const { mtimeMs: changedAtMs } = await stat(path);
    const known = kept.get(file);
    if (known?.changedAtMs === changedAtMs) return known;
    const content = await readFile(path);
    const integrity = `sha512-${hash("sha512", content, "base64")}`;
    const tarball = { file, name: `@belfry/${short}`, version, integrity, content, changedAtMs };
    kept.set(file, tarball);
    return tarball;
  }

  const get = (file: string) =>
    read(file).catch((error) => {
      kept.delete(file);
      if (error.code === "ENOENT") return undefined;
      throw error;
    });

  return {
    /** Returns a tarball; undefined if the name is not that of a package or the file does not exist. */
    get,
    /** Returns the tarballs, ordered by name. */
    async all(): Promise<Tarball[]> {
      const files = await readdir(folder).catch((error) => {
        if (error.code === "ENOENT") return [];
        throw error;
      });
      const found = await Promise.all(files.sort().map(get));
      return found.filter((one) => one !== undefined);
    },
  };
}
