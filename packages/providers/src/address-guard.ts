import { lookup } from "node:dns/promises";
import { BlockList, isIP, isIPv6, type LookupFunction } from "node:net";

export interface ResolvedAddress {
  address: string;
  family: number;
}

/** All addresses of a name; rejects as `dns.lookup` does. */
export type Resolve = (hostname: string) => Promise<ResolvedAddress[]>;

export interface GuardOptions {
  allowPrivateAddresses: boolean;
  resolve?: Resolve;
}

/** A host that a tenant may not make us talk to. */
export class AddressRefused extends Error {
  readonly code = "ADDRESS_REFUSED";
  constructor(fault: string) {
    super(fault);
    this.name = "AddressRefused";
  }
}

/** What encrypts from the start (465) or by STARTTLS (587, 2525). */
export const SMTP_PORTS: readonly number[] = [465, 587, 2525];

// IANA's special-purpose registries, and 168.63.129.16 (Azure's host agent answers there).
const SPECIAL_IPV4 = blockList("ipv4", [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
]);
const GLOBAL_IPV6 = blockList("ipv6", [["2000::", 3]]);
// Teredo and other protocol assignments, documentation, 6to4.
const SPECIAL_IPV6 = blockList("ipv6", [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
]);
const NAT64 = blockList("ipv6", [["64:ff9b::", 96]]);

/**
 * Whether an IP address is one of the public internet's. IPv4 inside IPv6 is not, in any form but
 * NAT64 of a public one (how an IPv6-only network reaches IPv4).
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !SPECIAL_IPV4.check(address, "ipv4");
  if (!isIPv6(address) || address.includes("%")) return false;
  if (NAT64.check(address, "ipv6")) return isPublicAddress(lastIpv4(address));
  return GLOBAL_IPV6.check(address, "ipv6") && !SPECIAL_IPV6.check(address, "ipv6");
}

/** What is wrong with an address of an HTTP API as a tenant wrote it; null when nothing is. */
export function baseUrlFault(text: string, options: GuardOptions): string | null {
  const url = URL.parse(text);
  if (url === null) return "must be a URL";
  if (url.protocol !== "https:" && !(options.allowPrivateAddresses && url.protocol === "http:")) {
    return "must begin with https://";
  }
  if (url.username !== "" || url.password !== "") return "must not hold credentials";
  if (url.search !== "" || url.hash !== "") return "must end with the path";
  return hostFault(url.hostname, options);
}

/** What is wrong with a mail server as a tenant wrote it; null when nothing is. */
export function smtpHostFault(host: string, options: GuardOptions): string | null {
  const canonical = canonicalHost(host);
  return canonical === null
    ? "must be a host name or an IP address"
    : hostFault(canonical, options);
}

/**
 * One spelling of a host: `0x7f000001`, `2130706433`, `0177.0.0.1` and `127.1` become `127.0.0.1`, as
 * a resolver would read them. Null when it is no host. IPv6 comes without brackets.
 */
export function canonicalHost(host: string): string | null {
  const bare = isIPv6(host) ? `[${host}]` : host;
  if (!/^(\[[\da-f:.]+\]|[\p{L}\p{N}\p{M}._-]+)$/iu.test(bare)) return null;
  const url = URL.parse(`https://${bare}/`);
  return url === null ? null : withoutBrackets(url.hostname);
}

/**
 * The addresses to connect to, checked: the caller connects to one of these, never to the name again,
 * so a name cannot change its answer in between.
 * @throws AddressRefused when none is public; what `resolve` throws.
 */
export async function checkedAddresses(
  hostname: string,
  options: GuardOptions,
): Promise<[ResolvedAddress, ...ResolvedAddress[]]> {
  const fault = hostFault(hostname, options);
  if (fault !== null) throw new AddressRefused(`the host ${fault}`);
  const host = withoutBrackets(hostname);
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  const resolve = options.resolve ?? systemResolve;
  const addresses = await resolve(host);
  const [first, ...others] = options.allowPrivateAddresses
    ? addresses
    : addresses.filter(({ address }) => isPublicAddress(address));
  if (first === undefined) throw new AddressRefused("the host has no public address");
  return [first, ...others];
}

/** `checkedAddresses` as the `lookup` option of `net.connect` and `tls.connect`. Not called for literals. */
export function guardedLookup(options: GuardOptions): LookupFunction {
  return (hostname, lookupOptions, callback) => {
    checkedAddresses(hostname, options).then(
      (addresses) => {
        if (lookupOptions.all === true) callback(null, addresses);
        else callback(null, addresses[0].address, addresses[0].family);
      },
      (error) => callback(error, []),
    );
  };
}

/** What is wrong with a host before it is resolved. */
export function hostFault(hostname: string, options: GuardOptions): string | null {
  if (options.allowPrivateAddresses) return null;
  const host = withoutBrackets(hostname);
  if (isIP(host) !== 0) return isPublicAddress(host) ? null : "must be a public address";
  const name = host.replace(/\.$/, "").toLowerCase();
  const publicName =
    name.includes(".") && !/\.(localhost|local|internal|lan|home\.arpa)$/.test(name);
  return publicName ? null : "must be a public host name";
}

async function systemResolve(hostname: string): Promise<ResolvedAddress[]> {
  return lookup(hostname, { all: true });
}

function withoutBrackets(host: string): string {
  return host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
}

function lastIpv4(address: string): string {
  const dotted = /:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  if (dotted !== undefined) return dotted;
  const canonical = withoutBrackets(new URL(`https://[${address}]/`).hostname);
  const [, tail = ""] = canonical.split("::");
  const groups = tail === "" ? [] : tail.split(":");
  const [high = 0, low = 0] = ["0", "0", ...groups]
    .slice(-2)
    .map((group) => Number.parseInt(group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

function blockList(family: "ipv4" | "ipv6", subnets: readonly [string, number][]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of subnets) list.addSubnet(address, prefix, family);
  return list;
}
