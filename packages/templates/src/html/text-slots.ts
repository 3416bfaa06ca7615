/** What the tags of a mail's text part become. */

import { MAX_URL_CHARACTERS } from "../bounds.ts";
import type { TextLink } from "../compiled-template.ts";
import type { Slot } from "../language/slot.ts";
import type { Tag } from "../language/tags.ts";
import { rangeFinder } from "./ranges.ts";
import { isParameter, parameterValue, urlRest, urlStart } from "./url-value.ts";

/** What leads nowhere in the HTML is no address here. */
const BEGINNING: Slot = {
  write: (value, { settings }) => {
    const address = urlStart(value, settings?.linkSchemes);
    return address === "#" ? "" : address;
  },
  longest: MAX_URL_CHARACTERS,
};
const INSIDE: Slot = { write: urlRest, longest: MAX_URL_CHARACTERS };
const PARAMETER: Slot = {
  write: (value) => parameterValue(urlRest(value)),
  longest: MAX_URL_CHARACTERS,
};

/** The slots of the tags inside addresses, by the rules of the HTML; other values stand as they are. */
export function textSlots(
  text: string,
  tags: readonly Tag[],
  links: readonly TextLink[],
): (Slot | undefined)[] {
  const linkAt = rangeFinder(links);
  let begun: TextLink | undefined;
  return tags.map((tag) => {
    const link = linkAt(tag.start);
    if (link === undefined) return undefined;
    if (link.settled || begun === link) return isParameter(text, tag) ? PARAMETER : INSIDE;
    begun = link;
    return BEGINNING;
  });
}
