/** The metrics of a process: label names by metric name. */
export type Scrape = Map<string, Set<string>>;

/** Parses the text of `/metrics`. Histograms are listed by the names of their series. */
export function readScrape(text: string, into: Scrape = new Map()): Scrape {
  const types = new Map<string, string>();
  for (const line of text.split("\n")) {
    const [, name = "", type = ""] = /^# TYPE (\S+) (\S+)/.exec(line) ?? [];
    if (name === "") continue;
    types.set(name, type);
    const suffixes = type === "histogram" ? ["_bucket", "_count", "_sum"] : [""];
    for (const suffix of suffixes) into.set(name + suffix, into.get(name + suffix) ?? new Set());
  }
  for (const line of text.split("\n")) {
    const [, name = "", labels = ""] = /^([a-zA-Z_]\w*)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    for (const [, label = ""] of labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) {
      into.get(name)?.add(label);
    }
  }
  return into;
}

/** The metrics in a PromQL expression with the labels that it uses. */
export function metricsOf(expression: string): { name: string; labels: string[] }[] {
  const found = [...expression.matchAll(/\b([a-z]\w*_\w+|up)\b(?!\s*\()(?:\{([^}]*)\})?/g)];
  const withoutStrings = expression.replaceAll(/"[^"]*"/g, '""');
  const grouped = [...withoutStrings.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = ""]) =>
    list.split(",").map((label) => label.trim()),
  );
  return found
    .filter(([, name = ""]) => withoutStrings.includes(name) && !name.startsWith("__"))
    .map(([, name = "", selector = ""]) => ({
      name,
      labels: [
        ...[...selector.matchAll(/(\w+)\s*(?:=|!|~)/g)].map(([, label = ""]) => label),
        ...grouped,
      ],
    }))
    .filter(({ name }) => !["histogram_quantile", "rate_interval"].includes(name));
}
