import { suggest } from '../../core/suggest.js'
import { IngestError } from '../feed.js'
import type { Job } from './job.js'

/**
 * The jobs that a value of SCHEDULE names: `off`, `all`, or names of datasets and jobs by comma. Throws IngestError that
 * names the likely one for a name that is neither.
 */
export function selectJobs(jobs: readonly Job[], schedule: string): readonly Job[] {
  if (schedule === 'off') return []
  if (schedule === 'all') return jobs
  const names = schedule.split(',').map((name) => name.trim())
  const known = [...new Set(jobs.flatMap(({ dataset, name }) => [dataset, name]))]
  for (const name of names) {
    if (!known.includes(name)) throw unknown(name, known)
  }
  return jobs.filter(({ dataset, name }) => names.includes(dataset) || names.includes(name))
}

function unknown(name: string, known: readonly string[]): IngestError {
  const likely = suggest(name, ['off', 'all', ...known])
  const hint =
    likely === null
      ? `it takes off, all, or some of ${known.join(', ')} joined by commas`
      : `did you mean ${likely}?`
  return new IngestError(`SCHEDULE: there is no dataset or job ${JSON.stringify(name)}; ${hint}`)
}
