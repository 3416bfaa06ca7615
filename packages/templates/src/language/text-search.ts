/** Whether one text stands in another, in time that grows with their lengths alone. */

/** Up to here the engine's own search is bounded well enough; beyond it multiplies the two lengths. */
const SHORT = 32;

export function isFoundIn(text: string, sought: string): boolean {
  if (sought.length <= SHORT) return text.includes(sought);
  if (sought.length > text.length) return false;
  // Knuth, Morris, Pratt: `back` says how much of what was found is a beginning once more.
  const back = new Int32Array(sought.length);
  for (let at = 1, length = 0; at < sought.length; at++) {
    const code = sought.charCodeAt(at);
    while (length > 0 && sought.charCodeAt(length) !== code) length = back[length - 1] ?? 0;
    if (sought.charCodeAt(length) === code) length++;
    back[at] = length;
  }
  for (let at = 0, length = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (length > 0 && sought.charCodeAt(length) !== code) length = back[length - 1] ?? 0;
    if (sought.charCodeAt(length) === code && ++length === sought.length) return true;
  }
  return false;
}
