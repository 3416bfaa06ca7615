import { isIPv6 } from "node:net";

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * Whom an address stands for when tries are counted: an IPv4 address itself, of IPv6 the network of 64
 * bits, which is one customer's, who may take any address of it.
 */
export function clientNetwork(address: string): string {
  const mapped = MAPPED.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = "", tail] = (address.split("%", 1)[0] ?? "").toLowerCase().split("::");
  const groups = head.split(":").filter((group) => group !== "");
  const after = (tail ?? "").split(":").filter((group) => group !== "");
  // What `::` leaves out is zeros; a dotted end stands for two groups.
  const written = groups.length + after.length + (after.at(-1)?.includes(".") ? 1 : 0);
  const zeros = tail === undefined ? 0 : 8 - written;
  const all = [...groups, ...Array<string>(Math.max(0, zeros)).fill("0"), ...after];
  const network = all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(":")}::/64`;
}
