import { suggest } from '../../core/suggest.js'
import type { ProviderKeys } from '../../platform/http-client/provider-keys.js'
import { IngestError } from '../feed.js'
import type { Job } from './job.js'

/**
 * The jobs that a value of SCHEDULE selects: `off`, `all` (those with the key that they need), or names of datasets and
 * jobs, separated by commas. Throws IngestError for an unknown name, with the most similar one, and for a named job without
 * its key.
 */
export function selectJobs(jobs: readonly Job[], schedule: string, keys: ProviderKeys = {}): readonly Job[] {
  const lacksKey = ({ keyVariable }: Job) => keyVariable !== undefined && keys[keyVariable] === undefined
  if (schedule === 'off') return []
  if (schedule === 'all') return jobs.filter((job) => !lacksKey(job))
  const names = schedule.split(',').map((name) => name.trim())
  const known = [...new Set(jobs.flatMap(({ dataset, name }) => [dataset, name]))]
  for (const name of names) {
    if (!known.includes(name)) throw unknown(name, known)
  }
  const named = jobs.filter(({ dataset, name }) => names.includes(dataset) || names.includes(name))
  const off = named.find(lacksKey)
  if (off !== undefined) throw new IngestError(`SCHEDULE: ${off.name} is off: set ${off.keyVariable}`)
  return named
}

function unknown(name: string, known: readonly string[]): IngestError {
  const likely = suggest(name, ['off', 'all', ...known])
  const hint =
    likely === null
      ? `it takes off, all, or some of ${known.join(', ')} joined by commas`
      : `did you mean ${likely}?`
  return new IngestError(`SCHEDULE: dataset or job ${JSON.stringify(name)} does not exist; ${hint}`)
}
