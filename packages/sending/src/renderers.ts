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
  const cache = new LRUCache<string, Promise<Renderer | undefined>>({ max: maxCached });
  const loader = createAskedBatcher<string, Renderer | undefined>({
    maxItems: 100,
    maxInFlight: 2,
    lingerMs: 0,
    isItemFault: () => false,
    run: (ids) => loadRenderers(pool, ids),
  });
  return {
    of(id) {
      const known = cache.get(id);
      if (known !== undefined) return known;
      const loading = loader(id);
      cache.set(id, loading);
      const drop = () => {
        if (cache.peek(id) === loading) cache.delete(id);
      };
      loading.then((renderer) => {
        if (renderer === undefined) drop();
      }, drop);
      return loading;
    },
  };
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
