import { type Logger, pino } from "pino";
import { type BufferedOutput, createBufferedOutput } from "./buffered-output.ts";
import { redact, SERIALIZERS } from "./redact.ts";

export type { Logger } from "pino";

export interface LoggerOptions {
  service: string;
  level: string;
  /** Where lines go; standard output by default. Tests pass their own. */
  destination?: { write(line: string): void };
}

const FLUSH_EVERY_MS = 100;
const CHUNK_BYTES = 64 * 1024;

/**
 * JSON lines. Keys, secrets, bodies and recipients are blotted out. Lines are written together, at most
 * a tenth of a second late.
 */
export function createLogger(options: LoggerOptions): Logger {
  const destination = options.destination ?? bufferedOutput();
  return pino(
    {
      level: options.level,
      base: { service: options.service },
      timestamp: isoTime,
      formatters: { level: (label) => ({ level: label }), log: (line) => redact(line) },
      serializers: SERIALIZERS,
    },
    destination,
  );
}

function bufferedOutput(): BufferedOutput {
  const output = createBufferedOutput({
    fd: 1,
    flushEveryMs: FLUSH_EVERY_MS,
    chunkBytes: CHUNK_BYTES,
  });
  // An exit in a hurry must not lose the line that says why.
  process.on("exit", () => output.flushSync());
  return output;
}

let writtenAt = 0;
let writtenTime = "";
/** Many lines share a millisecond under load, and formatting it is a good part of a line's cost. */
function isoTime(): string {
  const now = Date.now();
  if (now !== writtenAt) {
    writtenAt = now;
    writtenTime = `,"time":"${new Date(now).toISOString()}"`;
  }
  return writtenTime;
}
