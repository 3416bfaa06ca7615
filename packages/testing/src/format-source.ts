import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const BIOME = fileURLToPath(new URL("../../../node_modules/.bin/biome", import.meta.url));

/** Returns a generated source as Biome formats it in this file. Throws if Biome cannot parse it. */
export async function formatSource(source: string, file: string): Promise<string> {
  const biome = spawn(BIOME, ["format", `--stdin-file-path=${file}`], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  biome.stdin.end(source);
  const [formatted, [code]] = await Promise.all([text(biome.stdout), once(biome, "close")]);
  if (code !== 0) throw new Error(`Biome cannot format the source of ${file}`);
  return formatted;
}
