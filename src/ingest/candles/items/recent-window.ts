import type { Database } from '../../../platform/database/database.js'
import { type Coverage, loadCoverage, writeCoverage } from '../coverage-store.js'
import { harvestEntries } from '../lane-ledger.js'
import { rollAsset, writeHarvests } from '../load-bars.js'
import { resumeAt } from '../resume-at.js'
import type { VenueAsset } from '../venue-assets.js'
import type { OpenWindow, WorkWindow } from './work-window.js'

/** A window whose bars are kept. The transaction of an asset writes its bars and the candles of the windows that they touch. */
export async function openRecentWindow(
  database: Database,
  { from, to, venues }: Extract<WorkWindow, { kind: 'recent' }>,
  assets: readonly VenueAsset[],
  now: Date,
): Promise<OpenWindow> {
  const ids = from === null ? assets.map(({ assetId }) => assetId) : []
  const coverage = new Map(
    (await loadCoverage(database, ids)).map((row) => [`${row.assetId} ${row.venue}`, row.coveredTo]),
  )
  const startOf: OpenWindow['startOf'] = ({ assetId }, venue) =>
    from ?? resumeAt(coverage.get(`${assetId} ${venue}`), now)
  return {
    pendingOf: () => venues,
    startOf,
    write: async (tx, asset, results, knownAt) => {
      const { assetId } = asset
      const harvests = results.flatMap(({ harvest }) => harvest ?? [])
      // A window of the operator's choice may leave a gap before it.
      const covered = results.filter(({ kind }) => from === null && kind !== 'missed')
      const rows = covered.map(({ venue, kind }): Coverage => {
        const isListed = kind === 'done'
        return { assetId, venue, isListed, coveredTo: isListed ? to : null, askedAt: knownAt }
      })
      await writeCoverage(tx, rows)
      const bars = await writeHarvests(tx, assetId, harvests, knownAt)
      const starts = venues.map((venue) => startOf(asset, venue).getTime())
      const roll = { bars, from: new Date(Math.min(...starts)), to, now: knownAt, ratesKnownAt: null }
      // No window waits for bars: a command does not come back for it.
      const { candles } = await rollAsset(tx, asset, { ...roll, isComplete: () => true })
      return { candles, entries: harvestEntries(harvests, bars) }
    },
  }
}
