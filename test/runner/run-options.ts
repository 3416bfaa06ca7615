/** What the command line asks for; see CONTRIBUTING.md. */
export interface RunOptions {
  /** Test files and options of Node's own, as `--test-update-snapshots`. */
  files: string[];
  nodeOptions: string[];
  quick: boolean;
  /** The commit whose differences are tested. */
  changed?: string;
  /** A part of the names of the tests to run. */
  name?: string;
  keepServers: boolean;
  stopServers: boolean;
  /** The port at which a debugger is waited for; 0: any that is free. */
  inspect?: number;
  /** Print the test files and run nothing. */
  list: boolean;
}

const DEFAULT_COMMIT = "main";
const DEFAULT_INSPECT_PORT = 9229;

/** Throws an error with the rule for what cannot be run. */
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
