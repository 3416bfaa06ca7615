import assert from "node:assert/strict";
import test from "node:test";
import {
  AddressRefused,
  baseUrlFault,
  canonicalHost,
  checkedAddresses,
  guardedLookup,
  isPublicAddress,
  smtpHostFault,
} from "./address-guard.ts";

const GUARDED = { allowPrivateAddresses: false };
const LIFTED = { allowPrivateAddresses: true };

const PRIVATE = [
  "0.0.0.0",
  "10.1.2.3",
  "100.64.0.1",
  "100.100.100.200",
  "127.0.0.1",
  "127.255.255.254",
  "168.63.129.16",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.192",
  "192.0.2.1",
  "192.88.99.1",
  "192.168.1.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::127.0.0.1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::ffff:8.8.8.8",
  "::ffff:0:127.0.0.1",
  "::8.8.8.8",
  "::ffff:8.8.8.8%eth0",
  "64:ff9b::127.0.0.1",
  "64:ff9b::a9fe:a9fe",
  "64:ff9b::10.0.0.1",
  "64:FF9B::7F00:1",
  "0064:ff9b:0:0:0:0:7f00:0001",
  "64:ff9b::168.63.129.16",
  "64:ff9b::8.8.8.8%eth0",
  "64:ff9b:1::1",
  "100::1",
  "2001::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "2002:a00:1::1",
  "2002:808:808::1",
  "2001:0:808:808::1",
  "2606:4700::1111%eth0",
  "4000::1",
  "3fff::1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "ff02::1",
];
const PUBLIC = [
  "1.1.1.1",
  "8.8.8.8",
  "100.63.255.255",
  "100.128.0.1",
  "172.15.255.255",
  "172.32.0.1",
  "192.0.1.1",
  "223.255.255.255",
  "2606:4700::1111",
  "2a00:1450::1",
  "64:ff9b::8.8.8.8",
  "64:ff9b::808:808",
];

test("private, loopback, link-local, metadata, shared, multicast and reserved addresses are not public", () => {
  for (const address of PRIVATE) assert.equal(isPublicAddress(address), false, address);
  for (const address of PUBLIC) assert.equal(isPublicAddress(address), true, address);
  for (const text of [
    "",
    "localhost",
    "1.2.3",
    "1.2.3.4.5",
    "134744072",
    "0x8.8.8.8",
    "8.8.8.8/32",
  ]) {
    assert.equal(isPublicAddress(text), false, text);
  }
});

const ODD_NOTATIONS: readonly (readonly [string, string])[] = [
  ["0x7f000001", "127.0.0.1"],
  ["0x7f.0.0.1", "127.0.0.1"],
  ["2130706433", "127.0.0.1"],
  ["0177.0.0.1", "127.0.0.1"],
  ["017700000001", "127.0.0.1"],
  ["127.1", "127.0.0.1"],
  ["127.0.1", "127.0.0.1"],
  ["127.0.0.1.", "127.0.0.1"],
  ["0", "0.0.0.0"],
  ["[::ffff:7f00:1]", "::ffff:7f00:1"],
  ["[::ffff:127.0.0.1]", "::ffff:7f00:1"],
  ["[0:0:0:0:0:0:0:1]", "::1"],
  ["::1", "::1"],
  ["１２７.０.０.１", "127.0.0.1"],
  ["169.254.43518", "169.254.169.254"],
];
test("a literal address in an odd notation is read as the address it is, and refused", () => {
  for (const [written, read] of ODD_NOTATIONS) {
    assert.equal(canonicalHost(written), read, written);
    assert.equal(smtpHostFault(written, GUARDED), "must be a public address", written);
    if (written === "::1") continue;
    assert.equal(baseUrlFault(`https://${written}/`, GUARDED), "must be a public address", written);
    assert.equal(baseUrlFault(`https://${written}:8443/x`, GUARDED), "must be a public address");
  }
});

