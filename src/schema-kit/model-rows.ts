import type { Decimal } from '../core/decimal.js'
import { type IsoDate, toIsoDate } from '../core/time.js'
import type { ModelColumns } from '../generated/columns.js'
import type PrismaTypes from '../generated/pothos-types.js'
import type { ColumnTable, ColumnType, RowOf } from '../platform/database/statement.js'

/** A calendar day: Prisma's client returns midnight UTC, a statement the text. */
export type StoredDay = Date | IsoDate

export function storedDay(day: StoredDay): IsoDate {
  return day instanceof Date ? toIsoDate(day) : day
}

/** A number of any precision: Prisma's client returns an object, a statement the text or the nearest double. */
export type StoredDecimal = Decimal | string | number

/** An integer of 64 bits: a statement returns a number. */
export type StoredInteger = bigint | number

/** The value of a column in a row of Prisma's client or of a statement. */
type StoredValue<Type extends ColumnType, Value> = Type extends `date${string}`
  ? StoredDay | Extract<Value, null>
  : Type extends `numeric${string}`
    ? StoredDecimal | Extract<Value, null>
    : Type extends `int8${string}`
      ? StoredInteger | Extract<Value, null>
      : Type extends 'bytea'
        ? Uint8Array
        : Value

type StoredRow<Table extends ColumnTable> = {
  readonly [Name in keyof Table]: StoredValue<Table[Name], RowOf<Table>[Name]>
}

/** A row with all columns of a model, from Prisma's client or from a statement. */
export type ModelRow<Name extends keyof ModelColumns> = StoredRow<ModelColumns[Name]>

/** The models as Pothos knows them, whose rows come from Prisma's client or from statements. */
export type ModelTypes = {
  [Name in keyof PrismaTypes]: Omit<PrismaTypes[Name], 'Shape'> & {
    Shape: Name extends keyof ModelColumns ? ModelRow<Name> : never
  }
}
