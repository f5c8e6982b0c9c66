import { Decimal } from '../../../core/decimal.js'
import { PROVIDERS } from '../../../core/providers.js'
import type { RequestRate } from '../../../core/request-rate.js'
import { type IsoDate, parseIsoDate } from '../../../core/time.js'
import type { OnchainDay } from '../../../domains/onchain-metrics/model.js'
import { type CsvRecord, csvRecordStream } from '../../bodies/csv/csv.js'
import { CsvHeader } from '../../bodies/csv/csv-header.js'
import { DuplicateRows } from '../../bodies/duplicate-rows.js'
import { onceOrNever } from '../../bodies/once-or-never.js'
import { type Read, readAll, readOn } from '../../bodies/read.js'
import { BrokenBody, type ParseContext, type Parsed, quoted, type StreamFeed } from '../../feed.js'
import { divide, formatDecimalFigure, readCount, readFigure } from './figures.js'

/** The asset of a file. */
export interface CoinMetricsAsset {
  readonly assetId: number
  readonly slug: string
  readonly ticker: string
}

export const COIN_METRICS_FEED = 'coinmetrics'

/** Many users share the file host. */
const RATE: RequestRate = { provider: PROVIDERS.coinMetrics.id, pauseMs: 1_000 }

/** The file of an asset: one row per UTC day with the full history, rewritten every day. */
export function coinMetricsFeed(asset: CoinMetricsAsset): StreamFeed<OnchainDay> {
  const file = `${asset.ticker.toLowerCase()}.csv`
  return {
    id: COIN_METRICS_FEED,
    provider: PROVIDERS.coinMetrics,
    dataset: 'asset_onchain',
    description: `On-chain figures of ${asset.slug}`,
    cadence: 'every day',
    request: () => ({
      url: `https://raw.githubusercontent.com/coinmetrics/data/master/csv/${encodeURIComponent(file)}`,
      headers: { accept: 'text/csv, text/plain' },
      rate: RATE,
    }),
    parseStream: (body, context) => parseAssetCsv(body, asset, context),
  }
}

const TIME = 'time'
const FIGURES = ['FeeTotUSD', 'SplyCur', 'CapRealUSD', 'CapMrktCurUSD', 'CapMVRVCur'] as const
const COUNTS = ['AdrActCnt', 'TxCnt'] as const

type Figure = (typeof FIGURES)[number] | (typeof COUNTS)[number]
type Column = Figure | typeof TIME

/** Reads the days of a file. A missing column means unknown figures. Throws BrokenBody and BrokenCsv. */
export async function* parseAssetCsv(
  body: AsyncIterable<Uint8Array>,
  { assetId }: Pick<CoinMetricsAsset, 'assetId'>,
  context: ParseContext,
): AsyncGenerator<Parsed<OnchainDay>> {
  let header: CsvHeader<Column> | null = null
  const days = new Days(context)
  const seen = new DuplicateRows()
  for await (const record of csvRecordStream(body)) {
    if (header === null) {
      header = headerOf(record)
      continue
    }
    const read = days.read(record, header)
    const position = `line ${record.line}`
    if ('wrong' in read) yield { kind: 'rejected', position, reason: read.wrong }
    else if (read.value === null) context.onAbsent()
    else
      yield* onceOrNever(seen, dayOf(assetId, read.value), {
        position,
        name: read.value.date,
        keyOf: ({ snapshotDate }) => snapshotDate,
        textOf: () => record.cells.join(),
        onAbsent: context.onAbsent,
      })
  }
  if (!days.hasAny) throw new BrokenBody('the table has no rows')
}

function headerOf({ cells }: CsvRecord): CsvHeader<Column> {
  const header = new CsvHeader<Column>(cells)
  const known: readonly string[] = [...COUNTS, ...FIGURES]
  if (header.missing([TIME]) !== null || !cells.some((name) => known.includes(name))) {
    const begin = quoted(cells.slice(0, 3).join())
    throw new BrokenBody(`the first line is not the header of a Coin Metrics file: it begins with ${begin}`)
  }
  const twice = cells.find((name, at) => cells.indexOf(name) !== at)
  if (twice !== undefined) throw new BrokenBody(`the header has the column ${quoted(twice)} twice`)
  return header
}

interface Day {
  readonly date: IsoDate
  readonly figures: Readonly<Record<Figure, Decimal | null>>
}

/** The columns and rows of one file. */
class Days {
  readonly #today: string
  hasAny = false

  constructor({ now }: ParseContext) {
    this.#today = now.toISOString().slice(0, 10)
  }

  /** Null if the day has no figures. */
  read(record: CsvRecord, header: CsvHeader<Column>): Read<Day | null> {
    this.hasAny = true
    const misfit = header.explain(record)
    if (misfit !== null) return { wrong: misfit }
    const text = header.cell(record, TIME)
    const date = parseIsoDate(text)
    if (date === null) return { wrong: `${quoted(text)} is not a day` }
    if (date >= this.#today) return { wrong: `${date} is not over yet` }
    return readOn(readFigures(record, header), (figures) => ({
      value: Object.values(figures).every((value) => value === null) ? null : { date, figures },
    }))
  }
}

function readFigures(record: CsvRecord, header: CsvHeader<Column>): Read<Day['figures']> {
  const counts = COUNTS.map((name) => [name, readCount(name, header.cell(record, name))])
  const figures = FIGURES.map((name) => [name, readFigure(name, header.cell(record, name))])
  const reads = Object.fromEntries([...counts, ...figures])
  return readAll(reads as Record<Figure, Read<Decimal | null>>) // each name has its entry
}

/** Derives figures by the rules of `ONCHAIN_METRICS_METHOD`. */
function dayOf(assetId: number, { date, figures }: Day): OnchainDay {
  const { AdrActCnt, TxCnt, FeeTotUSD, SplyCur, CapRealUSD, CapMrktCurUSD, CapMVRVCur } = figures
  const realizedCap = CapRealUSD ?? divide(CapMrktCurUSD, CapMVRVCur)
  const inverse = divide(new Decimal(1), CapMVRVCur)
  return {
    assetId,
    snapshotDate: date,
    activeAddresses: formatDecimalFigure(AdrActCnt),
    txCount: formatDecimalFigure(TxCnt),
    feesTotalUsd: formatDecimalFigure(FeeTotUSD),
    avgFeeUsd: formatDecimalFigure(divide(FeeTotUSD, TxCnt)),
    circulatingSupply: formatDecimalFigure(SplyCur),
    realizedCapUsd: formatDecimalFigure(realizedCap),
    mvrvRatio: formatDecimalFigure(CapMVRVCur),
    sopr: null,
    hodlWaves: null,
    nupl: formatDecimalFigure(inverse === null ? null : new Decimal(1).minus(inverse)),
    realizedPriceUsd: formatDecimalFigure(divide(realizedCap, SplyCur)),
  }
}
