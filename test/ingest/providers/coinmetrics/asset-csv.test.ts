import { describe, expect, it } from 'vitest'
import type { OnchainDay } from '../../../../src/domains/onchain-metrics/model.js'
import { BrokenCsv } from '../../../../src/ingest/bodies/csv/csv.js'
import { BrokenBody } from '../../../../src/ingest/feed.js'
import { coinMetricsFeed } from '../../../../src/ingest/providers/coinmetrics/asset-csv.js'

const NOW = new Date('2026-11-20T12:00:00Z')
const BITCOIN = { assetId: 1, slug: 'bitcoin', ticker: 'BTC' }

async function* inPieces(bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7)
}

/** Each row as its figures, each rejection as `position: reason`. */
async function read(body: string | Uint8Array) {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const context = { now: NOW, onRead: () => undefined, onAbsent: () => undefined }
  const read: (OnchainDay | string)[] = []
  for await (const item of coinMetricsFeed(BITCOIN).parseStream(inPieces(bytes), context)) {
    read.push(item.kind === 'row' ? item.row : `${item.position}: ${item.reason}`)
  }
  return read
}

const HEADER = 'time,AdrActCnt,CapMVRVCur,CapMrktCurUSD,FeeTotUSD,SplyCur,TxCnt'

describe('a file of Coin Metrics', () => {
  it('requests the file of the ticker', () => {
    expect(coinMetricsFeed(BITCOIN).request?.(NOW)?.url).toBe(
      'https://raw.githubusercontent.com/coinmetrics/data/master/csv/btc.csv',
    )
  })

  it('gives figures by column name, and derives the others; empty means unknown', async () => {
    const [day, empty, ...more] = await read(
      `${HEADER}\n2020-01-01,10.0,2,400,50,4,20.0\n2020-01-02,,,,0.0,,0.0\n2020-01-03,,,,,,\n`,
    )
    expect(day).toEqual({
      assetId: 1,
      snapshotDate: '2020-01-01',
      activeAddresses: '10',
      txCount: '20',
      feesTotalUsd: '50',
      avgFeeUsd: '2.5',
      circulatingSupply: '4',
      realizedCapUsd: '200',
      mvrvRatio: '2',
      nupl: '0.5',
      sopr: null,
      realizedPriceUsd: '50',
      hodlWaves: null,
    })
    expect(empty).toMatchObject({ activeAddresses: null, txCount: '0', avgFeeUsd: null, nupl: null })
    expect(more).toEqual([])
  })

  it('uses the realized capitalisation as published, with more digits than are stored', async () => {
    const body = 'CapRealUSD,time,SplyCur\n101442673397.183832379541670506171736,2020-01-01,2\n'
    expect(await read(body)).toMatchObject([
      {
        realizedCapUsd: '101442673397.183832379541670506',
        realizedPriceUsd: '50721336698.591916189770835253',
      },
    ])
  })

  it('derives nothing beyond the stored range', async () => {
    const body = `${HEADER}\n2020-01-01,1,1e-30,1e30,1,1e-30,1`
    expect(await read(body)).toMatchObject([{ realizedCapUsd: null, realizedPriceUsd: null }])
  })

  it('rejects invalid figures row by row', async () => {
    const rows = [
      '2020-01-01,NaN,2,400,50,4,20',
      '2020-01-02,1,1e400,400,50,4,20',
      '2020-01-03,1,2,400,-5,4,20',
      '2020-01-04,1.5,2,400,5,4,20',
      '2020-02-30,1,2,400,5,4,20',
      '2026-11-20,1,2,400,5,4,20',
      '2020-01-05,1,2,400,5,4,20',
      '2020-01-05,1,2,400,5,4,20',
      '2020-01-05,1,2,400,5,4,21',
      '2020-01-06,1,2,4',
    ]
    const wrong = (await read(`${HEADER}\n${rows.join('\n')}`)).filter((item) => typeof item === 'string')
    expect(wrong).toEqual([
      'line 2: AdrActCnt is "NaN", not a number of zero or more in the supported range',
      'line 3: CapMVRVCur is "1e400", not a number of zero or more in the supported range',
      'line 4: FeeTotUSD is "-5", not a number of zero or more in the supported range',
      'line 5: AdrActCnt is "1.5", not a count',
      'line 6: "2020-02-30" is not a day',
      'line 7: 2026-11-20 is not over yet',
      'line 10: 2020-01-05 appears twice with different figures; neither row is used',
      'line 11: has 4 cells, but the header has 7',
    ])
  })

  it.each([
    ['an HTML page', '<html>', BrokenCsv, 'HTML'],
    ['nothing', '', BrokenCsv, 'empty'],
    ['JSON', '{"message":"Not Found"}', BrokenCsv, 'JSON'],
    ['UTF-16', Buffer.from(HEADER, 'utf16le'), BrokenCsv, 'binary'],
    ['another encoding', Buffer.from(`${HEADER}\n\xe9`, 'latin1'), BrokenCsv, 'UTF-8'],
    ['another table', 'Date,Price\n2020-01,1', BrokenBody, 'is not the header of a Coin Metrics file'],
    ['a header alone', HEADER, BrokenBody, 'no rows'],
    ['a column twice', 'time,TxCnt,TxCnt\n2020-01-01,1,2', BrokenBody, 'has the column "TxCnt" twice'],
  ])('refuses %s completely', async (_what, body, error, message) => {
    await expect(read(body)).rejects.toThrow(error)
    await expect(read(body)).rejects.toThrow(message)
  })
})
