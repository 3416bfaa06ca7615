import { constants, type Dirent } from "node:fs";
import { lstat, mkdir, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileText } from "../file-text.ts";
import { type InputFault, InvalidInput, invalid } from "../input-error.ts";
import {
  MAX_BYTES,
  MAX_FILE_BYTES,
  MAX_FILES,
  readVariantFileName,
  type TextFiles,
} from "./template-paths.ts";

/**
 * Reads the files in the subfolders of a folder, and the files of the folder itself that are named in `beside`. Ignores
 * its other files and names that begin with a dot. Refuses links, and folders in subfolders. Throws `InvalidInput`.
 */
export async function readTemplateFolder(dir: string, beside: readonly string[] = []) {
  const faults: InputFault[] = [];
  const paths: string[] = [];
  for (const folder of await entriesOf(dir, "")) {
    if (folder.isFile()) {
      if (beside.includes(folder.name)) paths.push(folder.name);
      continue;
    }
    if (!folder.isDirectory()) {
      faults.push(fault(`${folder.name} is no folder`));
      continue;
    }
    for (const entry of await entriesOf(join(dir, folder.name), folder.name)) {
      const path = `${folder.name}/${entry.name}`;
      if (entry.isFile()) paths.push(path);
      else faults.push(fault(`${path} is no file`));
    }
    if (paths.length > MAX_FILES) throw invalid("dir", `holds over ${MAX_FILES} files`);
  }
  if (faults.length > 0) throw new InvalidInput(faults);
  const files: Record<string, string> = {};
  let bytes = 0;
  for (const path of paths) {
    const content = await readBounded(join(dir, path), path);
    bytes += content.length;
    if (bytes > MAX_BYTES) throw invalid("dir", `holds more than ${MAX_BYTES / 1024 / 1024} MiB`);
    files[path] = textOf(content, path);
  }
  return files;
}

/**
 * Writes files into a folder, and replaces those of the same name. If the format of a mail has changed, removes its
 * file in the old format. Returns the paths of all other files that an import would publish. Throws `InvalidInput` if
 * it cannot write.
 */
export async function writeTemplateFolder(dir: string, files: TextFiles): Promise<string[]> {
  await makeFolder(dir, "");
  for (const [path, text] of Object.entries(files)) {
    const folder = path.slice(0, Math.max(path.indexOf("/"), 0));
    await makeFolder(join(dir, folder), folder);
    await writeFileHere(join(dir, path), path, text);
  }
  return await tidy(dir, files);
}

/** Removes a written variant's file in another format, and returns the other files that an import would publish. */
async function tidy(dir: string, files: TextFiles): Promise<string[]> {
  const written = new Set(Object.keys(files).map(withoutEnding));
  const leftover: string[] = [];
  for (const folder of await entriesOf(dir, "")) {
    if (!folder.isDirectory()) continue;
    for (const entry of await entriesOf(join(dir, folder.name), folder.name)) {
      const path = `${folder.name}/${entry.name}`;
      if (Object.hasOwn(files, path) || readVariantFileName(entry.name) === undefined) continue;
      if (written.has(withoutEnding(path)) && !entry.isDirectory()) await rm(join(dir, path));
      else leftover.push(path);
    }
  }
  return leftover.sort();
}

function withoutEnding(path: string): string {
  return path.slice(0, path.lastIndexOf("."));
}

async function makeFolder(path: string, name: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
    if (name !== "" && !(await lstat(path)).isDirectory()) {
      throw invalid("dir", `cannot write ${name}: it is a link`);
    }
  } catch (cause) {
    throw cause instanceof InvalidInput ? cause : cannot("write", name, cause);
  }
}

async function writeFileHere(path: string, name: string, text: string): Promise<void> {
  try {
    const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW, O_NONBLOCK } = constants;
    await using file = await open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK);
    await file.writeFile(text);
  } catch (cause) {
    throw cannot("write", name, cause);
  }
}

/** Returns a folder's entries by name, without those that begin with a dot. */
async function entriesOf(path: string, name: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries
      .filter((entry) => !entry.name.startsWith("."))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (cause) {
    throw cannot("read", name, cause);
  }
}

async function readBounded(path: string, name: string): Promise<Buffer> {
  const tooLarge = () => invalid("dir", `${name} is larger than 1 MiB`);
  try {
    // Refuses links, and does not wait for a writer, as a named pipe would.
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    await using file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const { size } = await file.stat();
    if (size > MAX_FILE_BYTES) throw tooLarge();
    const buffer = Buffer.alloc(MAX_FILE_BYTES + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length);
      length += bytesRead;
      if (bytesRead === 0) break;
      if (length > MAX_FILE_BYTES) throw tooLarge();
    }
    return Buffer.from(buffer.subarray(0, length));
  } catch (cause) {
    if (cause instanceof InvalidInput) throw cause;
    throw cannot("read", name, cause);
  }
}

function textOf(content: Buffer, name: string): string {
  try {
    return fileText(content);
  } catch {
    throw invalid("dir", `${name} is not UTF-8 text`);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such folder",
  ENOTDIR: "it is no folder",
  EACCES: "permission denied",
  ELOOP: "it is a link",
};

function cannot(verb: "read" | "write", name: string, cause: unknown): InvalidInput {
  const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
  const what = name === "" ? "" : ` ${name}`;
  return invalid("dir", `cannot ${verb}${what}: ${REASONS[code] ?? code}`);
}

function fault(message: string): InputFault {
  return { field: "dir", message };
}
