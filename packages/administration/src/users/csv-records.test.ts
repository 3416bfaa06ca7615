import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type CsvPlace,
  csvReader,
  csvRecords,
  MAX_RECORD_CHARACTERS,
  NotText,
} from "./csv-records.ts";

async function read(...pieces: (string | Uint8Array)[]) {
  const records = [];
  for await (const record of csvRecords(pieces.map((piece) => Buffer.from(piece)))) {
    records.push("fault" in record ? `${record.line}: ${record.fault}` : record.fields);
  }
  return records;
}
const OPEN = "has a quote that does not end";

test("records are read as RFC 4180 has them, in whatever pieces they come", async () => {
  assert.deepEqual(await read("\ufeffa,b\r", "\n c ,", "\n", "", "\n \n,,\nd"), [
    ["a", "b"],
    ["c", ""],
    ["d"],
  ]);
  for (const [line, fields] of [
    ['x,"",""""', ["x", "", '"']],
    [' "a b" ,  c d  ', ["a b", "c d"]],
    ['a"b', ['a"b']],
    ['"one\r\n\ntwo",x', ["one\n\ntwo", "x"]],
  ] as const) {
    assert.deepEqual(await read(line), [fields]);
  }
  const text = 'a,"b\nb"\nc,d\n';
  const bytes = [...Buffer.from(text)].map((byte) => Uint8Array.of(byte));
  assert.deepEqual(await read(...bytes), await read(text));
});

test("the delimiter is the one that the first line has most of outside of quotes, or the one that it names", async () => {
  assert.deepEqual(await read("a;b,c;d\ne,f;g"), [
    ["a", "b,c", "d"],
    ["e,f", "g"],
  ]);
  assert.deepEqual(await read('\n"a;;;",b\nc'), [["a;;;", "b"], ["c"]]);
  assert.deepEqual(await read("a\t\tb c \n\t\td"), [
    ["a", "", "b c"],
    ["", "", "d"],
  ]);
  assert.deepEqual(await read('"sep=;"\na,b;c'), [["a,b", "c"]]);
});

test("UTF-16 is read by its mark, and bytes that are no text are refused with their line", async () => {
  const wide = Buffer.from("\ufeffa\tü\r\nb", "utf16le");
  assert.deepEqual(await read(...[...wide].map((byte) => Uint8Array.of(byte))), [
    ["a", "ü"],
    ["b"],
  ]);
  assert.deepEqual(await read("x"), [["x"]]);
  for (const [bytes, line] of [
    [Buffer.from("a\nb\n\xff", "latin1"), 1],
    [Buffer.from("\xc3", "latin1"), 1],
  ] as const) {
    await assert.rejects(read(bytes), (error) => error instanceof NotText && error.line === line);
  }
});

test("after a bad record the next line is read by itself, in time linear in the file", async (t) => {
  assert.deepEqual(await read('a,b\n"open,c\nd,e\nf,g'), [
    ["a", "b"],
    `2: ${OPEN}`,
    ["d", "e"],
    ["f", "g"],
  ]);
  assert.deepEqual(await read('a\n"x" y\nb'), [
    ["a"],
    "2: has something between a quote and the end of its field",
    ["b"],
  ]);
  const most = "x".repeat(MAX_RECORD_CHARACTERS);
  const long = `must be at most ${MAX_RECORD_CHARACTERS} characters`;
  assert.deepEqual(await read(`${most}\r\n${most}y\nz`), [[most], `2: ${long}`, ["z"]]);
  const looks = t.mock.method(String.prototype, "indexOf");
  assert.equal((await read('a","\n'.repeat(300))).length, 300);
  assert.ok(looks.mock.callCount() < 300 * 10, `${looks.mock.callCount()} looks into lines`);
  looks.mock.restore();
  const records = await read(`"${'""\n'.repeat(100_000)}`, `"${"x\n".repeat(100_000)}`);
  assert.equal(records.length, 2 + 2 * 99_999);
});

test("a reader goes on from the place of another one, wherever the text is cut", () => {
  const long = "z".repeat(MAX_RECORD_CHARACTERS / 2);
  const text = `a;b\r\n"open;${long}\n;\n"c;${long}\n\nd;e\n${long}${long}zz;f\n"g\n\n""h";i\n"last\nj`;
  const whole = csvReader();
  const expected = [...whole.read(text), ...whole.end()];
  assert.equal(expected.filter((record) => "fault" in record).length, 4);
  const cuts = [
    1,
    2,
    7,
    4_000,
    4_010,
    4_012,
    4_020,
    4_040,
    8_050,
    text.length - 7,
    text.length - 3,
  ];
  for (const cut of cuts) {
    const first = csvReader();
    const records = [...first.read(text.slice(0, cut))];
    const place = JSON.parse(JSON.stringify(first.place())) as CsvPlace;
    assert.ok(JSON.stringify(place).length < 3 * MAX_RECORD_CHARACTERS);
    const second = csvReader(place);
    records.push(...second.read(text.slice(cut)), ...second.end());
    assert.deepEqual(records, expected, `cut at ${cut}`);
  }
});
