import type {
  Content,
  OpenApiDocument,
  OperationObject,
  ResponseObject,
} from "@belfry/contracts/openapi-document";
import type { Parameter } from "@belfry/contracts/openapi-headers";
import type { JsonSchema } from "@belfry/contracts/openapi-schemas";

export const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 0 auto; padding: 1rem; }
nav ul { list-style: none; padding: 0; }
section { border-top: 1px solid var(--line); margin-top: 2rem; }
code { overflow-wrap: anywhere; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.875em; }
pre { background: var(--soft); padding: 0.75rem; overflow-x: auto; border-radius: 4px; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.75rem 0.35rem 0; border-bottom: 1px solid var(--line); }
details { margin: 0.5rem 0; }
summary { cursor: pointer; }
.method { text-transform: uppercase; font-weight: 700; }
`;

/** The document as one page of plain HTML: no script, nothing from elsewhere. */
export function docsPage(document: OpenApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const entries = operations.map(
    ({ operation, method, path }) =>
      `<li><a href="#${operation.operationId}">${text(operation.summary)}</a> <code>${method.toUpperCase()} ${text(path)}</code></li>`,
  );
  const sections = operations.map(({ path, method, operation }) =>
    operationSection(document, path, method, operation),
  );
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) =>
    schemaSection(name, schema),
  );
  const { info } = document;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(info.title)} API</title>
<style>${STYLE}</style>
</head>
<body>
<header><h1>${text(info.title)} API, version ${text(info.version)}</h1>
<p>${text(info.description)}</p>
<p>Every endpoint but these pages takes your API key in the header <code>x-api-key</code>. The same for machines: <a href="openapi.json">openapi.json</a>.</p></header>
<nav aria-label="Endpoints"><ul>${entries.join("")}</ul></nav>
<main>${sections.join("\n")}
<section id="schemas"><h2>Schemas</h2>${schemas.join("\n")}</section></main>
</body>
</html>
`;
}

function operationSection(
  document: OpenApiDocument,
  path: string,
  method: string,
  operation: OperationObject,
): string {
  const parameters = operation.parameters.map(({ $ref }) => resolve(document, $ref) as Parameter);
  return `<section id="${operation.operationId}"><h2>${text(operation.summary)}</h2>
<p><code><span class="method">${method}</span> ${text(path)}</code>${operation.security.length > 0 ? " · needs <code>x-api-key</code>" : ""}</p>
<p>${text(operation.description)}</p>
${table(
  ["Parameter", "In", "Rules", "Meaning"],
  parameters.map((one) => [
    `<code>${text(one.name)}</code>${one.required ? " (required)" : ""}`,
    one.in,
    rules(one.schema),
    `${text(one.description)}. For example <code>${text(String(one.example))}</code>`,
  ]),
)}
${operation.requestBody === undefined ? "" : `<h3>Request body</h3>${content(operation.requestBody.content)}`}
<h3>Answers</h3>
${Object.entries(operation.responses)
  .map(([status, response]) => answer(document, status, response))
  .join("\n")}
</section>`;
}

function answer(document: OpenApiDocument, status: string, response: ResponseObject): string {
  const headers = Object.entries(response.headers).map(([name, { $ref }]) => {
    const header = resolve(document, $ref) as Parameter;
    return [
      `<code>${text(name)}</code>`,
      `${text(header.description)}. For example <code>${text(String(header.example))}</code>`,
    ];
  });
  return `<details${status === "200" ? " open" : ""}><summary>${status} ${text(response.description)}</summary>
${content(response.content)}${table(["Header", "Meaning"], headers)}</details>`;
}

function content(types: Content): string {
  return Object.entries(types)
    .map(([type, { schema, examples = {} }]) => {
      const shown = Object.values(examples).map(
        ({ value }) => `<pre tabindex="0">${text(JSON.stringify(value, null, 2))}</pre>`,
      );
      return `<p><code>${text(type)}</code>${schema === undefined ? "" : `: ${rules(schema)}`}</p>${shown.join("")}`;
    })
    .join("");
}

function schemaSection(name: string, schema: JsonSchema): string {
  const description =
    typeof schema.description === "string" ? `<p>${text(schema.description)}</p>` : "";
  return `<h3 id="schema-${text(name)}">${text(name)}</h3>${description}${table(["Field", "Rules", "Meaning"], fieldRows(schema, ""))}`;
}

/** A row a field; fields of objects within by their path. */
function fieldRows(schema: JsonSchema, prefix: string): string[][] {
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>;
  const required = new Set((schema.required ?? []) as string[]);
  return Object.entries(properties).flatMap(([name, field]) => {
    const inner = (field.items ?? field) as JsonSchema;
    const row = [
      `<code>${text(prefix + name)}</code>${required.has(name) ? " (required)" : ""}`,
      rules(field),
      text(String(field.description ?? inner.description ?? "")),
    ];
    return [row, ...fieldRows(inner, `${prefix}${name}${field.items === undefined ? "." : "[]."}`)];
  });
}

/** The keywords of a schema in one line. */
function rules(schema: JsonSchema): string {
  if (typeof schema.$ref === "string") {
    const name = text(schema.$ref.split("/").at(-1) ?? "");
    return `<a href="#schema-${name}">${name}</a>`;
  }
  const words: string[] = [];
  if (Array.isArray(schema.anyOf)) words.push(schema.anyOf.map(rules).join(" or "));
  else if (schema.type !== undefined) words.push(text([schema.type].flat().join(" or ")));
  if (Array.isArray(schema.enum))
    words.push(text(schema.enum.filter((v) => v !== null).join(", ")));
  if (schema.const !== undefined) words.push(`always ${text(JSON.stringify(schema.const))}`);
  if (schema.items !== undefined) words.push(`of ${rules(schema.items as JsonSchema)}`);
  if (typeof schema.format === "string") words.push(text(schema.format));
  const bounds: [string, string][] = [
    ["minLength", "at least $ characters"],
    ["maxLength", "at most $ characters"],
    ["maxItems", "at most $ items"],
    ["minimum", "from $"],
    ["maximum", "to $"],
    ["default", "default $"],
  ];
  for (const [keyword, form] of bounds) {
    if (schema[keyword] !== undefined) words.push(form.replace("$", text(String(schema[keyword]))));
  }
  if (typeof schema.pattern === "string") words.push(`<code>${text(schema.pattern)}</code>`);
  return words.join(", ");
}

function table(heads: string[], rows: string[][]): string {
  if (rows.length === 0) return "";
  const head = heads.map((one) => `<th scope="col">${one}</th>`).join("");
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join("")}</tr>`);
  return `<div class="table" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${body.join("")}</tbody></table></div>`;
}

function resolve(document: OpenApiDocument, ref: string): unknown {
  const [, ...path] = ref.split("/");
  return path.reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], document);
}

function text(value: string): string {
  return value
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
