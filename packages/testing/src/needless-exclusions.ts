/**
 * Returns the exclusions that match none of the items. A test that leaves something out asserts that there are none, so
 * that an exclusion ends with what it was made for. A text matches the item that equals it.
 */
export function needlessExclusions(
  exclusions: readonly (string | RegExp)[],
  items: readonly string[],
): (string | RegExp)[] {
  return exclusions.filter((one) =>
    typeof one === "string" ? !items.includes(one) : !items.some((item) => one.test(item)),
  );
}
