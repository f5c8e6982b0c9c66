import { explainIsoDate, type IsoDate, parseIsoDate } from '../../core/time.js'
import type { GroupCommand, Selection } from '../../ingest/feed-group.js'
import { UsageError } from '../usage-error.js'
import type { Options } from './command.js'

/** What a command reads. Throws UsageError for options that it does not take, and for missing ones. */
export function selectionOf(name: string, command: GroupCommand, given: Options): Selection {
  const { options, required } = command
  assertTaken(options, given)
  const { assets, etf, files } = given
  if (required === 'etf' && etf === null) throw new UsageError(`${name} needs one fund, such as --etf IVV`)
  const asOf = readDay(name, options.includes('asOf'), given.asOf)
  const [path, ...more] = files
  if (path !== undefined && !options.includes('file'))
    throw new UsageError(`${name} has only the option --json`)
  if (path === undefined && required === 'file') throw new UsageError(`${name} needs one file: --file PATH`)
  if (more.length > 0) throw new UsageError(`${name} needs one file; got ${files.join(' ')}`)
  const selection: Selection = {
    assets,
    etf,
    asOf,
    source: path === undefined ? { kind: 'live' } : { kind: 'file', path },
  }
  const wrong = command.explainSelection?.(selection) ?? null
  if (wrong !== null) throw new UsageError(wrong)
  return selection
}

/** Throws UsageError for options that select a part of what candles or holdings of ETFs are. */
export function assertTaken(options: GroupCommand['options'], given: Options): void {
  const { assets, venues, from, to, isAgain } = given
  const hasAssets = assets.length > 0 && !options.includes('asset')
  if (hasAssets || venues.length > 0 || from !== null || to !== null || isAgain)
    throw new UsageError('--asset, --venue, --from, --to and --again are for candles')
  if (!options.includes('etf') && (given.etf !== null || given.asOf !== null))
    throw new UsageError('--etf and --as-of are for holdings of ETFs')
}

function readDay(name: string, isTaken: boolean, text: string | null): IsoDate | null {
  if (text === null) return null
  if (!isTaken) throw new UsageError(`--as-of is only for xtrackers; files of ${name} contain their day`)
  const day = parseIsoDate(text)
  if (day === null) throw new UsageError(`--as-of ${explainIsoDate(text)}`)
  return day
}
