/** Bounds that more than one service checks. Source: decisions on the trigger, unless said. */

export const MAX_BODY_BYTES = 256 * 1024;
export const MAX_NESTING = 64;
export const MAX_TEXT_CHARACTERS = 255;

/** Rendered sizes; above them the channel ends `failed: rendered content too large`. */
export const MAX_PUSH_TITLE_CHARACTERS = 256;
export const MAX_PUSH_BODY_CHARACTERS = 4096;
/** Where a push and its buttons lead, in ASCII, and what the buttons say; what is longer is left out. */
export const MAX_PUSH_ADDRESS_CHARACTERS = 2048;
export const MAX_PUSH_LABEL_CHARACTERS = 40;
export const MAX_PUSH_ACTIONS = 2;

export const REALTIME_TOKEN_SECONDS = 2 * 60 * 60;

export const DEFAULT_PER_MINUTE = 600;
export const DEFAULT_DAILY_CAP = 100_000;

export const HISTORY_DEFAULT_LIMIT = 50;
export const HISTORY_MAX_LIMIT = 1000;
/** What an integer of Postgres holds; a deep page costs a scan of all before it. */
export const HISTORY_MAX_OFFSET = 2 ** 31 - 1;

export const MAX_LIVE_API_KEYS = 10;
