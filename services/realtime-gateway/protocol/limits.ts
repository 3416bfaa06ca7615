import {
  MAX_PUSH_ACTIONS,
  MAX_PUSH_ADDRESS_CHARACTERS,
  MAX_PUSH_BODY_CHARACTERS,
  MAX_PUSH_LABEL_CHARACTERS,
  MAX_PUSH_TITLE_CHARACTERS,
} from "@belfry/contracts/bounds";
import { MAX_CATEGORIES, PREFERENCE_CHANNELS } from "@belfry/contracts/preferences";

/** What one session keeps to. Sources: the protocol's reference server and the issue on the gateway. */
export interface SessionLimits {
  connectTimeoutMs: number;
  pingIntervalMs: number;
  pongTimeoutMs: number;
  maxChannels: number;
  maxChannelBytes: number;
  maxConnectionsPerUser: number;
  commandsPerSecond: number;
  commandBurst: number;
}

/** How long after a token's end a connection stays, for a refresh that is under way. */
export const EXPIRY_GRACE_MS = 25_000;
/** More missed than this is not recovered: the page reloads its state. */
export const MAX_RECOVERED = 300;
/** The longest page of the history command. */
export const MAX_HISTORY_PAGE = 300;
/** Subscribes of one connection that are worked on at once. */
export const MAX_CONCURRENT_SUBSCRIBES = 16;
/** What a command holds beside its text, until it is done. */
export const COMMAND_BYTES = 512;
/** What a client that has left had changed, done all the same: a page that leads on marks one item or a few. */
export const MAX_LEFT_CHANGES = 4;
/** A connection that has this much to read yet is asked to read before its next command is run. */
export const READ_FIRST_BYTES = 256 * 1024;
const TEXT_CHARACTERS =
  MAX_PUSH_TITLE_CHARACTERS +
  MAX_PUSH_BODY_CHARACTERS +
  MAX_PUSH_ACTIONS * MAX_PUSH_LABEL_CHARACTERS;
/** In ASCII. */
const ADDRESS_BYTES = (1 + MAX_PUSH_ACTIONS) * MAX_PUSH_ADDRESS_CHARACTERS;
/** What a publication or an item of the inbox may come to as JSON: its texts in letters of four bytes. */
export const ITEM_BYTES = 4 * TEXT_CHARACTERS + ADDRESS_BYTES + 2048;
/** What a user's preferences and the tenant's categories may come to as JSON, without the categories' texts. */
export const PREFERENCE_CELLS_BYTES = 256 * (MAX_CATEGORIES + 1) * (1 + PREFERENCE_CHANNELS.length);
/** A page changes a row of switches at a time; each cell is a row that is written. */
export const MAX_PREFERENCES_OF_CALL = 64;
/** Large answers that are read from Postgres at a time, for all connections. */
export const MAX_READING_BYTES = 16 * 1024 * 1024;
/** What is held back of a channel until it can be delivered in order; the rest is read from Postgres. */
export const MAX_HELD_BACK_BYTES = 64 * 1024;
/** How long a hole in a channel's offsets is waited for before it is filled from Postgres. */
export const GAP_WAIT_MS = 200;
/** After a failed read of Postgres. */
export const GAP_RETRY_MS = 1_000;
