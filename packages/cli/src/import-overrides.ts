import { setTimeout as pause } from "node:timers/promises";
import { csvTexts, NotText } from "@belfry/administration/users/csv-records";
import {
  addToImport,
  cancelImport,
  type ShownImport,
  showImport,
  startImport,
} from "@belfry/administration/users/imports";
import { MAX_PART_CHARACTERS } from "@belfry/contracts/imports";
import { CommandError } from "./command-error.ts";
import type { CommandOverrides } from "./command-overrides.ts";
import { inputBytes } from "./input-file.ts";
import { printJson } from "./output.ts";

const LOOK_EVERY_MS = 1_000;

/**
 * Overrides of the commands for imports. A file of any length is sent in parts, to the database or by HTTP, so that
 * only one part is in memory.
 */
export const IMPORT_OVERRIDES: CommandOverrides = {
  "import start": {
    fields: ["file", "more"],
    define: (command) =>
      void command
        .requiredOption("--file <file>", "UTF-8 or UTF-16; - for standard input")
        .option("--no-wait", "do not wait for its end; import show tells how far it is"),
    async run(runOf, input, { file, wait }) {
      let begun: ShownImport | undefined;
      try {
        for await (const { text, more } of partsOf(inputBytes("--file", String(file)))) {
          const part = { file: text, more };
          const next = begun && { ...part, importId: begun.id, part: begun.parts + 1 };
          const sent = next ? runOf(addToImport)(next) : runOf(startImport)({ ...input, ...part });
          begun = (await sent) as ShownImport;
        }
      } catch (error) {
        // If only some parts of a file were sent, none of its lines may be written.
        const cancelled = begun && runOf(cancelImport)({ importId: begun.id });
        await cancelled?.catch(() => undefined);
        throw error;
      }
      for (const { column, suggestion } of begun?.ignoredColumns ?? []) {
        const meant = suggestion === null ? "" : `: did you mean ${suggestion}?`;
        process.stderr.write(`the column ${JSON.stringify(column)} is not read${meant}\n`);
      }
      if (begun === undefined || wait === false) return begun;
      const { id: importId } = begun;
      return await ended(() => runOf(showImport)({ importId }) as Promise<ShownImport>);
    },
  },
};

async function* partsOf(bytes: AsyncIterable<Uint8Array>) {
  let held = "";
  try {
    for await (const text of csvTexts(bytes)) {
      held += text;
      while (held.length > MAX_PART_CHARACTERS) {
        yield { text: held.slice(0, MAX_PART_CHARACTERS), more: true };
        held = held.slice(MAX_PART_CHARACTERS);
      }
    }
  } catch (error) {
    if (!(error instanceof NotText)) throw error;
    const { line } = error;
    throw new CommandError(`--file: must be UTF-8: line ${line}, or one after it, is not`);
  }
  yield { text: held, more: false };
}

/** Writes the import's progress to standard error until it has ended. If it has not ended well, prints it and fails. */
async function ended(look: () => Promise<ShownImport>): Promise<ShownImport> {
  for (let last = -1; ; ) {
    const shown = await look();
    const { state, processed, lines } = shown;
    if (processed !== last) process.stderr.write(`${processed} of ${lines} lines\n`);
    last = processed;
    if (state === "done") return shown;
    if (shown.endedAt !== null) {
      await printJson(shown);
      throw new CommandError(`the import has ended: it is ${state}`);
    }
    await pause(LOOK_EVERY_MS);
  }
}
