import { PROVIDERS } from '../../../core/providers.js'
import type { ProtocolFact } from '../../../domains/protocols/model.js'
import type { JsonObject } from '../../bodies/json/json-body.js'
import { readAll, readOn } from '../../bodies/read.js'
import type { StreamFeed } from '../../feed.js'
import { byCron } from '../../schedule.js'
import { type FiguresOf, figureIn, protocolFacts } from './entries.js'

const JITTER_MS = 600_000

/** Every protocol with its total value locked; about 10 MB. */
export const defiLlamaProtocols: StreamFeed<ProtocolFact> = {
  id: 'defillama-protocols',
  provider: PROVIDERS.defiLlama,
  dataset: 'protocols',
  part: 'tvl',
  description: 'Total value locked of every protocol, with its change in 1 and 7 days',
  cadence: 'every day',
  schedule: byCron('20 1 * * *', JITTER_MS),
  fileNames: ['protocols.json'],
  request: () => ({ url: 'https://api.llama.fi/protocols', headers: { accept: 'application/json' } }),
  parseStream: (body, context) => protocolFacts(body, { member: null, figuresOf: tvlOf }, context),
}

const tvlOf: FiguresOf = (entry: JsonObject) => {
  const figures = readAll({
    tvlUsd: figureIn(entry, 'tvl', { isPositive: true }),
    change1dPct: figureIn(entry, 'change_1d'),
    change7dPct: figureIn(entry, 'change_7d'),
  })
  return readOn(figures, ({ tvlUsd, ...changes }) => ({
    value: tvlUsd === null ? null : { tvl: { tvlUsd, ...changes }, economics: null },
  }))
}
