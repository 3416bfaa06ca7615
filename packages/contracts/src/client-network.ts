import { isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * Whom an address stands for when tries are counted: an IPv4 address itself, of IPv6 the network of 64
 * bits, which is one customer's, who may take any address of it.
 */
export function clientNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  // What is mapped into IPv6 is an IPv4 address.
  const client = ipaddr.process(address);
  if (client instanceof ipaddr.IPv4) return client.toString();
  return `${client.parts
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`;
}
