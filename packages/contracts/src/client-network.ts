import { isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * Returns the address by which attempts are counted: an IPv4 address itself, or the 64-bit network of an IPv6 address,
 * because one customer may use any address of such a network.
 */
export function clientNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  // An IPv4 address that is mapped into IPv6 becomes an IPv4 address.
  const client = ipaddr.process(address);
  if (client instanceof ipaddr.IPv4) return client.toString();
  return `${client.parts
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`;
}
