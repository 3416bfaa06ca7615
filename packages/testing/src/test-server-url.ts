/** The URL of a server that `test/run.ts` started for this run. */
export function testServerUrl(variable: "TEST_DATABASE_URL" | "TEST_NATS_URL"): string {
  // biome-ignore lint/style/noProcessEnv: how the runner hands its servers to the test processes
  const url = process.env[variable];
  if (url === undefined || url === "") {
    throw new Error(
      `${variable} is not set: run tests by \`pnpm test [files]\`, which starts the servers`,
    );
  }
  return url;
}
