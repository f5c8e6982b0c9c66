import { describe, expect, it } from 'vitest'
import type { ProtocolFact } from '../../../../src/domains/protocols/model.js'
import { BrokenBody, type StreamFeed } from '../../../../src/ingest/feed.js'
import { defiLlamaEconomics } from '../../../../src/ingest/providers/defillama/economics.js'
import { defiLlamaProtocols } from '../../../../src/ingest/providers/defillama/protocols.js'

const NOW = new Date('2026-11-20T12:00:00Z')
const [FEES, REVENUE] = defiLlamaEconomics

async function* inOnePiece(bytes: Uint8Array) {
  yield bytes
}

async function read(feed: StreamFeed<ProtocolFact> | undefined, body: string) {
  if (feed === undefined) return expect.fail('there is no such feed')
  const found: (ProtocolFact | string)[] = []
  const context = { now: NOW, onRead: () => undefined, onAbsent: () => undefined }
  for await (const item of feed.parseStream(inOnePiece(new TextEncoder().encode(body)), context)) {
    found.push(item.kind === 'row' ? item.row : `${item.position}: ${item.reason}`)
  }
  return found
}

describe('the protocols of DefiLlama', () => {
  it('have their value locked on the day of the run, and may lack everything but a name and a slug', async () => {
    const body = `[{"id":"1","name":"Uniswap V3","slug":"uniswap-v3","category":"Dexs","chains":["Ethereum","Base"],
      "tvl":4123456789.123456789,"chainTvls":{"Ethereum":1},"change_1h":null,"change_1d":-1.5,"change_7d":2e-7},
      {"name":"Nobody's  Farm","tvl":0},{"name":"Unknown","slug":"unknown","tvl":null,"chains":null}]`
    expect(await read(defiLlamaProtocols, body)).toEqual([
      {
        protocol: {
          protocolId: 'uniswap-v3',
          name: 'Uniswap V3',
          category: 'Dexs',
          chains: ['Ethereum', 'Base'],
        },
        snapshotDate: '2026-11-20',
        tvl: { tvlUsd: '4123456789.123456789', change1dPct: '-1.5', change7dPct: '0.0000002' },
        economics: null,
      },
      expect.objectContaining({
        protocol: { protocolId: 'nobodys-farm', name: "Nobody's  Farm", category: null, chains: [] },
        tvl: { tvlUsd: '0', change1dPct: null, change7dPct: null },
      }),
    ])
  })

  it('are rejected one by one if they are invalid', async () => {
    const entries = [
      '5',
      '{"slug":"a"}',
      '{"name":"A","slug":"a b","tvl":1}',
      '{"name":"B","slug":"b","tvl":NaN}',
      '{"name":"C","slug":"c","tvl":1e400}',
      '{"name":"D","slug":"d","tvl":-1}',
      '{"name":"E","slug":"e","tvl":true}',
      '{"name":"F","slug":"f","tvl":1,"tvl":2}',
      '{"name":"G","slug":"g","tvl":1}',
      '{"name":"G","slug":"g","tvl":1}',
      '{"name":"G","slug":"g","tvl":2}',
    ]
    const found = await read(defiLlamaProtocols, `[${entries.join()}]`)
    expect(found.filter((item) => typeof item === 'string')).toEqual([
      'entry 1: is "5", not an object',
      'entry 2: has no name: missing',
      'entry 3: the slug "a b" has blanks',
      'entry 4, b: tvl: the value "NaN" is not a decimal in the supported range',
      'entry 5, c: tvl: the value "1e400" is not a decimal in the supported range',
      'entry 6, d: tvl is -1, below zero',
      'entry 7, e: tvl is true, not a number',
      'entry 8, f: has tvl twice',
      'entry 11, g: g appears twice with different figures; neither row is used',
    ])
    expect(found).toHaveLength(10)
  })

  it('with names that the store refuses are rejected, and such chains left out', async () => {
    const body = `[{"name":"A\\u0000","slug":"a","tvl":1},{"name":"B","slug":"b","chains":["Base","\\ud800"],"tvl":1}]`
    expect(await read(defiLlamaProtocols, body)).toMatchObject([
      expect.stringContaining('entry 1: has no name'),
      { protocol: { chains: ['Base'] } },
    ])
  })

  it.each([
    ['an HTML page', '<html>'],
    ['nothing', ''],
    ['an error', '{"message":"Internal Server Error"}'],
    ['a text that ends in an entry', '[{"name":"A","slug":"a","tvl":1},{"name":'],
  ])('are refused completely: %s', async (_what, body) => {
    await expect(read(defiLlamaProtocols, body)).rejects.toThrow(BrokenBody)
  })
})

describe('fees and revenue of DefiLlama', () => {
  const overview = (...entries: readonly string[]) =>
    `{"totalDataChart":[],"allChains":["Base"],"total24h":5,"protocols":[${entries.join()}],"chain":null}`

  it('cover 24 hours, 7 and 30 days; only revenue may be below zero', async () => {
    const body = overview(
      '{"defillamaId":"2","name":"Lido","category":"Liquid Staking","chains":["Ethereum"],"total24h":1.5,"total7d":null,"total30d":30}',
      '{"name":"Loss","total30d":-1}',
      '{"name":"Silent","total24h":null}',
    )
    expect(await read(FEES, body)).toMatchObject([
      {
        protocol: { protocolId: 'lido', category: 'Liquid Staking' },
        tvl: null,
        economics: { measure: 'fees', total24hUsd: '1.5', total7dUsd: null, total30dUsd: '30' },
      },
      'entry 2, loss: total30d is -1, below zero',
    ])
    expect(await read(REVENUE, body)).toMatchObject([
      {},
      { economics: { measure: 'revenue', total30dUsd: '-1' } },
    ])
  })

  it('are refused without a list or an object with protocols', async () => {
    await expect(read(FEES, '[]')).rejects.toThrow('not an object with protocols')
    await expect(read(FEES, '{"protocols":null}')).rejects.toThrow('has no list protocols')
  })
})
