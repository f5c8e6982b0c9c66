import { findDataPath } from '../../../core/operation-names.js'
import { Problems } from '../../../core/problems.js'
import { COMPAT_INTERFACES, isCompatInterface } from '../../../policy/compat-interfaces.js'
import type { UrlUse } from '../../../policy/principal.js'
import type { KeyRow } from './key-store.js'

/** One address needs one operation; a document with addresses needs a few. */
export const MAX_URL_OPERATIONS = 50

export interface RequestedUrlUse {
  readonly operations?: readonly string[] | null | undefined
  readonly interfaces?: readonly string[] | null | undefined
  readonly hourly_units: number
}

/** Parses what a key for addresses may read; null for another key. The 422 names every wrong name. */
export function parseUrlUse(
  requested: RequestedUrlUse | null | undefined,
  accountHourlyUnits: number,
): UrlUse | null {
  if (requested == null) return null
  const { hourly_units: hourlyUnits } = requested
  const operations = [...new Set(requested.operations ?? [])]
  const interfaces = [...new Set(requested.interfaces ?? [])]
  const problems = new Problems()
  if (operations.length + interfaces.length === 0)
    problems.add('url_use', 'must name at least one operation or interface')
  if (operations.length > MAX_URL_OPERATIONS)
    problems.add('url_use.operations', `must have at most ${MAX_URL_OPERATIONS} operations`)
  for (const name of operations.slice(0, MAX_URL_OPERATIONS)) {
    if (findDataPath(name) === null)
      problems.add(
        'url_use.operations',
        `must be operations that GET reads below /v1; got "${name.slice(0, 64)}"`,
      )
  }
  for (const name of interfaces.slice(0, MAX_URL_OPERATIONS)) {
    if (!isCompatInterface(name))
      problems.add(
        'url_use.interfaces',
        `must be compatible interfaces: ${COMPAT_INTERFACES.join(', ')}; got "${name.slice(0, 64)}"`,
      )
  }
  if (hourlyUnits < 1 || hourlyUnits > accountHourlyUnits)
    problems.add(
      'url_use.hourly_units',
      `must be from 1 to ${accountHourlyUnits}, the units of the account; got ${hourlyUnits}`,
    )
  problems.refuse()
  return { operations, interfaces, hourlyUnits }
}

/** What a stored key may read that is a key for addresses; null for another key. */
export function urlUseOf({
  urlOperations,
  urlInterfaces,
  urlHourlyUnits,
}: Pick<KeyRow, 'urlOperations' | 'urlInterfaces' | 'urlHourlyUnits'>): UrlUse | null {
  if (urlHourlyUnits === null) return null
  return { operations: urlOperations ?? [], interfaces: urlInterfaces ?? [], hourlyUnits: urlHourlyUnits }
}
