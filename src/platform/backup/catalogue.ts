import { STAGED_PREFIX } from '../bi-temporal/staged-tables.js'
import type { Sql } from '../database/database.js'
import { statement } from '../database/statement.js'

/** A table of the gateway. A partitioned table is one. */
export interface BackedUpTable {
  readonly name: string
  /** All columns in their order, which is that of the row's text. */
  readonly columns: readonly string[]
  /** Columns that the database computes, which cannot be written. */
  readonly generated: readonly string[]
}

/** The next value of a sequence. */
export interface SequenceState {
  readonly name: string
  /** Exact text; null if it was never used. */
  readonly lastValue: string | null
}

/** A reference between tables, and the statement that declares it. */
export interface ForeignKey {
  readonly table: string
  readonly name: string
  readonly definition: string
}

// Migrations create the same tables everywhere. Their record, and staged rows of a running ingestion, are not part of a backup.
const TABLES = statement(
  'lacks catalogue',
  { name: 'text', columns: '_text', generated: '_text' },
  `select c.relname::text as name,
     array(select a.attname::text from pg_attribute a
       where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum) as columns,
     array(select a.attname::text from pg_attribute a
       where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated <> '' order by a.attnum) as generated
   from pg_class c
   where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace and c.relpersistence <> 't'
     and c.relname <> '_prisma_migrations' and not starts_with(c.relname, '${STAGED_PREFIX}')
     and not exists (select from pg_inherits i where i.inhrelid = c.oid)
   order by 1`,
)

/** The tables of the gateway, by name. */
export function loadTables(sql: Sql): Promise<readonly BackedUpTable[]> {
  return sql.rows(TABLES)
}

const SEQUENCES = statement(
  'lacks catalogue',
  { name: 'text', lastValue: 'text?' },
  `select sequencename::text as name, last_value::text as "lastValue"
   from pg_sequences where schemaname = current_schema() order by 1`,
)

export function loadSequences(sql: Sql): Promise<readonly SequenceState[]> {
  return sql.rows(SEQUENCES)
}

const FOREIGN_KEYS = statement(
  'lacks catalogue',
  { table: 'text', name: 'text', definition: 'text' },
  `select t.relname::text as table, k.conname::text as name, pg_get_constraintdef(k.oid) as definition
   from pg_constraint k join pg_class t on t.oid = k.conrelid
   where k.contype = 'f' and k.conparentid = 0 and t.relnamespace = current_schema()::regnamespace
   order by 1, 2`,
)

export function loadForeignKeys(sql: Sql): Promise<readonly ForeignKey[]> {
  return sql.rows(FOREIGN_KEYS)
}

/** The texts of rows are alike on every server with these settings, until the transaction ends. */
export const ROW_TEXT_SETTINGS = `SET LOCAL "TimeZone" TO 'UTC'; SET LOCAL "DateStyle" TO 'ISO, YMD';
  SET LOCAL "IntervalStyle" TO 'postgres'; SET LOCAL extra_float_digits TO 1; SET LOCAL bytea_output TO 'hex'`
