import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/**
 * A server of our own that cannot outlive us. A small shell stands between: it reads a pipe that only
 * we hold open: each line is a signal for the server, and our end, even by SIGKILL, is the end of file
 * at which it stops the server. The group of its own keeps the terminal's Ctrl-C away: we stop the
 * server ourselves, after its users.
 */
const GUARD = `
exec 3<&0 </dev/null
stop_signal=$1; shift
"$@" 3<&- &
server=$!
{
  while read -r signal <&3; do kill -s "$signal" "$server"; done
  kill -s "$stop_signal" "$server"
} >/dev/null 2>&1 &
watcher=$!
exec 3<&-
trap 'kill -s "$stop_signal" "$server" 2>/dev/null' TERM INT HUP
wait "$server"; code=$?
while kill -0 "$server" 2>/dev/null; do wait "$server"; code=$?; done
kill "$watcher" 2>/dev/null
wait "$watcher" 2>/dev/null
exit "$code"
`;

export interface GuardedProcess {
  /** Settles when the process has ended, for whatever reason; never rejects. */
  exited: Promise<{ code: number | null }>;
  /** Asks the process to end and waits; after `graceMs` it is killed. */
  stop(graceMs?: number): Promise<void>;
  /** SIGKILL, as a crash would. */
  kill(): Promise<void>;
}

export interface GuardedProcessOptions {
  command: string;
  args: string[];
  env: Record<string, string>;
  stopSignal: "TERM" | "INT";
  /** Runs as this user; only root can ask for it. */
  user?: { uid: number; gid: number } | undefined;
  onLine: (line: string) => void;
}

export function startGuarded(options: GuardedProcessOptions): GuardedProcess {
  const child = spawn(
    "/bin/sh",
    ["-c", GUARD, "belfry-guard", options.stopSignal, options.command, ...options.args],
    {
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
      env: options.env,
      cwd: "/",
      ...(options.user ?? {}),
    },
  );
  // A reader that is already gone.
  child.stdin.on("error", () => undefined);
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", options.onLine);
  }
  const exited = new Promise<{ code: number | null }>((resolve) => {
    child.once("error", (error) => {
      options.onLine(error.message);
      resolve({ code: null });
    });
    child.once("exit", (code) => {
      // The guard alone may have been killed: its group still holds the server.
      signalGroup(child, `SIG${options.stopSignal}`);
      resolve({ code });
    });
  });
  // The guard passes the signal on and reaps the process: a zombie would still hold its lock files.
  const send = (signal: string) => {
    if (child.stdin.writable) child.stdin.write(`${signal}\n`);
  };
  return {
    exited,
    async stop(graceMs = 10_000) {
      send(options.stopSignal);
      const timer = setTimeout(send, graceMs, "KILL");
      await exited;
      clearTimeout(timer);
    },
    async kill() {
      send("KILL");
      await exited;
    },
  };
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // Nobody of the group is left.
  }
}
