import { createAskedBatcher } from "@belfry/service/batcher";
import type { CompiledTemplate } from "@belfry/templates/compiled-template";
import { createRenderer, type Renderer, rendererBytes } from "@belfry/templates/render";
import { LRUCache } from "lru-cache";
import type pg from "pg";

export interface Renderers {
  /** The renderer of a template version; undefined when the version is gone. */
  of(templateVersionId: string): Promise<Renderer | undefined>;
}

/** A thousand usual mails; of the largest templates that there can be, ten. */
const MAX_BYTES = 64 * 1024 * 1024;

interface Loaded {
  renderer: Renderer;
  bytes: number;
}

/** A version never changes: its renderer is made once, and kept while there is room. */
export function createRenderers(pool: pg.Pool, maxBytes = MAX_BYTES): Renderers {
  const load = createAskedBatcher<string, Loaded | undefined>({
    maxItems: 100,
    maxInFlight: 2,
    lingerMs: 0,
    run: (ids) => loadRenderers(pool, ids),
  });
  const cache = new LRUCache<string, Loaded>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }) => bytes,
    fetchMethod: (id) => load(id),
    // What has to make room while it is read still serves who waits for it.
    ignoreFetchAbort: true,
  });
  return { of: async (id) => (cache.get(id) ?? (await cache.fetch(id)))?.renderer };
}

async function loadRenderers(pool: pg.Pool, ids: string[]): Promise<(Loaded | undefined)[]> {
  const { rows } = await pool.query<{ id: string; compiled: CompiledTemplate }>({
    name: "compiled_templates",
    text: "select id, compiled from template_versions where id = any ($1::bigint[])",
    values: [ids],
  });
  const byId = new Map(
    rows.map(({ id, compiled }) => [
      id,
      { renderer: createRenderer(compiled), bytes: rendererBytes(compiled) },
    ]),
  );
  return ids.map((id) => byId.get(id));
}
