import { readFile } from "node:fs/promises";

/** One instruction of a Dockerfile with continued lines joined. */
interface Instruction {
  line: number;
  name: string;
  text: string;
}

export interface Stage {
  from: string;
  name: string | undefined;
  instructions: Instruction[];
}

/** Reads a Dockerfile into its stages; comments are left out. */
export async function readDockerfile(path: string): Promise<Stage[]> {
  return parseDockerfile(await readFile(path, "utf8"));
}

/** `FROM ${NAME}` is read with the default of the `ARG NAME` before the first stage. */
export function parseDockerfile(source: string): Stage[] {
  const stages: Stage[] = [];
  const defaults: Record<string, string> = {};
  let held: Instruction | undefined;
  for (const [at, raw] of source.split("\n").entries()) {
    const text = raw.trim();
    if (text === "" || text.startsWith("#")) continue;
    const piece = text.replace(/\\$/, "").trim();
    if (held !== undefined) held.text += ` ${piece}`;
    else {
      const [name = "", ...rest] = piece.split(/\s+/);
      held = { line: at + 1, name: name.toUpperCase(), text: rest.join(" ") };
    }
    if (text.endsWith("\\")) continue;
    if (held.name === "FROM") {
      const [, from = "", name] = /^(\S+)(?:\s+AS\s+(\S+))?$/i.exec(held.text) ?? [];
      const image = from.replace(/^\$\{(\w+)\}$/, (whole, one) => defaults[one] ?? whole);
      stages.push({ from: image, name, instructions: [] });
    } else if (held.name === "ARG" && stages.length === 0) {
      const [argument = "", value = ""] = held.text.split("=");
      defaults[argument] = value;
    } else {
      stages.at(-1)?.instructions.push(held);
    }
    held = undefined;
  }
  return stages;
}

/** Lints a Dockerfile by our rules; returns the faults as sentences. */
export function dockerfileFaults(stages: readonly Stage[]): string[] {
  const faults: string[] = [];
  const names = new Set(stages.map((stage) => stage.name));
  for (const { from, instructions } of stages) {
    if (
      from !== "scratch" &&
      !names.has(from) &&
      !/:\d+\.\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/.test(from)
    ) {
      faults.push(`FROM ${from}: not pinned to a full version and its digest`);
    }
    for (const { line, name, text } of instructions) {
      const complain = (what: string) => faults.push(`line ${line}: ${what}`);
      if (name === "ADD") complain("COPY copies; ADD also unpacks and downloads");
      if (name === "MAINTAINER") complain("MAINTAINER is gone");
      if (name === "WORKDIR" && !text.startsWith("/")) complain("WORKDIR must be absolute");
      if (/\b(ARG|ENV)\b/.test(name) && /(SECRET|PASSWORD|TOKEN|KEYS?)\w*=\S/.test(text)) {
        complain("a secret would stay in the image");
      }
      if (name === "RUN" && /apt-get install/.test(text)) {
        if (!/apt-get update.*&&/.test(text)) complain("apt-get update belongs to the same RUN");
        if (!/install -y --no-install-recommends/.test(text)) complain("only what is needed");
        if (!/rm -rf \/var\/lib\/apt\/lists/.test(text)) complain("the package lists stay behind");
      }
      if (name === "RUN" && /pnpm@\S+ install/.test(text) && !/--frozen-lockfile/.test(text)) {
        complain("without --frozen-lockfile another version may come in");
      }
      if (name === "RUN" && /\bsudo\b|chmod (-R )?777/.test(text)) complain("more rights than due");
      if (name === "HEALTHCHECK") complain("health is the orchestrator's, on the management port");
    }
  }
  return [...faults, ...finalStageFaults(stages.at(-1))];
}

function finalStageFaults(stage: Stage | undefined): string[] {
  const faults: string[] = [];
  const all = (name: string) => stage?.instructions.filter((one) => one.name === name) ?? [];
  const user = all("USER").at(-1)?.text ?? "root";
  if (!/^[1-9]\d{2,}:[1-9]\d{2,}$/.test(user)) {
    faults.push(
      `USER ${user}: must be the number of an ordinary user (runAsNonRoot reads numbers)`,
    );
  }
  const entries = [...all("ENTRYPOINT"), ...all("CMD")];
  if (entries.length === 0) faults.push("no ENTRYPOINT");
  for (const { name, text } of entries) {
    if (!text.startsWith("[")) faults.push(`${name}: the shell form swallows signals`);
    if (/\bnode\b/.test(text) && !/--max-semi-space-size=\d+/.test(text)) {
      faults.push(`${name}: the nursery's size is left to the memory limit`);
    }
  }
  for (const { text } of all("COPY")) {
    if (/--chown/.test(text)) faults.push(`COPY ${text}: the service could change its own code`);
    if (!/--from=/.test(text))
      faults.push(`COPY ${text}: the last stage copies from the first only`);
  }
  return faults;
}