test("names that can only be inside a network are refused as written", () => {
  for (const name of [
    "localhost",
    "LOCALHOST.",
    "a.localhost",
    "db",
    "nas.local",
    "metadata.google.internal",
    "x.internal.",
  ]) {
    assert.equal(smtpHostFault(name, GUARDED), "must be a public host name", name);
    assert.equal(baseUrlFault(`https://${name}`, GUARDED), "must be a public host name", name);
  }
  for (const name of ["mail.example.com", "mail.example.com.", "bücher.example", "1.1.1.1"]) {
    assert.equal(smtpHostFault(name, GUARDED), null, name);
  }
});

test("a base URL is https, without credentials, query or fragment", () => {
  const faultOf = (url: string) => baseUrlFault(url, GUARDED);
  assert.equal(faultOf("https://api.sendgrid.com"), null);
  assert.equal(faultOf("https://proxy.example.com:8443/sendgrid/"), null);
  assert.equal(faultOf("http://api.sendgrid.com"), "must begin with https://");
  assert.equal(faultOf("file:///etc/passwd"), "must begin with https://");
  assert.equal(faultOf("https://a:b@example.com"), "must not hold credentials");
  assert.equal(faultOf("https://api.example.com/?x="), "must end with the path");
  assert.equal(faultOf("https://api.example.com/#x"), "must end with the path");
  assert.equal(faultOf("api.example.com"), "must be a URL");
});

test("a host is not a way to write something else", () => {
  for (const host of [
    "a.example.com:25",
    "a.example.com/x",
    "user@a.example.com",
    "a b",
    "a?b",
    "",
    "[::1",
    "a%00.example.com",
  ]) {
    assert.equal(smtpHostFault(host, GUARDED), "must be a host name or an IP address", host);
  }
});

test("with the guard lifted, private addresses and plain http are taken", async () => {
  assert.equal(baseUrlFault("http://127.0.0.1:4010", LIFTED), null);
  assert.equal(baseUrlFault("ftp://127.0.0.1", LIFTED), "must begin with https://");
  assert.equal(smtpHostFault("localhost", LIFTED), null);
  assert.deepEqual(await checkedAddresses("127.0.0.1", LIFTED), [
    { address: "127.0.0.1", family: 4 },
  ]);
});

test("of a name's addresses only the public ones are connected to", async () => {
  const resolve = async () => [
    { address: "10.0.0.1", family: 4 },
    { address: "8.8.8.8", family: 4 },
    { address: "::1", family: 6 },
  ];
  assert.deepEqual(await checkedAddresses("vendor.example", { ...GUARDED, resolve }), [
    { address: "8.8.8.8", family: 4 },
  ]);
});

test("a name whose answer changes after the check is connected to at the checked address", async () => {
  // DNS rebinding: public at the first question, private at the second.
  const answers = ["8.8.8.8", "127.0.0.1"];
  let asked = 0;
  const resolve = async () => [{ address: answers[asked++]!, family: 4 }];
  const lookup = guardedLookup({ ...GUARDED, resolve });
  const look = () =>
    new Promise((settled) =>
      lookup("vendor.example", { all: true }, (error, addresses) => settled(error ?? addresses)),
    );
  assert.deepEqual(await look(), [{ address: "8.8.8.8", family: 4 }]);
  assert.equal(asked, 1, "asked once a connection");
  assert.ok((await look()) instanceof AddressRefused);
});

test("a lookup that wants one address gets one", async () => {
  const resolve = async () => [{ address: "8.8.4.4", family: 4 }];
  const lookup = guardedLookup({ ...GUARDED, resolve });
  const got = await new Promise((settled) =>
    lookup("vendor.example", {}, (error, address, family) => settled([error, address, family])),
  );
  assert.deepEqual(got, [null, "8.8.4.4", 4]);
});

test("a name without an address is refused, a resolver's failure is passed on", async () => {
  const none = checkedAddresses("vendor.example", { ...GUARDED, resolve: async () => [] });
  await assert.rejects(none, AddressRefused);
  const failure = Object.assign(new Error("no"), { code: "EAI_AGAIN" });
  const failing = checkedAddresses("vendor.example", {
    ...GUARDED,
    resolve: () => Promise.reject(failure),
  });
  await assert.rejects(failing, failure);
});
