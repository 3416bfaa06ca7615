import { resolve } from "node:path";
import { readDockerfile } from "../deploy/dockerfile.ts";

const DOCKERFILE = resolve(import.meta.dirname, "../../deploy/docker/Dockerfile");

/** What the image gives Node beside the file that it runs: a service is measured as it is delivered. */
export async function shippedFlags(): Promise<string[]> {
  const instructions = (await readDockerfile(DOCKERFILE)).at(-1)?.instructions ?? [];
  const entry = instructions.find(({ name }) => name === "ENTRYPOINT")?.text ?? "[]";
  const words = JSON.parse(entry) as string[];
  return words.slice(words.indexOf("node") + 1, -1);
}
