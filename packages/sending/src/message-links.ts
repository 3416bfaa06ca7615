import { linkAddress, parsePublicUrl } from "@belfry/contracts/message-links";
import type { ListHeaders } from "@belfry/contracts/sending";
import { type Link, type LinkKeys, parseLinkKeys, sealLink } from "@belfry/database/link-token";
import { listHeadersFault } from "@belfry/providers/message-form";

/** Whom a message is for, and of which category it is (`*`: of none). */
export interface LinkedMessage {
  tenantId: string;
  userId: string;
  category: string;
  channel: string;
}

/** What a message says of where its reader can turn it off. */
export interface MessageLinks {
  /** `$unsubscribe_url`: turns this category off on this channel; good for ever. */
  unsubscribeUrl(message: LinkedMessage): string;
  /** `$preferences_url`: all of the user's preferences, for 30 days from `now`. */
  preferencesUrl(message: LinkedMessage, now: Date): string;
  /**
   * What a mail's header fields are made of; undefined where its address would not fit into a line of a mail,
   * as with a user's id of some hundred letters that are no ASCII.
   */
  listHeaders(message: LinkedMessage, unsubscribeUrl: string): ListHeaders | undefined;
}

const DAY_MS = 86_400_000;
const PREFERENCES_DAYS = 30;

/** Undefined where there are no links: `PUBLIC_URL` or `LINK_KEYS` is not set. Throws for bad ones. */
export function messageLinks(config: {
  PUBLIC_URL: string;
  LINK_KEYS: string;
}): MessageLinks | undefined {
  if (config.PUBLIC_URL === "" || config.LINK_KEYS === "") return undefined;
  return linksAt(parsePublicUrl(config.PUBLIC_URL), parseLinkKeys(config.LINK_KEYS));
}

function linksAt(publicUrl: string, keys: LinkKeys): MessageLinks {
  const host = listHost(publicUrl);
  const link = ({ tenantId, userId, category, channel }: LinkedMessage): Link => {
    return { tenantId, userId, category, channel };
  };
  return {
    unsubscribeUrl: (message) =>
      linkAddress(publicUrl, "unsubscribe", sealLink(keys, "unsubscribe", link(message))),
    preferencesUrl(message, now) {
      const expiresAt = new Date(now.getTime() + PREFERENCES_DAYS * DAY_MS);
      // Of the user, not of one message: its page shows all.
      const token = sealLink(keys, "preferences", {
        ...link(message),
        category: "*",
        channel: "*",
        expiresAt,
      });
      return linkAddress(publicUrl, "preferences", token);
    },
    listHeaders({ tenantId, category }, unsubscribeUrl) {
      const listId = `${listLabel(category)}.${tenantId}.${host}`;
      const headers = { listUnsubscribe: unsubscribeUrl, listId };
      return listHeadersFault(headers) === null ? headers : undefined;
    },
  };
}

/** A category's key may have dots at places where a list's name may not. */
function listLabel(category: string): string {
  if (category === "*") return "all";
  return category.replaceAll(/\.+/g, ".").replace(/\.$/, "");
}

/** An address of the version 6 of IP is no name. */
function listHost(publicUrl: string): string {
  const { hostname } = new URL(publicUrl);
  return hostname.startsWith("[") ? "localhost" : hostname.replace(/\.$/, "");
}
