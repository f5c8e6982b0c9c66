import type { DatasetName } from '../../../core/datasets.js'
import { ApiError, malformed } from '../../../core/errors.js'
import {
  type DatasetStates,
  INSTALLATION,
  installationOf,
  versionIn,
} from '../../../platform/database/data-version.js'
import type { Exchange } from '../../../platform/request/exchange.js'

/** Lower-case name of the header. */
const HEADER = 'x-min-data-version'
const NAME = 'X-Min-Data-Version'

/** More than the versions of all datasets need, so that a client may also send those of several responses. */
const MAX_LENGTH = 4_096

const MEMBER = /^([a-z][a-z0-9_]{0,63})=(\d{1,15})$/

/** The versions that a response must have at least. */
export interface MinimumVersion {
  /** Datasets by name; a name may be unknown. */
  readonly versions: ReadonlyMap<string, number>
  /** The numbers of the databases that the versions are from: at most one, unless the client mixed gateways. */
  readonly installations: ReadonlySet<number>
}

/**
 * Parses `X-Min-Data-Version`: one or more values of `X-Data-Version`, separated by commas. The highest version of a dataset
 * counts. Returns null without the header; throws a 400 for another text.
 */
export function parseMinimumVersion(exchange: Pick<Exchange, 'header'>): MinimumVersion | null {
  const text = exchange.header(HEADER)
  if (text === null) return null
  if (text.length > MAX_LENGTH)
    throw invalidHeader(`has ${text.length} characters; at most ${MAX_LENGTH} are allowed`)
  const versions = new Map<string, number>()
  const installations = new Set<number>()
  for (const member of text.split(',')) {
    const [, name, digits] = MEMBER.exec(member.trim()) ?? []
    if (name === undefined) throw invalidHeader('must be the value of X-Data-Version of an earlier response')
    const number = Number(digits)
    if (name === INSTALLATION) installations.add(number)
    else versions.set(name, Math.max(versions.get(name) ?? 0, number))
  }
  return { versions, installations }
}

function invalidHeader(message: string): ApiError {
  return malformed({ field: NAME, message: `${message}, such as candles=17, instruments=3` })
}

/** Whether the states have at least these versions. */
export function hasMinimum(states: DatasetStates, minimum: MinimumVersion): boolean {
  return isOfInstallation(states, minimum) && missingVersion(states, minimum) === null
}

/** The error for versions that the newest states lack: they are from another database, or a restore has lost them. */
export function minimumNotReached(states: DatasetStates, minimum: MinimumVersion): ApiError {
  const missing = missingVersion(states, minimum)
  const reason =
    missing === null || !isOfInstallation(states, minimum)
      ? 'names versions of another gateway, or of the data before a restore'
      : `asks for ${missing}, but this gateway has ${versionIn(states, missing.split('=')[0] as DatasetName)}`
  return new ApiError('precondition_failed', {
    details: [{ field: NAME, message: `${reason}; send the request without it` }],
  })
}

function isOfInstallation(states: DatasetStates, { installations }: MinimumVersion): boolean {
  const own = installationOf(states)
  return own === null || [...installations].every((number) => number === own)
}

function missingVersion(states: DatasetStates, { versions }: MinimumVersion): string | null {
  for (const [name, version] of versions)
    if (versionIn(states, name as DatasetName) < version) return `${name}=${version}` // an unknown name has version 0
  return null
}
