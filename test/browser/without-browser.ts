// biome-ignore lint/style/noProcessEnv: how a machine without a browser says so
const { BELFRY_WITHOUT_BROWSER } = process.env;

/** Why tests in a browser are skipped, if they are. */
export const skip = BELFRY_WITHOUT_BROWSER === "1" && "BELFRY_WITHOUT_BROWSER=1";
