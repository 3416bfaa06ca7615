import { isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * Returns the unit by which tries are counted: an IPv4 address itself, or the 64-bit network of an IPv6 address. One
 * customer has such a network and may use any address in it.
 */
export function clientNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  // Unwraps an IPv4 address that is mapped into IPv6.
  const client = ipaddr.process(address);
  if (client instanceof ipaddr.IPv4) return client.toString();
  return `${client.parts
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`;
}
