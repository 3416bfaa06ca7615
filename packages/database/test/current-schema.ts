import type pg from "pg";

/** The tables of a database as one text, in the order of their names: what all migrations together made. */
export async function currentSchema(client: Pick<pg.ClientBase, "query">): Promise<string> {
  const { rows } = await client.query<{ text: string }>(`
    select concat_ws(E'\\n',
      'create table ' || c.relname || E' (\\n' || concat_ws(E',\\n', columns.text, constraints.text) || E'\\n)'
        || coalesce(' with (' || (select string_agg(o, ', ' order by o) from unnest(c.reloptions) o) || ')', '')
        || ';',
      indexes.text, triggers.text, comments.text) || E'\\n' as text
    from pg_class c
    cross join lateral (
      select string_agg(concat_ws(' ', ' ', a.attname, format_type(a.atttypid, a.atttypmod),
          case when a.attcollation = (select oid from pg_collation where collname = 'C'
            and collnamespace = 'pg_catalog'::regnamespace) then 'collate "C"' end,
          case when a.attnotnull then 'not null' end,
          case when a.attidentity = 'a' then 'generated always as identity' end,
          'default ' || pg_get_expr(d.adbin, d.adrelid)), E',\\n' order by a.attnum) as text
      from pg_attribute a
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    ) columns
    cross join lateral (
      select string_agg('  constraint ' || k.conname || ' ' || pg_get_constraintdef(k.oid), E',\\n'
        order by k.conname) as text
      from pg_constraint k where k.conrelid = c.oid and k.contype <> 'n'
    ) constraints
    cross join lateral (
      select string_agg(replace(lower(left(i.text, 20)) || substr(i.text, 21), ' public.', ' ') || ';', E'\\n'
        order by i.text) as text
      from (
        select pg_get_indexdef(x.indexrelid) as text from pg_index x
        where x.indrelid = c.oid
          and not exists (select from pg_constraint k where k.conindid = x.indexrelid)
      ) i
    ) indexes
    cross join lateral (
      select string_agg(replace(pg_get_triggerdef(g.oid), ' public.', ' ') || ';', E'\\n' order by g.tgname) as text
      from pg_trigger g where g.tgrelid = c.oid and not g.tgisinternal
    ) triggers
    cross join lateral (
      select string_agg('comment on ' || case when p.objsubid = 0 then 'table ' || c.relname
          else 'column ' || c.relname || '.' || a.attname end || ' is ' || quote_literal(p.description) || ';',
          E'\\n' order by p.objsubid) as text
      from pg_description p
      left join pg_attribute a on a.attrelid = p.objoid and a.attnum = p.objsubid
      where p.objoid = c.oid and p.classoid = 'pg_class'::regclass
    ) comments
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname not like 'kysely\\_%'
    order by c.relname`);
  return rows.map(({ text }) => text).join("\n");
}
