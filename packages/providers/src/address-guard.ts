import { lookup } from "node:dns/promises";
import { isIP, isIPv6, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";

export interface ResolvedAddress {
  address: string;
  family: number;
}

/** Resolves to all addresses of a name; rejects as `dns.lookup` does. */
export type Resolve = (hostname: string) => Promise<ResolvedAddress[]>;

export interface GuardOptions {
  allowPrivateAddresses: boolean;
  resolve?: Resolve;
}

/** The error for a host that a tenant may not make us connect to. */
export class AddressRefused extends Error {
  readonly code = "ADDRESS_REFUSED";
  constructor(fault: string) {
    super(fault);
    this.name = "AddressRefused";
  }
}

/** The ports of encrypted SMTP: from the start (465) or by STARTTLS (587, 2525). */
export const SMTP_PORTS: readonly number[] = [465, 587, 2525];

// Outside this range, ipaddr.js also counts unassigned addresses and obsolete forms of IPv4 as unicast.
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");
const NAT64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96");
/** Azure's host agent, on an address that counts as public. */
const AZURE_HOST_AGENT = "168.63.129.16";

/**
 * Returns whether an IP address is on the public internet. An IPv4 address inside IPv6 is not, except in NAT64 of a
 * public one, by which an IPv6-only network reaches IPv4.
 */
export function isPublicAddress(address: string): boolean {
  // ipaddr.js also reads `127.1` and zones, but no address that we connect to has such a form.
  if (isIP(address) === 0 || address.includes("%")) return false;
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv4) {
    return parsed.range() === "unicast" && address !== AZURE_HOST_AGENT;
  }
  if (parsed.match(NAT64)) return isPublicAddress(parsed.toByteArray().slice(-4).join("."));
  return parsed.match(GLOBAL_IPV6) && parsed.range() === "unicast";
}

/** Returns the fault of an HTTP API's base URL, as a tenant wrote it; null if there is none. Paths are added to it. */
export function baseUrlFault(text: string, options: GuardOptions): string | null {
  const { search = "", hash = "" } = URL.parse(text) ?? {};
  const isPath = search === "" && hash === "";
  return addressFault(text, options) ?? (isPath ? null : "must end with the path");
}

/** Returns the fault of a URL that is called as a tenant wrote it; null if there is none. */
export function addressFault(text: string, options: GuardOptions): string | null {
  const url = URL.parse(text);
  if (url === null) return "must be a URL";
  if (url.protocol !== "https:" && !(options.allowPrivateAddresses && url.protocol === "http:")) {
    return "must begin with https://";
  }
  if (url.username !== "" || url.password !== "") return "must not hold credentials";
  return hostFault(url.hostname, options);
}

/** Returns the fault of a mail server's host as a tenant wrote it; null if there is none. */
export function smtpHostFault(host: string, options: GuardOptions): string | null {
  const canonical = canonicalHost(host);
  return canonical === null
    ? "must be a host name or an IP address"
    : hostFault(canonical, options);
}

/**
 * Returns a host in one spelling: `0x7f000001`, `2130706433`, `0177.0.0.1` and `127.1` become `127.0.0.1`, as a
 * resolver would read them. Returns null if the text is no host. IPv6 has no brackets.
 */
export function canonicalHost(host: string): string | null {
  const bare = isIPv6(host) ? `[${host}]` : host;
  if (!/^(\[[\da-f:.]+\]|[\p{L}\p{N}\p{M}._-]+)$/iu.test(bare)) return null;
  const url = URL.parse(`https://${bare}/`);
  return url === null ? null : withoutBrackets(url.hostname);
}

/**
 * Returns the checked addresses of a host. The caller connects to one of them and never resolves the name again, so
 * that the name cannot get another address in between.
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

/** Returns `checkedAddresses` as the `lookup` option of `net.connect` and `tls.connect`. Not called for literals. */
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

/** Returns the fault of a host that is visible before it is resolved; null if there is none. */
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
