/** A part of a text that is left out whole when its first value is written as nothing. */
export interface Part {
  start: number;
  end: number;
}
