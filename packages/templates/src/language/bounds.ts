/** Bounds of templates and of what is made from them. Source: the decisions on templates and on rendered size. */

/** Template source, each field. */
export const MAX_SOURCE_BYTES = 256 * 1024;

/** Tags in one field: keeps checking and preparing a template linear in practice. */
export const MAX_TAGS = 10_000;

/** A tag's name. */
export const MAX_NAME_CHARACTERS = 255;

/** A tag with its filters or its condition. */
export const MAX_TAG_CHARACTERS = 1_000;

/** Blocks in blocks. */
export const MAX_BLOCK_DEPTH = 8;

/** A line of a mail: RFC 5322, section 2.1.1. Bounds the subject, as source and as rendered. */
export const MAX_SUBJECT_CHARACTERS = 998;

/** Each of the two parts (HTML, text) of a rendered mail, as UTF-8. */
export const MAX_EMAIL_BYTES = 512 * 1024;

/**
 * Compiled HTML that still has words for its tags, of at most 20 characters each: more than this is
 * either too large with all tags empty or has too many of them.
 */
export const MAX_COMPILED_CHARACTERS = MAX_EMAIL_BYTES + 20 * MAX_TAGS;

/** Rendered push; a character is a Unicode code point. */
export const MAX_PUSH_TITLE_CHARACTERS = 256;
export const MAX_PUSH_BODY_CHARACTERS = 4096;

/** Where a push leads and its buttons; those that pass these are left out of it. */
export const MAX_PUSH_ACTIONS = 2;
export const MAX_PUSH_LABEL_CHARACTERS = 40;
export const MAX_PUSH_ADDRESS_CHARACTERS = 2048;

export const MAX_SMS_SEGMENTS = 10;

/**
 * Characters of values that rendering one message may read: each value once a text, to clean it, and
 * once more in each place that encodes it. A mail at its largest reads 1.75 Mi: 256 KiB of variables in
 * three texts, and twice 512 Ki that are written. Only values that are read and left out again, as
 * refused addresses are, cost more than they write. Measured, of one core: 22 ms where each character
 * is dropped, 34 ms where the rest of the mail is filled with what is dearest to encode.
 */
export const MAX_RENDER_WORK_CHARACTERS = 2 * 1024 * 1024;

/**
 * Steps that rendering one message may take: a value with the text behind it, a block, a turn of a loop, a
 * comparison and a dot of a name are one each, a filter one for each 64 characters that it reads or writes,
 * a date or a number 50.
 */
export const MAX_RENDER_STEPS = 100_000;

/** What is told of values that could not be written as the template says. */
export const MAX_WARNINGS = 20;

/** A longer value is no address: it is replaced like one with a forbidden scheme. */
export const MAX_URL_CHARACTERS = 8192;

/** Addresses of one mail that are told in the timeline as left out, and how much of each tag. */
export const MAX_LINKS_TOLD = 20;
export const MAX_TOLD_TAG_CHARACTERS = 100;

/** A longer value in a style is left out. */
export const MAX_STYLE_VALUE_CHARACTERS = 200;

/** Time for compiling one document, after the compiler has been loaded. */
export const COMPILE_TIMEOUT_MS = 5_000;

/** Time for starting the compiler's thread and loading its libraries. */
export const COMPILER_START_TIMEOUT_MS = 30_000;

/** Threads that compile, in one process; an owner of templates has one of them at most. */
export const COMPILER_THREADS = 2;

/** Documents that wait to be compiled, each of up to 256 KiB. Whoever comes then is told to try again. */
export const MAX_WAITING_COMPILES_OF_OWNER = 4;
export const MAX_WAITING_COMPILES = 64;

/** An unused compiler's thread ends after this time and gives its memory back. */
export const COMPILER_IDLE_MS = 60_000;

/** A template with more faults than this reports the first ones. */
export const MAX_FAULTS = 50;
