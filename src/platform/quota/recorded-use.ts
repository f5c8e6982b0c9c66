import { monthOfCounter } from '../../policy/quota.js'
import type { Database } from '../database/database.js'

/** Recorded units of counters, by key; a counter without a record is not in the result. */
export type ReadRecordedUse = (keys: readonly string[]) => Promise<ReadonlyMap<string, number>>

/** Reads the units of an account's month from its daily use. A counter holds at least that, even if its store lost data. */
export function createRecordedUse({ prisma }: Pick<Database, 'prisma'>): ReadRecordedUse {
  return async (keys) => {
    const months = keys.flatMap((key) => {
      const month = monthOfCounter(key)
      return month === null ? [] : [{ key, ...month }]
    })
    const used = new Map<string, number>()
    for (const month of new Set(months.map((one) => one.month))) {
      const sameMonth = months.filter((one) => one.month === month)
      const sums = await prisma.usageDay.groupBy({
        by: ['accountId'],
        where: { accountId: { in: sameMonth.map(({ meterId }) => meterId) }, day: daysOf(month) },
        _sum: { units: true },
      })
      const byAccount = new Map(sums.map(({ accountId, _sum }) => [accountId, Number(_sum.units ?? 0)]))
      for (const { key, meterId } of sameMonth) {
        const units = byAccount.get(meterId)
        if (units !== undefined) used.set(key, units)
      }
    }
    return used
  }
}

/** From the first day of the month to that of the next. */
function daysOf(month: string): { readonly gte: Date; readonly lt: Date } {
  const first = new Date(`${month}-01T00:00:00Z`)
  return { gte: first, lt: new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 1)) }
}
