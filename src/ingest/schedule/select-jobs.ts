import { suggest } from '../../core/suggest.js'
import type { ProviderKeys } from '../../platform/http-client/provider-keys.js'
import { IngestError } from '../feed.js'
import type { Job } from './job.js'

/**
 * The jobs that a value of SCHEDULE selects: `off`, or names separated by commas. `all` and the name of a dataset select jobs
 * that are on by default and have the key that they need; the name of a job, or its word in `optIn`, selects any. Throws
 * IngestError for an unknown name, with the most similar one, and for a named job without its key.
 */
export function selectJobs(jobs: readonly Job[], schedule: string, keys: ProviderKeys = {}): readonly Job[] {
  const lacksKey = ({ keyVariable }: Job) => keyVariable !== undefined && keys[keyVariable] === undefined
  if (schedule === 'off') return []
  const names = schedule.split(',').map((name) => name.trim())
  const known = [...new Set(jobs.flatMap(({ dataset, name, optIn }) => [dataset, name, optIn ?? name]))]
  for (const name of names) {
    if (name !== 'all' && !known.includes(name)) throw unknown(name, known)
  }
  const isNamed = ({ dataset, name, optIn }: Job) => names.includes(name) || names.includes(optIn ?? dataset)
  const isOfAll = (job: Job) => names.includes('all') && job.optIn === undefined && !lacksKey(job)
  const off = jobs.find((job) => isNamed(job) && lacksKey(job))
  if (off !== undefined) throw new IngestError(`SCHEDULE: ${off.name} is off: set ${off.keyVariable}`)
  return jobs.filter((job) => isOfAll(job) || isNamed(job))
}

function unknown(name: string, known: readonly string[]): IngestError {
  const likely = suggest(name, ['off', 'all', ...known])
  const hint =
    likely === null
      ? `it takes off, all, or some of ${known.join(', ')} joined by commas`
      : `did you mean ${likely}?`
  return new IngestError(`SCHEDULE: dataset or job ${JSON.stringify(name)} does not exist; ${hint}`)
}
