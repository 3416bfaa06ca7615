import type { Writable } from "node:stream";

const TEXT = 0x81;
const MAX_SHORT = 125;
const MAX_MEDIUM = 0xffff;

/**
 * Writes one whole WebSocket text frame of a server (RFC 6455, 5.2: no mask) to the socket below. What
 * is all ASCII, as nearly everything is, leaves as one string in one call of the system: half of what
 * the same frame costs as header and payload, and nothing is allocated outside the heap. Returns the
 * bytes of the text.
 */
export function writeTextFrame(socket: Writable, text: string): number {
  const length = Buffer.byteLength(text);
  if (length === text.length && length <= MAX_MEDIUM) {
    socket.write(asciiHeader(length) + text, "latin1");
    return length;
  }
  const header = headerBytes(length);
  const frame = Buffer.allocUnsafe(header.length + length);
  frame.set(header);
  frame.write(text, header.length);
  socket.write(frame);
  return length;
}

function asciiHeader(length: number): string {
  if (length <= MAX_SHORT) return String.fromCharCode(TEXT, length);
  return String.fromCharCode(TEXT, 126, length >> 8, length & 0xff);
}

function headerBytes(length: number): Buffer {
  if (length <= MAX_SHORT) return Buffer.of(TEXT, length);
  if (length <= MAX_MEDIUM) return Buffer.of(TEXT, 126, length >> 8, length & 0xff);
  const header = Buffer.of(TEXT, 127, 0, 0, 0, 0, 0, 0, 0, 0);
  header.writeUIntBE(length, 4, 6);
  return header;
}
