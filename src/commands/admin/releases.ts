import { loadConfig } from '../../config.js'
import { suggest } from '../../core/suggest.js'
import { systemClock } from '../../core/time.js'
import { noteOperation } from '../../domains/access/audit-store.js'
import { releaseLock } from '../../domains/releases/storage/release-store.js'
import { RELEASE_TABLES } from '../../domains/releases/tables/release-tables.js'
import { configuredReleases } from '../../domains/releases/wiring.js'
import { withDatabase } from '../command-world.js'
import { UsageError } from '../usage-error.js'
import { parseNumberOption } from './arguments.js'
import type { Answer, Command, CommandInput } from './command.js'
import { table } from './table.js'

const list: Command = {
  name: 'releases list',
  parameters: ['dataset'],
  options: ['limit'],
  summary: 'releases of a dataset, newest first',
  run: async (given) => {
    const dataset = datasetIn(given)
    const limit = parseNumberOption(given, 'limit', { min: 1, max: 1000, fallback: 50 })
    const store = configuredReleases(loadConfig(given.env))
    const listed = (await store.list(dataset)).slice(0, limit)
    const releases = listed.map(({ releaseId, createdAt, isPinned }) => {
      return {
        release_id: releaseId,
        created_at: createdAt,
        pinned: isPinned,
        place: store.placeOf(dataset, releaseId),
      }
    })
    const rows = releases.map(({ release_id, created_at, pinned, place }) => [
      release_id,
      created_at,
      pinned ? 'yes' : 'no',
      place,
    ])
    const text = table(['release', 'created', 'pinned', 'place'], rows, 'no releases')
    return { json: { dataset, releases }, text }
  },
}

const pin: Command = {
  name: 'releases pin',
  parameters: ['dataset', 'release'],
  summary: 'keeps a release whatever RELEASES_KEEP says',
  run: (given) => setPinned(given, true),
}

const unpin: Command = {
  name: 'releases unpin',
  parameters: ['dataset', 'release'],
  summary: 'lets a release be removed again when it is old enough',
  run: (given) => setPinned(given, false),
}

export const RELEASE_COMMANDS: readonly Command[] = [list, pin, unpin]

async function setPinned(given: CommandInput, isPinned: boolean): Promise<Answer> {
  const dataset = datasetIn(given)
  const release = given.word('release')
  const config = loadConfig(given.env)
  const store = configuredReleases(config)
  // Not while a run decides which releases to remove.
  const isFound = await withDatabase(given, config, given.signal, (database) =>
    database.holding([releaseLock(dataset)], async () => {
      const isSet = await store.setPinned(dataset, release, isPinned)
      const action = isPinned ? 'release_pinned' : 'release_unpinned'
      if (isSet)
        await noteOperation(database.prisma, action, systemClock.now(), { dataset, release_id: release })
      return isSet
    }),
  )
  if (!isFound)
    throw new UsageError(`${dataset} has no release ${release}; releases list ${dataset} shows them`)
  const text = `${dataset} ${release}: ${isPinned ? 'pinned' : 'not pinned'}\n`
  return { json: { dataset, release_id: release, pinned: isPinned }, text }
}

function datasetIn(given: CommandInput): string {
  const name = given.word('dataset')
  const names = RELEASE_TABLES.map(({ dataset }) => dataset)
  if (names.some((known) => known === name)) return name
  const near = suggest(name, names)
  throw new UsageError(
    `${name} cannot be released; ${near === null ? `use one of ${names.join(', ')}` : `did you mean ${near}?`}`,
  )
}
