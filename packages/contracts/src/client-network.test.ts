import assert from "node:assert/strict";
import { test } from "node:test";
import { clientNetwork } from "./client-network.ts";

test("an IPv4 address counts by itself, an IPv6 address by the network of 64 bits that one customer has", () => {
  assert.equal(clientNetwork("192.0.2.7"), "192.0.2.7");
  for (const mapped of ["::ffff:192.0.2.7", "::FFFF:c000:207", "0:0:0:0:0:ffff:c000:0207"]) {
    assert.equal(clientNetwork(mapped), "192.0.2.7", mapped);
  }
  for (const address of [
    "2001:db8:1:2::1",
    "2001:0DB8:0001:0002:aaaa:bbbb:cccc:dddd",
    "2001:db8:1:2:0:0:192.0.2.7",
    "2001:db8:1:2::%eth0",
  ]) {
    assert.equal(clientNetwork(address), "2001:db8:1:2::/64", address);
  }
  assert.equal(clientNetwork("2001:db8::1:2:3:4"), "2001:db8:0:0::/64");
  assert.equal(clientNetwork("2001:db8::3:4:5"), "2001:db8:0:0::/64");
  assert.equal(clientNetwork("::1"), "0:0:0:0::/64");
  assert.notEqual(clientNetwork("2001:db8:1:2::1"), clientNetwork("2001:db8:1:3::1"));
  assert.equal(clientNetwork("no address"), "no address");
});
