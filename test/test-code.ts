/** Each form of a path of test code. */
export const TEST_CODE_FORMS: readonly RegExp[] = [
  /\.test\.ts$/,
  /\.bench\.ts$/,
  /^packages\/testing\//,
  /^test\//,
  /\/test\//,
];

/** Files that only tests run, by repository-relative path. No image has them, and no shipped file imports them. */
export const TEST_CODE = new RegExp(TEST_CODE_FORMS.map((form) => form.source).join("|"));
