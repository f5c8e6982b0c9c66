import { byCron } from '../../../core/schedule.js'
import type { ProtocolFact } from '../../../domains/protocols/model.js'
import type { JsonObject } from '../../bodies/json-body.js'
import type { StreamFeed } from '../../feed.js'
import { type FiguresOf, figureIn, protocolFacts } from './entries.js'
import { defiLlama } from './provider.js'

const JITTER_MS = 600_000

/** Every protocol with its total value locked; some 10 MB. */
export const defiLlamaProtocols: StreamFeed<ProtocolFact> = {
  id: 'defillama-protocols',
  provider: defiLlama,
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
  const tvl = figureIn(entry, 'tvl', { isPositive: true })
  const change1d = figureIn(entry, 'change_1d')
  const change7d = figureIn(entry, 'change_7d')
  if ('wrong' in tvl) return tvl
  if ('wrong' in change1d) return change1d
  if ('wrong' in change7d) return change7d
  if (tvl.value === null) return { value: null }
  const figures = { tvlUsd: tvl.value, change1dPct: change1d.value, change7dPct: change7d.value }
  return { value: { tvl: figures, economics: null } }
}
