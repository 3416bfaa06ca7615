// biome-ignore lint/style/noProcessEnv: set by a whole run
const { NODE_COMPILE_CACHE, BUNDLED_LIBRARIES } = process.env;

/**
 * Variables for a program of ours that a test starts: half of what a start costs is compiling modules and finding
 * those of libraries, which a whole run has done once for all.
 */
export function quickStart(): Record<string, string> {
  return {
    ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
    ...(BUNDLED_LIBRARIES !== undefined && { NODE_OPTIONS: `--import=${BUNDLED_LIBRARIES}` }),
  };
}
