import type { Dirent } from "node:fs";
import { constants, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type InputFault, InvalidInput } from "../input-error.ts";

/** A file of a directory of templates, with its path below it. */
export interface FoundFile {
  folder: string;
  name: string;
  path: string;
  text: string;
}

const MAX_FILES = 10_000;
/** A content of 256 KiB, sample values of 64 Ki characters, and what else is set. */
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * The files of a directory's folders, by path, and of the files beside the folders those of the names. Other files
 * there, and what begins with a dot, are somebody else's; links, and folders in folders, are refused. Throws
 * `InvalidInput`.
 */
export async function readTemplateFiles(
  dir: string,
  beside: readonly string[] = [],
): Promise<FoundFile[]> {
  const faults: InputFault[] = [];
  const found: Omit<FoundFile, "text">[] = [];
  for (const folder of await entriesOf(dir, "")) {
    if (folder.isFile()) {
      const { name } = folder;
      if (beside.includes(name)) found.push({ folder: "", name, path: name });
      continue;
    }
    if (!folder.isDirectory()) {
      faults.push(dirFault(`${folder.name} is no folder`));
      continue;
    }
    for (const { name, ...entry } of await filesOf(dir, folder.name, faults)) {
      found.push({ ...entry, folder: folder.name, name, path: `${folder.name}/${name}` });
    }
    if (found.length > MAX_FILES)
      throw new InvalidInput([dirFault(`holds over ${MAX_FILES} files`)]);
  }
  if (faults.length > 0) throw new InvalidInput(faults);
  const files: FoundFile[] = [];
  let bytes = 0;
  for (const file of found) {
    const content = await readBounded(join(dir, file.folder, file.name), file.path);
    bytes += content.length;
    if (bytes > MAX_BYTES) {
      throw new InvalidInput([dirFault(`holds more than ${MAX_BYTES / 1024 / 1024} MiB`)]);
    }
    files.push({ ...file, text: textOf(content, file.path) });
  }
  return files;
}

export function dirFault(message: string): InputFault {
  return { field: "dir", message };
}

async function filesOf(dir: string, folder: string, faults: InputFault[]) {
  const files: { name: string }[] = [];
  for (const entry of await entriesOf(join(dir, folder), folder)) {
    if (entry.isFile()) files.push({ name: entry.name });
    else faults.push(dirFault(`${folder}/${entry.name} is no file`));
  }
  return files;
}

/** By name; what begins with a dot is somebody else's. Throws `InvalidInput`. */
export async function entriesOf(path: string, name: string): Promise<Dirent[]> {
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
  try {
    // No link, and nothing that would wait for somebody to write into it.
    await using file = await open(
      path,
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    );
    const { size } = await file.stat();
    if (size > MAX_FILE_BYTES) throw new InvalidInput([dirFault(`${name} is larger than 1 MiB`)]);
    const buffer = Buffer.alloc(MAX_FILE_BYTES + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length);
      length += bytesRead;
      if (bytesRead === 0) break;
      if (length > MAX_FILE_BYTES) {
        throw new InvalidInput([dirFault(`${name} is larger than 1 MiB`)]);
      }
    }
    return Buffer.from(buffer.subarray(0, length));
  } catch (cause) {
    if (cause instanceof InvalidInput) throw cause;
    throw cannot("read", name, cause);
  }
}

function textOf(content: Buffer, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw new InvalidInput([dirFault(`${name} is not UTF-8 text`)]);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such folder",
  ENOTDIR: "it is no folder",
  EACCES: "permission denied",
  ELOOP: "it is a link",
};

export function cannot(verb: "read" | "write", name: string, cause: unknown): InvalidInput {
  const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
  const what = name === "" ? "" : ` ${name}`;
  return new InvalidInput([dirFault(`cannot ${verb}${what}: ${REASONS[code] ?? code}`)]);
}
