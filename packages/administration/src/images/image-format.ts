import { crc32 } from "node:zlib";
import { listed } from "@belfry/contracts/channels";
import { IMAGE_TYPES, type ImageType, MAX_IMAGE_SIDE } from "@belfry/contracts/images";

/** Facts that an image's bytes contain. */
export interface ImageFacts {
  type: ImageType;
  width: number;
  height: number;
}

/**
 * Reads a picture's structure from its first byte to its last, without decoding the pixels. Refuses a file that is cut
 * off, has bytes after its end, or is of another kind than its first bytes say. Returns the picture's facts, or what is
 * wrong, in words that follow the field's name.
 */
export function readImage(data: Buffer): ImageFacts | string {
  const format = FORMATS.find(({ begins }) => begins(data));
  if (format === undefined) return `is no picture: ${listed(Object.values(IMAGE_TYPES), "or")}`;
  const { type, read } = format;
  try {
    const [width, height] = read(data);
    if (width > MAX_IMAGE_SIDE || height > MAX_IMAGE_SIDE) {
      return `is ${width} × ${height} pixels: at most ${MAX_IMAGE_SIDE} a side`;
    }
    return { type, width, height };
  } catch (error) {
    // A read past the end of the buffer also throws a RangeError.
    if (error instanceof RangeError) return `is a damaged ${IMAGE_TYPES[type]} file`;
    throw error;
  }
}

type Size = readonly [width: number, height: number];

function ensure(isSo: boolean): void {
  if (!isSo) throw new RangeError("not a picture");
}

function sizeOf(width: number, height: number): Size {
  ensure(width > 0 && height > 0);
  return [width, height];
}

const PNG_SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
/** Allowed bit depths by colour type. */
const PNG_DEPTHS: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

/** Reads a PNG: the signature, then chunks, IHDR first and IEND last. A chunk has length, type, content and CRC-32. */
function readPng(data: Buffer): Size {
  let size: Size | undefined;
  let hasPixels = false;
  for (let at = PNG_SIGNATURE.length; ; ) {
    const length = data.readUInt32BE(at);
    const type = data.toString("latin1", at + 4, at + 8);
    const next = at + 12 + length;
    ensure(/^[A-Za-z]{4}$/.test(type) && next <= data.length);
    const sum = crc32(data.subarray(at + 4, at + 8 + length));
    ensure(sum === data.readUInt32BE(at + 8 + length));
    ensure((type === "IHDR") === (size === undefined));
    if (type === "IHDR") size = pngSize(data.subarray(at + 8, at + 8 + length));
    if (type === "IDAT") hasPixels = true;
    if (type === "IEND") {
      ensure(length === 0 && hasPixels && next === data.length);
      return size as Size;
    }
    at = next;
  }
}

function pngSize(header: Buffer): Size {
  ensure(header.length === 13);
  const [depth = 0, color = 0, compression, filter, interlace = 2] = header.subarray(8);
  ensure(PNG_DEPTHS[color]?.includes(depth) === true);
  ensure(compression === 0 && filter === 0 && interlace <= 1);
  return sizeOf(header.readUInt32BE(0), header.readUInt32BE(4));
}

const JPEG_END = 0xd9;
const JPEG_SCAN = 0xda;
/** Baseline, extended and progressive frames, which browsers show. */
const JPEG_FRAMES = [0xc0, 0xc1, 0xc2];
/** Frames that browsers do not show, and markers without a segment. */
const JPEG_REFUSED = new Set([
  ...[0xc3, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf],
  ...[0x00, 0x01, 0xd0, 0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8],
]);

/** Reads a JPEG: segments from the start of the image to its end. After each start of a scan come its pixels. */
function readJpeg(data: Buffer): Size {
  let size: Size | undefined;
  let hasPixels = false;
  for (let at = 2; ; ) {
    ensure(data.readUInt8(at) === 0xff);
    // Any number of 0xff may precede a marker.
    while (data.readUInt8(at + 1) === 0xff) at += 1;
    const marker = data.readUInt8(at + 1);
    if (marker === JPEG_END) {
      ensure(hasPixels && at + 2 === data.length);
      return size as Size;
    }
    ensure(!JPEG_REFUSED.has(marker));
    const length = data.readUInt16BE(at + 2);
    const next = at + 2 + length;
    ensure(length >= 2 && next <= data.length);
    if (JPEG_FRAMES.includes(marker)) {
      // A frame has 8 bytes, and 3 for each colour component.
      ensure(size === undefined && length === 8 + 3 * data.readUInt8(at + 9));
      size = sizeOf(data.readUInt16BE(at + 7), data.readUInt16BE(at + 5));
    }
    at = next;
    if (marker !== JPEG_SCAN) continue;
    ensure(size !== undefined);
    at = endOfScan(data, next);
    hasPixels ||= at > next;
  }
}

/** Returns where the pixels of a scan end. Among pixels, 0 or a restart marker (0xd0 to 0xd7) follows each 0xff. */
function endOfScan(data: Buffer, start: number): number {
  for (let at = data.indexOf(0xff, start); ; at = data.indexOf(0xff, at + 2)) {
    ensure(at >= 0);
    const marker = data.readUInt8(at + 1);
    if (marker !== 0 && (marker < 0xd0 || marker > 0xd7)) return at;
  }
}

const GIF_TRAILER = 0x3b;
const GIF_EXTENSION = 0x21;
const GIF_FRAME = 0x2c;

