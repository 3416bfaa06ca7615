import { registerHooks } from "node:module";

/**
 * Preloaded: writes the package of each module of OpenTelemetry's SDK that the process loads to standard error. Its API
 * is no part of it: prom-client loads that.
 */
registerHooks({
  load(url, context, next) {
    const [name] = /@opentelemetry\/(?!api\/)[\w-]+/.exec(url) ?? [];
    if (name !== undefined) process.stderr.write(`loads ${name}\n`);
    return next(url, context);
  },
});
