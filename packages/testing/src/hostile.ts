/** Hostile input for every interface that accepts input. Each test states the answer of its interface. */

/** Runs a script if it is inserted as markup; also breaks out of an attribute, a string or a template. */
export const SCRIPT = `"><script>alert(1)</script><img src=x onerror=alert(2)>'{{x}}`;

export const NOT_JSON: readonly string[] = [
  ...["{", "}", "{]", "{'eventType':1}", '{"a":1,}', '{"a":NaN}', '{"a":Infinity}', '{"a":01}'],
  ...['{"a":"\u0001"}', '{"a":"\\x41"}', "\u0000", "undefined", "// comment\n{}", '{"a":1}{"a":2}'],
  ...["[".repeat(200_000), " ", "\ufeff\ufeff{}"],
];

export const NOT_UTF8: readonly Uint8Array[] = [
  Buffer.from('{"eventType":"e","payload":{"userId":"u"}}', "utf16le"),
  Buffer.from('{"eventType":"caf\u00e9","payload":{"userId":"u"}}', "latin1"),
  // A lone surrogate.
  Buffer.concat([Buffer.from('{"eventType":"'), Buffer.of(0xed, 0xa0, 0x80), Buffer.from('"}')]),
  Buffer.of(0xc0, 0xaf),
  Buffer.alloc(64),
];

/** Escapes in JSON strings for characters that no text may contain: null bytes, control characters, lone surrogates. */
export const NO_TEXTS: readonly string[] = [
  ...[
    "\\u0000",
    "a\\u0000b",
    "\\n",
    "\\u007f",
    "\\u009f",
    "\\ud800",
    "\\udfff x",
    "\\udc00\\ud800",
  ],
];

/** Unusual texts that must be accepted. */
export const ODD_TEXTS: readonly string[] = [
  ...["é".repeat(255), "😀".repeat(255), "a b", "'; drop table events; --", "{{x}}", "<script>"],
  ...["‮", SCRIPT],
];

/** Property names that every object inherits. */
export const NAMES_OF_EVERY_OBJECT = ["constructor", "__proto__", "toString"] as const;

export const NOT_JSON_TYPES: readonly string[] = [
  ...["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"],
  ...["application/xml", "application/json; charset=utf-16", "application/json; charset=latin1"],
  ...["application/jsonp", "application/json, text/plain", "json", "*/*", "", "no type at all"],
  ...["application/vnd.api+json", "application/json;charset=utf-8;charset=utf-16"],
];

/** Invalid or duplicate Host headers of a request. */
export const BAD_HOSTS: readonly string[] = [
  ...["", "Host: a\r\nHost: a\r\n", "Host: a\r\nhOST: b\r\n", "Host: a b\r\n", "Host: a/b\r\n"],
  ...["Host: user@a\r\n", "Host: a:80:90\r\n", "Host: a:x\r\n", "Host: [::1\r\n", "Host: %zz\r\n"],
  "Host: \u00fc\r\n",
];

const get = (lines: string) => `GET / HTTP/1.1\r\nHost: a\r\n${lines}Connection: close\r\n\r\n`;

/** Complete requests that are not valid HTTP; the key names the fault. */
export const NOT_HTTP: Readonly<Record<string, string>> = {
  folded: get("x-a: 1\r\n continued\r\n"),
  "null byte": get("x-a: \u0000\r\n"),
  "space before the colon": get("x-a : 1\r\n"),
  "bare line feeds": "GET / HTTP/1.1\nHost: a\nConnection: close\n\n",
  TLS: "\u0016\u0003\u0001\u0002\u0000\u0001",
  words: "GARBAGE\r\n\r\n",
  "another version": "GET / HTTP/9.9\r\nHost: a\r\n\r\n",
  "an unknown method": get("").replace("GET", "FOO"),
};

/** Paths that do not exist or that try to leave the served folder. */
export const ODD_PATHS: readonly string[] = [
  ...["/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/.env", "//etc/passwd", "/%zz", "/%c0%ae"],
  ...["/%ed%a0%80", "/%", "/%00", "/*", "/a;b=c", `/${"x".repeat(10_000)}`],
];

/** Texts that are not exactly one deliverable mailbox. */
export const BAD_ADDRESSES: readonly string[] = [
  // Header injection, lists, display names, groups, comments.
  ...["b@x.io\r\nBcc: evil@x.io", "b@x.io, evil@x.io", "b@x.io;evil@x.io", "B <b@x.io>"],
  ...['"a\r\nb"@x.io', '"a"@x.io,b@x.io', '"a"@x.io, "b"@x.io', "a,b@x.io", '"<a>"@x.io'],
  ...["group:b@x.io;", "a:b@x.io", "b@@x.io", "(c)a@x.io", "a@x.io(c)"],
  // Unicode normalization (NFC) converts U+037E to an ASCII semicolon.
  "a\u037eb@x.io",
  // Unquoted spaces and invisible characters.
  ...["b c@x.io", "a\u00a0b@x.io", "a\u3000b@x.io", "a\u2028b@x.io", '"a\u2028"@x.io'],
  ...["a\u200bb@x.io", "a\u202eb@x.io", "a\ufeff@x.io", "a\tb@x.io", '"a\tb"@x.io'],
  ...["b@x.io\u0000", "a\u007f@x.io", "a\u0085@x.io", "\uffff@x.io", "a\ud800@x.io", "a@\ud800.io"],
  // Quotes that do not enclose the whole local part.
  ...['""@x.io', '"a@x.io', 'a"@x.io', 'a"b"c@x.io', '"a"b"@x.io', '"a\\"@x.io', '"b c@x.io'],
  // Invalid domain names.
  ...["plain", "@", "@x.io", "a@", "b@localhost", "a@.b.io", "a@b.io.", "a@b..io", "a@-b.example"],
  ...[
    "a@b_c.io",
    "a@[192.0.2.1]",
    "a@xn--a.example:25",
    "a@bücher.example:25",
    "a@bücher%2eexample",
  ],
  // Too long, in octets.
  ...[
    `${"l".repeat(65)}@b.example`,
    `${"ö".repeat(33)}@b.example`,
    `"${"l l".repeat(21)}"@b.example`,
  ],
  ...[`a@${"b".repeat(64)}.example`, `a@${"b.".repeat(123)}example`],
];
