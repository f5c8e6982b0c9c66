import { columnList, type Known, type SeriesTable } from '../series-table.js'

/**
 * SQL that withdraws rows: each is closed, and a row without values (a tombstone) becomes current. Returns their `count`.
 * `from` selects the current rows `t`. The first parameters are `withdrawValues`; those of `from` come after them.
 */
export function withdrawText<Row>({ name, key, notes }: SeriesTable<Row>, from: string): string {
  const keys = columnList(key)
  const noted = notes.map(({ type }, at) => `$${at + 2}::${type}`)
  return `with gone as (
      select t.tableoid as partition, t.ctid as row_place, ${columnList(key, 't')},
        greatest($1::timestamptz, t.known_from + interval '1 millisecond') as known_at
      ${from}
    ), closed as (
      update ${name} as t set known_to = g.known_at from gone as g
      where t.ctid = g.row_place and t.tableoid = g.partition returning 1
    ), written as (
      insert into ${name} (${columnList([...key, ...notes])}, known_from, is_withdrawn)
      select ${[keys, ...noted].join(', ')}, known_at, true from gone where (select count(*) from closed) >= 0
    )
    select count(*)::int as count from gone`
}

/** The first parameters of `withdrawText`. */
export function withdrawValues<Row>({ notes }: SeriesTable<Row>, known: Known): readonly unknown[] {
  return [known.knownAt, ...notes.map(({ ofKnown }) => ofKnown(known))]
}
