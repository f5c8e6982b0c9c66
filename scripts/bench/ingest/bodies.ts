import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/** The ingestion during the measurement: arguments and additional environment variables of the command. */
export interface Ingestion {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  close(): void
}

export const INGESTIONS = ['forex', 'reference', 'bis', 'candles'] as const

export type IngestionName = (typeof INGESTIONS)[number]

/** `file` replaces the generated body of forex and bis. */
export async function prepareIngestion(
  name: IngestionName,
  directory: string,
  file: string | null,
): Promise<Ingestion> {
  const close = () => {}
  if (name === 'reference') return { args: ['reference'], env: {}, close }
  if (name === 'candles') return candles()
  const path = file ?? join(directory, `${name}.csv`)
  if (file === null) writeFileSync(path, name === 'forex' ? ratesText() : observationsText())
  return { args: [name === 'forex' ? 'ecb-history' : 'bis', '--file', path], env: {}, close }
}

const CURRENCIES =
  'USD JPY BGN CZK DKK GBP HUF PLN RON SEK CHF ISK NOK TRY AUD BRL CAD CNY HKD IDR ILS INR KRW MXN MYR NZD PHP SGD THB ZAR'
const RATE_DAYS = 7_228

/** A body in the format of the ECB: 216,840 rates. */
function ratesText(): string {
  const codes = CURRENCIES.split(' ')
  const newest = Date.UTC(2026, 10, 19)
  const days = Array.from({ length: RATE_DAYS }, (_, at) => {
    const date = new Date(newest - at * DAY_MS).toISOString().slice(0, 10)
    return `${date},${codes.map((_code, column) => (1 + column + (at % 97) / 1_000).toFixed(4)).join(',')},`
  })
  return `${['Date', ...codes].join(',')},\n${days.join('\n')}\n`
}

/** 44 countries, 5 borrowers, 240 quarters: 52,800 observations in the form of the BIS's flat files. */
function observationsText(): string {
  const countries =
    'AR AT AU BE BR CA CH CL CN CO CZ DE DK ES FI FR GB GR HK HU ID IE IL IN IT JP KR LU MX MY NL NO NZ PL PT RU SA SE SG TH TR US ZA XM'
  const rows = countries.split(' ').flatMap((country) =>
    ['C', 'G', 'H', 'N', 'P'].flatMap((borrower) =>
      Array.from({ length: 240 }, (_, at) => {
        const period = `${1966 + Math.floor(at / 4)}-Q${(at % 4) + 1}`
        const dimensions = ['Q', country, borrower, 'A', 'M', '770', 'A'].join(',')
        return `dataflow,BIS:WS_TC(2.0),I,${dimensions},${period},${(50 + at / 7).toFixed(1)},A`
      }),
    ),
  )
  const header =
    'FREQ,BORROWERS_CTY,TC_BORROWERS,TC_LENDERS,VALUATION,UNIT_TYPE,TC_ADJUST,TIME_PERIOD,OBS_VALUE,OBS_STATUS'
  return `STRUCTURE,STRUCTURE_ID,ACTION,${header}\n${rows.join('\n')}\n`
}

/** Three days of every minute, at one venue: as many bars per asset as four venues have in a day. */
async function candles(): Promise<Ingestion> {
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://venue')
    const from = Number(searchParams.get('startTime'))
    const to = Number(searchParams.get('endTime'))
    const rows: unknown[] = []
    for (let ms = Math.ceil(from / MINUTE_MS) * MINUTE_MS; ms <= to; ms += MINUTE_MS) {
      const figure = 100 + ((ms / MINUTE_MS) % 97)
      const price = figure.toFixed(2)
      const turnover = (2 * figure).toFixed(2)
      rows.push([ms, price, price, price, price, '2.0', ms + MINUTE_MS - 1, turnover, 5, '1.0', '100.0', '0'])
    }
    response.end(JSON.stringify(rows))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on TCP
  const from = new Date(Math.floor(Date.now() / DAY_MS - 3) * DAY_MS).toISOString().slice(0, 10)
  return {
    args: ['candles', '--venue', 'binance', '--from', from],
    env: { PROVIDER_URL_BINANCE: `http://127.0.0.1:${port}` },
    close: () => server.close(),
  }
}
