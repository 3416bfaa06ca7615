import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/**
 * A shell script that runs our server so that the server cannot outlive us. It reads a pipe whose other end only we
 * have open. Each line is the name of a signal for the server. When we end, even by SIGKILL, the pipe closes, and the
 * script stops the server. The script has its own process group, so that Ctrl-C in the terminal does not reach the
 * server: we stop the server ourselves, after its clients.
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
  /** Resolves when the process has ended for any reason; never rejects. */
  exited: Promise<{ code: number | null }>;
  /** Asks the process to end and waits for the end. Kills the process after `graceMs`. */
  stop(graceMs?: number): Promise<void>;
  /** Kills the process with SIGKILL, as in a crash, and waits for the end. */
  kill(): Promise<void>;
}

export interface GuardedProcessOptions {
  command: string;
  args: string[];
  env: Record<string, string>;
  stopSignal: "TERM" | "INT";
  /** Runs the process as this user; only root can do that. */
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
  // The script may already have ended.
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
      // If only the guard was killed, the server still runs in the guard's process group.
      signalGroup(child, `SIG${options.stopSignal}`);
      resolve({ code });
    });
  });
  // The guard forwards the signal, and reaps the server: a zombie would still hold the server's lock files.
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
    // The group has no process left.
  }
}
