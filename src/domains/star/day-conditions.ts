import { endOfDay, type IsoDate } from '../../core/time.js'
import type { Condition } from '../../platform/database/where-given.js'
import type { ServedTable } from './table.js'

/** The days from one to another, both included, as conditions that an index serves. */
export function dayConditions(
  { endpoint: { time } }: ServedTable,
  from: IsoDate | null,
  to: IsoDate | null,
): readonly Condition[] {
  if (time === undefined) return []
  if (time.kind === 'day')
    return [
      [`${time.name} >= ?::date`, from],
      [`${time.name} <= ?::date`, to],
    ]
  return [
    [`${time.name} >= ?::timestamptz`, from && new Date(from)],
    [`${time.name} < ?::timestamptz`, to && endOfDay(new Date(to))],
  ]
}
