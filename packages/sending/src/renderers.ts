import { createAskedBatcher } from "@belfry/service/batcher";
import type { CompiledTemplate } from "@belfry/templates/compiled-template";
import { createRenderer, type Renderer } from "@belfry/templates/render";
import { LRUCache } from "lru-cache";
import type pg from "pg";

export interface Renderers {
  /** The renderer of a template version; undefined when the version is gone. */
  of(templateVersionId: string): Promise<Renderer | undefined>;
}

/** A version never changes, so its renderer is made once; many versions are read in one query. */
export function createRenderers(pool: pg.Pool, maxCached = 2_000): Renderers {
  const load = createAskedBatcher<string, Renderer | undefined>({
    maxItems: 100,
    maxInFlight: 2,
    lingerMs: 0,
    isItemFault: () => false,
    run: (ids) => loadRenderers(pool, ids),
  });
  const cache = new LRUCache<string, Renderer>({
    max: maxCached,
    fetchMethod: (id) => load(id),
    // One that has to go while it is read is still given to who asked.
    ignoreFetchAbort: true,
  });
  return { of: (id) => cache.fetch(id) };
}

async function loadRenderers(pool: pg.Pool, ids: string[]): Promise<(Renderer | undefined)[]> {
  const { rows } = await pool.query<{ id: string; compiled: CompiledTemplate }>({
    name: "compiled_templates",
    text: "select id, compiled from template_versions where id = any ($1::bigint[])",
    values: [ids],
  });
  const byId = new Map(rows.map((row) => [row.id, createRenderer(row.compiled)]));
  return ids.map((id) => byId.get(id));
}
