import { PROVIDERS } from '../../../core/providers.js'
import type { MacroObservation } from '../../../domains/macro/model.js'
import { type CsvRecord, csvRecordStream } from '../../bodies/csv/csv.js'
import { withFirstByte } from '../../bodies/first-byte.js'
import { BrokenBody, type ParseContext, type Parsed, type StreamFeed } from '../../feed.js'
import { byCron } from '../../schedule.js'
import { BIS_FLOWS, type BisFlow } from './flows.js'
import { flowOfLongBody, flowOfWideBody, type Header, periodColumns, readHeader } from './header.js'
import { longRows } from './long-body.js'
import { unzipped } from './unzipped.js'
import { wideRows } from './wide-body.js'
import { xmlRows } from './xml-body.js'

/**
 * Any CSV or generic message (SDMX-ML) of the BIS from a file, bulk or from the API. The body says which table it
 * is.
 */
export const bisFile: StreamFeed<MacroObservation> = {
  id: 'bis',
  provider: PROVIDERS.bis,
  dataset: 'bis',
  description: `A table of the BIS from a file: ${BIS_FLOWS.map(({ dataset }) => dataset.code).join(', ')}`,
  cadence: 'by file only',
  fileNames: ['WS_TC_csv_col.csv', 'WS_TC_csv_flat.zip', 'a CSV or generic XML of the API (v1 or v2)'],
  parseStream: (body, context) => parseBis(body, false, context),
}

const DAYS_A_WEEK = 7
const JITTER_MS = 3_600_000

/** The bulk file of a table, which holds all series completely. */
function bulkFeed({ dataset: { code, name } }: BisFlow, place: number): StreamFeed<MacroObservation> {
  return {
    id: `bis-${code.slice(3).toLowerCase().replaceAll('_', '-')}`,
    provider: PROVIDERS.bis,
    dataset: 'bis',
    part: code,
    description: `${name}: the whole table ${code} of the BIS`,
    cadence: 'each week; the BIS publishes each quarter, some tables each month',
    // One table per night, because some have a gigabyte.
    schedule: byCron(`20 ${place < DAYS_A_WEEK ? 2 : 14} * * ${place % DAYS_A_WEEK}`, JITTER_MS),
    fileNames: [`${code}_csv_flat.zip`, `${code}_csv_flat.csv`, `${code}_csv_col.csv`],
    request: () => ({
      url: `https://data.bis.org/static/bulk/${code}_csv_flat.zip`,
      headers: { accept: 'application/zip' },
    }),
    parseStream: (body, context) => parseBis(body, true, context),
  }
}

export const bisBulkFeeds: readonly StreamFeed<MacroObservation>[] = BIS_FLOWS.map(bulkFeed)

const LESS_THAN = 0x3c

/** Reads a body of any layout. `isWhole`: it holds every period of its series. Throws BrokenBody and BrokenCsv. */
export async function* parseBis(
  body: AsyncIterable<Uint8Array>,
  isWhole: boolean,
  context: ParseContext,
): AsyncGenerator<Parsed<MacroObservation>> {
  const { first, text } = await withFirstByte(unzipped(body))
  yield* first === LESS_THAN ? xmlRows(text, context) : csvRows(text, isWhole, context)
}

async function* csvRows(
  text: AsyncIterable<Uint8Array>,
  isWhole: boolean,
  context: ParseContext,
): AsyncGenerator<Parsed<MacroObservation>> {
  let header: Header | null = null
  let read: ((record: CsvRecord) => Generator<Parsed<MacroObservation>>) | null = null
  for await (const record of csvRecordStream(text)) {
    if (header === null) {
      header = readHeader(record.cells)
      continue
    }
    read ??= readerOf(header, record, isWhole, context)
    yield* read(record)
  }
  if (read === null) throw new BrokenBody('the table has no rows')
}

function readerOf(header: Header, first: CsvRecord, isWhole: boolean, context: ParseContext) {
  if (periodColumns(header).length === 0) {
    return longRows(header, flowOfLongBody(header, first.cells), isWhole, context)
  }
  const series = first.cells[header.columns.get('Series') ?? -1]
  if (series === undefined) throw new BrokenBody('the table has periods as columns, but no column Series')
  return wideRows(header, flowOfWideBody(header, series), context)
}
