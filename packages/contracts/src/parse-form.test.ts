import assert from "node:assert/strict";
import { test } from "node:test";
import { parseForm, parseMultipart, textFields } from "./parse-form.ts";

const MIB = 1024 * 1024;
const TYPE = "multipart/form-data; boundary=x";
const part = (name: string, value: string) =>
  `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

test("a form is parsed up to its bound of fields, and not beyond", () => {
  assert.deepEqual([...parseForm("a=1&b=%26&a=3", 3)!].flat(), ["a", "1", "b", "&", "a", "3"]);
  assert.equal(parseForm("", 1)?.size, 0);
  assert.equal(parseForm("a=1&b=%26&a=3", 2), undefined);
});

test("fields that are too many are counted, and never parsed", async (t) => {
  const parsed = t.mock.method(globalThis, "URLSearchParams");
  const responses = t.mock.method(globalThis, "Response");
  assert.equal(parseForm("a&".repeat(MIB), 2_000), undefined);
  assert.equal(parseForm("&".repeat(2 * MIB), 2_000), undefined);
  for (const body of [part("a", "").repeat(20_000), `--x\r\n${"X: y\r\n".repeat(170_000)}`]) {
    assert.equal(await parseMultipart(Buffer.from(body), TYPE, 2_000), undefined);
  }
  assert.deepEqual(
    [parsed, responses].map(({ mock }) => mock.callCount()),
    [0, 0],
  );
});

test("a form in parts is parsed up to its bound, with its files left out of its texts", async () => {
  const file = `--x\r\nContent-Disposition: form-data; name="f"; filename="a.png"\r\nContent-Type: image/png\r\n\r\nPNG\r\n`;
  const body = Buffer.from(`${part("a", "1")}${file}${part("b", "2")}--x--\r\n`);
  const form = await parseMultipart(body, TYPE, 3);
  assert.ok(form?.get("f") instanceof File);
  assert.deepEqual(textFields(form), [
    ["a", "1"],
    ["b", "2"],
  ]);
  assert.equal(await parseMultipart(body, TYPE, 2), undefined);
  await assert.rejects(parseMultipart(Buffer.from("no parts"), TYPE, 3));
});
