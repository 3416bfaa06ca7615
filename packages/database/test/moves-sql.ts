/** The rows of a table move between states, which one of its columns has. */
interface Moves {
  /** Name of one row, as errors call it. */
  name: string;
  table: string;
  column: string;
  /** The allowed moves, by the state before, and the name of this constant in contracts. */
  allowed: Readonly<Record<string, readonly string[]>>;
  constant: string;
  /** Further lines of the comment. */
  cost?: string;
}

/** Returns the text of the file in functions/ that refuses all other moves. */
export function movesSql({ name, table, column, allowed, constant, cost = "" }: Moves): string {
  const lines = Object.entries(allowed)
    .filter(([, targets]) => targets.length > 0)
    .map(([from, targets]) => `    ${targets.map((to) => `'${from} > ${to}'`).join(", ")}`);
  return `-- Refuses every move of a ${name} that ${constant} does not have; see the trigger of ${table}.
${cost}-- Generated, and held true by a test:
-- node test/run.ts --test-update-snapshots packages/database/test/moves-sql.test.ts
create or replace function check_${name}_move() returns trigger language plpgsql as $function$
declare
  moves constant text[] := array[
${lines.join(",\n")}
  ];
begin
  if old.${column} || ' > ' || new.${column} = any (moves) then return new; end if;
  raise exception 'a ${name} cannot go from % to %', old.${column}, new.${column}
    using errcode = 'check_violation', constraint = '${table}_move', table = '${table}';
end
$function$;
`;
}
