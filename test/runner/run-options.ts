/** The options of the command line; CONTRIBUTING.md explains them. */
export interface RunOptions {
  /** Test files. */
  files: string[];
  /** Options that are passed on to Node, such as `--test-update-snapshots`. */
  nodeOptions: string[];
  quick: boolean;
  /** Run only tests that reach files changed since this commit. */
  changed?: string;
  /** Run only tests whose name contains this text. */
  name?: string;
  keepServers: boolean;
  stopServers: boolean;
  /** Wait for a debugger at this port; 0 means any free port. */
  inspect?: number;
  /** Only print the test files. */
  list: boolean;
}

const DEFAULT_COMMIT = "main";
const DEFAULT_INSPECT_PORT = 9229;

/** Throws an error that names the rule if the options contradict each other. */
export function readOptions(args: readonly string[]): RunOptions {
  const options: RunOptions = {
    files: [],
    nodeOptions: [],
    quick: false,
    keepServers: false,
    stopServers: false,
    list: false,
  };
  const rest = [...args];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [option = "", value] = word.split(/=(.*)/s);
    if (option === "--quick") options.quick = true;
    else if (option === "--keep-servers") options.keepServers = true;
    else if (option === "--stop-servers") options.stopServers = true;
    else if (option === "--list") options.list = true;
    else if (option === "--inspect") options.inspect = Number(value ?? DEFAULT_INSPECT_PORT);
    else if (option === "--name") options.name = value ?? rest.shift() ?? "";
    else if (option === "--changed") {
      const isCommit = rest[0] !== undefined && !/^-|\.ts$/.test(rest[0]);
      options.changed = value ?? (isCommit ? rest.shift()! : DEFAULT_COMMIT);
    } else if (word.startsWith("-")) options.nodeOptions.push(word);
    else options.files.push(word);
  }
  refuse(options);
  return options;
}

function refuse({ files, quick, changed, name, inspect }: RunOptions): void {
  const chosen = [files.length > 0, quick, changed !== undefined].filter(Boolean);
  if (chosen.length > 1) throw new Error("choose one of --quick, --changed and test files");
  if (name === "") throw new Error("--name needs a part of a test's name");
  if (inspect !== undefined && files.length !== 1) throw new Error("--inspect needs one test file");
}
