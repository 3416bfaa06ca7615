/**
 * Node's flags for a stack that shares somebody's machine. V8 lets the nursery of a process grow to three
 * times 16 MB and gives none of it back; at 4 MB the idle stack takes 550 MB in place of 640, and a loaded
 * one collects more often. The image, which is for what runs in earnest, sets 32.
 */
export const SMALL_HEAP = ["--max-semi-space-size=4"];
