// biome-ignore lint/style/noProcessEnv: set by a whole run
const { NODE_COMPILE_CACHE, BUNDLED_LIBRARIES } = process.env;

/**
 * Variables for a program of ours that a test starts, with `NODE_OPTIONS` of its own: half of what a start costs is
 * compiling modules and finding those of libraries, which a whole run has done once for all.
 */
export function quickStart(nodeOptions?: string): Record<string, string> {
  const bundled = BUNDLED_LIBRARIES && `--import=${BUNDLED_LIBRARIES}`;
  const options = [bundled, nodeOptions].filter(Boolean).join(" ");
  return {
    ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
    ...(options !== "" && { NODE_OPTIONS: options }),
  };
}
