/** Files that only tests run, by repository-relative path. No image has them, and no shipped file imports them. */
export const TEST_CODE =
  /\.(?:test|bench)\.ts$|^packages\/testing\/|^packages\/[^/]+\/scripts\/|^test\/|\/test\/|(?:^|[/-])under-test\.ts$|\/test-[^/]*$/;
