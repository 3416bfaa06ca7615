import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * While `work` runs, the server on this port and all its processes stand still (SIGSTOP): connections
 * stay open and nothing answers. `program` is the server's name.
 */
export async function whileFrozen(
  program: "nats-server" | "postgres",
  marker: string,
  work: () => Promise<void>,
): Promise<void> {
  const { stdout } = await run("ps", ["-axww", "-o", "pid=,ppid=,args="]);
  const processes = stdout.split("\n").flatMap((line) => {
    const [, pid, parent, args] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return args === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), args }];
  });
  const server = processes.find(
    ({ args }) => args.split(" ")[0]!.endsWith(`/${program}`) && args.includes(marker),
  );
  if (server === undefined) throw new Error(`no process of ${program} with ${marker}`);
  const pids = processes
    .filter(({ pid, parent }) => pid === server.pid || parent === server.pid)
    .map(({ pid }) => pid);
  const signal = (name: NodeJS.Signals) => {
    for (const pid of pids) {
      try {
        process.kill(pid, name);
      } catch {
        // The process has ended meanwhile.
      }
    }
  };
  signal("SIGSTOP");
  try {
    await work();
  } finally {
    signal("SIGCONT");
  }
}
