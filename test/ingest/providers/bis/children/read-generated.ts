// Reads a generated body of the BIS of so many bytes, a row per observation, and prints the counts and how far memory grew.
import { parseBis } from '../../../../../src/ingest/providers/bis/bis-csv.js'

const bytes = Number(process.argv[2])

const HEADER =
  'DATAFLOW,FREQ,BORROWERS_CTY,TC_BORROWERS,TC_LENDERS,VALUATION,UNIT_TYPE,TC_ADJUST,TIME_PERIOD,OBS_VALUE,UNIT_MULT,UNIT_MEASURE,TITLE_TS,OBS_STATUS,OBS_CONF\n'
const QUARTERS = 400

/** Series of a hundred years each. */
async function* body(): AsyncGenerator<Uint8Array> {
  yield Buffer.from(HEADER)
  for (let sent = 0, series = 0; sent < bytes; series++) {
    const key = `Q,X${series},P,A,M,USD,A`
    const lines = Array.from({ length: QUARTERS }, (_, at) => {
      const period = `${1920 + Math.floor(at / 4)}-Q${(at % 4) + 1}`
      return `BIS:WS_TC(2.0),${key},${period},${series + at}.125,9,USD,Area ${series} - Credit to the private non-financial sector - US dollar,A,F`
    })
    const chunk = Buffer.from(`${lines.join('\n')}\n`)
    sent += chunk.length
    yield chunk
  }
}

const began = performance.now()
const before = process.memoryUsage().rss
let [rows, rejected, peak] = [0, 0, before]
for await (const { kind } of parseBis(body(), true, {
  now: new Date(),
  onRead: () => undefined,
  onAbsent: () => undefined,
})) {
  if (kind === 'row') rows += 1
  else rejected += 1
  if (rows % 50_000 === 0) peak = Math.max(peak, process.memoryUsage().rss)
}
const megabytes = (count: number) => Math.round(count / 1e6)
const seconds = Math.round(performance.now() - began) / 1000
process.stdout.write(
  `${JSON.stringify({ rows, rejected, seconds, rssBeforeMb: megabytes(before), rssPeakMb: megabytes(peak) })}\n`,
)
