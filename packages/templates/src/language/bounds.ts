/** Limits of templates and of rendered messages. */

/** Template source, each field. */
export const MAX_SOURCE_BYTES = 256 * 1024;

/** Tags in one field: keeps checking and preparing a template linear in practice. */
export const MAX_TAGS = 10_000;

/** A tag's name. */
export const MAX_NAME_CHARACTERS = 255;

/** A tag with its filters or its condition. */
export const MAX_TAG_CHARACTERS = 1_000;

/** Depth of nested blocks. */
export const MAX_BLOCK_DEPTH = 8;

/** A line of a mail: RFC 5322, section 2.1.1. Bounds the subject, as source and as rendered. */
export const MAX_SUBJECT_CHARACTERS = 998;

/** Each of the two parts (HTML, text) of a rendered mail, as UTF-8. */
export const MAX_EMAIL_BYTES = 512 * 1024;

/**
 * Compiled HTML with words of at most 20 characters in place of its tags. Longer HTML is either too large with all
 * tags empty, or has too many tags.
 */
export const MAX_COMPILED_CHARACTERS = MAX_EMAIL_BYTES + 20 * MAX_TAGS;

/** Rendered push; a character is a Unicode code point. */
export const MAX_PUSH_TITLE_CHARACTERS = 256;
export const MAX_PUSH_BODY_CHARACTERS = 4096;

/** The link and the buttons of a push. A link or button beyond these limits is left out. */
export const MAX_PUSH_ACTIONS = 2;
export const MAX_PUSH_LABEL_CHARACTERS = 40;
export const MAX_PUSH_ADDRESS_CHARACTERS = 2048;

export const MAX_SMS_SEGMENTS = 10;

/** A rendered JSON body: the two parts of the largest mail, each character of them as an escape of two. */
export const MAX_JSON_BYTES = 4 * MAX_EMAIL_BYTES;

/** The same bound as MAX_RENDER_WORK_CHARACTERS for a JSON body, which reads each part of a mail at most twice. */
export const MAX_JSON_WORK_CHARACTERS = 8 * MAX_EMAIL_BYTES;

/**
 * Characters of values that rendering one message may read. Each text reads a value once to clean it, and each
 * place that encodes the value reads it once more. The largest mail reads 1.75 Mi: 256 KiB of variables in three
 * texts, and twice 512 Ki that are written. Only values that are read and left out, as refused addresses are, cost
 * more than they write. Measured on one core: 22 ms if every character is dropped, 34 ms if the rest of the mail is
 * filled with the most expensive characters to encode.
 */
export const MAX_RENDER_WORK_CHARACTERS = 2 * 1024 * 1024;

/**
 * Steps that rendering one message may take: a value with the text behind it, a block, a turn of a loop, a
 * comparison and a dot of a name are one each, a filter one for each 64 characters that it reads or writes,
 * a date or a number 50.
 */
export const MAX_RENDER_STEPS = 100_000;

/** Warnings about values that could not be written as the template says. */
export const MAX_WARNINGS = 20;

/** A longer value is not written as an address: it is replaced like one with a forbidden scheme. */
export const MAX_URL_CHARACTERS = 8192;

/** Left-out addresses of one mail that the timeline names, and the characters of each tag that it shows. */
export const MAX_LINKS_TOLD = 20;
export const MAX_TOLD_TAG_CHARACTERS = 100;

/** A longer value in a style is left out. */
export const MAX_STYLE_VALUE_CHARACTERS = 200;

/** Time for compiling one document, after the compiler has been loaded. */
export const COMPILE_TIMEOUT_MS = 5_000;

/** Time for starting the compiler's thread and loading its libraries. */
export const COMPILER_START_TIMEOUT_MS = 30_000;

/** Compiler threads of one process. An owner of templates has one of them at most. */
export const COMPILER_THREADS = 2;

/** Documents that wait for a compiler, each up to 256 KiB. Further ones are refused with "try again". */
export const MAX_WAITING_COMPILES_OF_OWNER = 4;
export const MAX_WAITING_COMPILES = 64;

/** An unused compiler thread ends after this time, which frees its memory. */
export const COMPILER_IDLE_MS = 60_000;

/** A template with more faults than this reports the first ones. */
export const MAX_FAULTS = 50;
