/** What people and programs see of a row: each time as ISO 8601, UTC. */
export type IsoTimes<Row> = {
  [Name in keyof Row]: Extract<Row[Name], Date> extends never
    ? Row[Name]
    : Exclude<Row[Name], Date> | string;
};

export function isoTimes<Row extends object>(row: Row): IsoTimes<Row> {
  const seen = Object.entries(row).map(([name, value]) => [
    name,
    value instanceof Date ? value.toISOString() : value,
  ]);
  return Object.fromEntries(seen) as IsoTimes<Row>;
}
