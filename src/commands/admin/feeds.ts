import { CHECKS, loadFeedLists } from '../../checks/checks.js'
import { loadAssetFeeds } from '../../checks/data/asset-feeds.js'
import type { Facts } from '../../checks/finding.js'
import { loadConfig } from '../../config.js'
import type { Command } from './command.js'
import { withAccess } from './installation.js'
import { type Cell, table } from './table.js'

export const feeds: Command = {
  name: 'feeds',
  options: ['asset'],
  summary:
    'each job of the schedule: its node, last and next run, lag and last error; the queue and the newest bar of each exchange; late assets; resting providers',
  run: (given) => {
    const config = loadConfig(given.env)
    const { asset } = given.options
    return withAccess(given, async ({ database, clock }) => {
      if (asset !== undefined) {
        const exchanges = await loadAssetFeeds({ config, database, clock }, asset)
        return { json: { asset, exchanges }, text: factsText(exchanges, 'no exchange') }
      }
      const json = await loadFeedLists({ config, database, clock })
      const lists = CHECKS.flatMap(({ list }) => list ?? [])
      // Each list has the facts of its check.
      const text = lists.map(({ name, empty }) => factsText(json[name] as readonly Facts[], empty))
      return { json, text: text.join('\n') }
    })
  },
}

function factsText(rows: readonly Facts[], empty: string): string {
  const names = Object.keys(rows[0] ?? {})
  const cells = rows.map((row) => names.map((name) => toCell(row[name] ?? null)))
  return table(
    names.map((name) => name.replaceAll('_', ' ')),
    cells,
    empty,
  )
}

function toCell(fact: Facts[string]): Cell {
  return typeof fact === 'boolean' ? (fact ? 'yes' : 'no') : fact
}
