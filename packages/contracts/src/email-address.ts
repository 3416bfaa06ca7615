import { domainToASCII } from "node:url";

/** RFC 5321 lengths of the local part, the domain and the whole path. */
const MAX_LOCAL = 64;
export const MAX_ADDRESS = 254;

/** The dot-atom form of ajv-formats 3 (`email`): no quoted parts, no comments, no lists, no names. */
const ADDRESS =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i;

/**
 * The address in the form that mail servers take (an international domain in its ASCII form), or
 * undefined when it is not one plain address. Nothing that could start a header or a second
 * recipient passes.
 */
export function emailAddress(text: string): string | undefined {
  if (text.length > MAX_ADDRESS) return undefined;
  const at = text.lastIndexOf("@");
  if (at < 1 || at > MAX_LOCAL) return undefined;
  // Only for what is not ASCII: domainToASCII also forgives spaces, ports and percent signs.
  const address = /[^\u0000-\u007f]/.test(text.slice(at + 1))
    ? `${text.slice(0, at)}@${domainToASCII(text.slice(at + 1))}`
    : text;
  return address.length <= MAX_ADDRESS && ADDRESS.test(address) ? address : undefined;
}
