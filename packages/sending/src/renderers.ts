import { createAskedBatcher } from "@belfry/service/batcher";
import { createRenderer, type Renderer, rendererBytes } from "@belfry/templates/render";
import type { CompiledTemplate } from "@belfry/templates/source";
import { LRUCache } from "lru-cache";
import type pg from "pg";

export interface Renderers {
  /** The renderer of a template version; undefined when the version is gone. */
  of(templateVersionId: string): Promise<Renderer | undefined>;
  /** The configuration changed: templates are read again with what is set of them. */
  forget(): void;
}

/** A thousand usual mails; of the largest templates that there can be, ten. */
const MAX_BYTES = 64 * 1024 * 1024;

interface Row {
  id: string;
  compiled: CompiledTemplate;
  plain_characters: boolean;
}

interface Loaded {
  renderer: Renderer;
  bytes: number;
}

/** A version never changes: its renderer is kept while there is room, and what is set of its template until `forget`. */
export function createRenderers(pool: pg.Pool, maxBytes = MAX_BYTES): Renderers {
  const load = createAskedBatcher<string, Loaded | undefined>({
    maxItems: 100,
    maxInFlight: 2,
    lingerMs: 0,
    run: (ids) => loadRenderers(pool, ids),
  });
  const createCache = () =>
    new LRUCache<string, Loaded>({
      maxSize: maxBytes,
      sizeCalculation: ({ bytes }) => bytes,
      fetchMethod: (id) => load(id),
      // What has to make room while it is read still serves who waits for it.
      ignoreFetchAbort: true,
    });
  let cache = createCache();
  return {
    of: async (id) => (cache.get(id) ?? (await cache.fetch(id)))?.renderer,
    forget() {
      // A new one: a read under way fills the old one.
      cache = createCache();
    },
  };
}

async function loadRenderers(pool: pg.Pool, ids: string[]): Promise<(Loaded | undefined)[]> {
  const { rows } = await pool.query<Row>({
    name: "compiled_templates",
    text: `select v.id, v.compiled, t.plain_characters
      from template_versions v join templates t on t.id = v.template_id where v.id = any ($1::bigint[])`,
    values: [ids],
  });
  const byId = new Map(
    rows.map((row) => [row.id, { renderer: rendererOf(row), bytes: rendererBytes(row.compiled) }]),
  );
  return ids.map((id) => byId.get(id));
}

function rendererOf({ compiled, plain_characters: plainCharacters }: Row): Renderer {
  const renderer = createRenderer(compiled);
  if (!plainCharacters) return renderer;
  return (variables, settings) => renderer(variables, { ...settings, plainCharacters });
}
