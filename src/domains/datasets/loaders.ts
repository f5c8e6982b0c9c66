import { addDays, toIsoDate } from '../../core/time.js'
import { defineLoader } from '../../platform/request/loaders/define-loader.js'
import { type DatasetDay, LEDGER_DAYS } from './model.js'
import { loadRunDays, type RunDay } from './run-store.js'

/** The days on which runs of datasets ended, oldest first, by the name of the dataset, in one statement. */
export const runDaysLoader = defineLoader<string, readonly DatasetDay[]>(async (datasets, context) => {
  const to = toIsoDate(context.now)
  const days = new Map<string, DatasetDay[]>(datasets.map((dataset) => [dataset, []]))
  const rows = await loadRunDays(context.database, datasets, { from: addDays(to, 1 - LEDGER_DAYS), to })
  for (const { dataset, date, ...ends } of rows) days.get(dataset)?.push({ date, outcome: outcomeOf(ends) })
  return days
})

function outcomeOf({ hasFailed, hasSucceeded }: Pick<RunDay, 'hasFailed' | 'hasSucceeded'>) {
  if (!hasFailed) return 'succeeded'
  return hasSucceeded ? 'partly_failed' : 'failed'
}