/** Reads a GIF: the screen, then frames and extensions in blocks, then the trailer. */
function readGif(data: Buffer): Size {
  const [width, height] = sizeOf(data.readUInt16LE(6), data.readUInt16LE(8));
  // The header has 6 bytes, and the screen 7; a colour table may follow.
  let at = 13 + colorTableBytes(data.readUInt8(10));
  for (let frames = 0; ; ) {
    const kind = data.readUInt8(at);
    if (kind === GIF_TRAILER) {
      ensure(frames > 0 && at + 1 === data.length);
      return [width, height];
    }
    if (kind === GIF_EXTENSION) at = endOfBlocks(data, at + 2);
    else {
      ensure(kind === GIF_FRAME);
      const [left, top] = [data.readUInt16LE(at + 1), data.readUInt16LE(at + 3)];
      const [right, bottom] = sizeOf(data.readUInt16LE(at + 5), data.readUInt16LE(at + 7));
      ensure(left + right <= width && top + bottom <= height);
      // After the descriptor (10 bytes) and the colour table comes the LZW code size.
      at += 10 + colorTableBytes(data.readUInt8(at + 9));
      ensure(data.readUInt8(at) >= 1 && data.readUInt8(at) <= 11);
      at = endOfBlocks(data, at + 1);
      frames += 1;
    }
  }
}

/** Returns the size of a colour table in bytes: 2 to 256 colours of 3 bytes each, or 0 if there is no table. */
function colorTableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

/** Returns the offset after a list of blocks. Each block begins with its length; an empty block ends the list. */
function endOfBlocks(data: Buffer, start: number): number {
  let at = start;
  for (let length = data.readUInt8(at); length > 0; length = data.readUInt8(at)) at += length + 1;
  return at + 1;
}

const WEBP_BESIDE = ["ICCP", "ANIM", "ALPH", "EXIF", "XMP "];

/** Reads a WebP: one chunk of pixels, or a canvas (VP8X) with one picture of its size or with frames inside it. */
function readWebp(data: Buffer): Size {
  ensure(data.readUInt32LE(4) + 8 === data.length);
  const chunks = webpChunks(data, 12);
  const [first] = chunks;
  ensure(first !== undefined);
  const [type, content] = first as WebpChunk;
  if (type !== "VP8X") {
    ensure(chunks.length === 1);
    return webpPixels(type, content);
  }
  ensure(content.length === 10);
  const canvas: Size = [content.readUIntLE(4, 3) + 1, content.readUIntLE(7, 3) + 1];
  let pictures = 0;
  for (const [part, inside] of chunks.slice(1)) {
    if (WEBP_BESIDE.includes(part)) continue;
    pictures += 1;
    if (part === "ANMF") ensureFrame(inside, canvas);
    else ensure(pictures === 1 && isSame(webpPixels(part, inside), canvas));
  }
  ensure(pictures > 0);
  return canvas;
}

function ensureFrame(frame: Buffer, [width, height]: Size): void {
  const [x, y] = [2 * frame.readUIntLE(0, 3), 2 * frame.readUIntLE(3, 3)];
  const size: Size = [frame.readUIntLE(6, 3) + 1, frame.readUIntLE(9, 3) + 1];
  ensure(x + size[0] <= width && y + size[1] <= height);
  const pixels = webpChunks(frame, 16).filter(([type]) => type !== "ALPH");
  ensure(pixels.length === 1 && pixels.every((chunk) => isSame(webpPixels(...chunk), size)));
}

type WebpChunk = readonly [type: string, content: Buffer];

/** Splits data into chunks. Each chunk is padded to an even length. */
function webpChunks(data: Buffer, start: number): WebpChunk[] {
  const chunks: WebpChunk[] = [];
  for (let at = start; at < data.length; ) {
    const length = data.readUInt32LE(at + 4);
    const end = at + 8 + length;
    ensure(end + (length % 2) <= data.length);
    chunks.push([data.toString("latin1", at, at + 4), data.subarray(at + 8, end)]);
    at = end + (length % 2);
  }
  return chunks;
}

/** Returns the size of lossy (VP8) or lossless (VP8L) pixels, which is at their beginning. */
function webpPixels(type: string, content: Buffer): Size {
  if (type === "VP8 ") {
    const isKeyFrame = (content.readUInt8(0) & 1) === 0;
    ensure(isKeyFrame && content.readUIntBE(3, 3) === 0x9d012a);
    // A side has 14 bits, and 2 for scaling (RFC 6386, section 9.1).
    return sizeOf(content.readUInt16LE(6) & 0x3fff, content.readUInt16LE(8) & 0x3fff);
  }
  ensure(type === "VP8L" && content.readUInt8(0) === 0x2f);
  // 14 bits for the width less 1, 14 for the height less 1, 1 for alpha, and 3 for the version, which is 0.
  const bits = content.readUInt32LE(1);
  ensure(bits >>> 29 === 0);
  return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
}

function isSame(one: Size, other: Size): boolean {
  return one[0] === other[0] && one[1] === other[1];
}

const FORMATS: readonly {
  type: ImageType;
  begins(data: Buffer): boolean;
  read(data: Buffer): Size;
}[] = [
  {
    type: "image/png",
    begins: (data) => data.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE),
    read: readPng,
  },
  {
    type: "image/jpeg",
    begins: (data) => data[0] === 0xff && data[1] === 0xd8 && data[2] === 0xff,
    read: readJpeg,
  },
  {
    type: "image/gif",
    begins: (data) => /^GIF8[79]a$/.test(data.toString("latin1", 0, 6)),
    read: readGif,
  },
  {
    type: "image/webp",
    begins: (data) => /^RIFF[\s\S]{4}WEBP$/.test(data.toString("latin1", 0, 12)),
    read: readWebp,
  },
];
