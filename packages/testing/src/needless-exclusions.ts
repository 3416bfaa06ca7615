/**
 * Returns the exclusions that match none of the items. A test with exclusions asserts that there are none, so that an
 * exclusion is deleted when it is no longer needed. A string matches only an equal item.
 */
export function needlessExclusions(
  exclusions: readonly (string | RegExp)[],
  items: readonly string[],
): (string | RegExp)[] {
  return exclusions.filter((one) =>
    typeof one === "string" ? !items.includes(one) : !items.some((item) => one.test(item)),
  );
}
