import { type CsvRecord, csvRecordStream } from '../../../core/csv.js'
import { CsvHeader } from '../../../core/csv-header.js'
import { DuplicateRows } from '../../../core/duplicate-rows.js'
import {
  distinctTexts,
  type ListBody,
  readLeiCodes,
  type ScreeningRow,
} from '../../../domains/screening/model.js'
import { BrokenBody, type ParseContext, type Parsed, quoted, type StreamFeed } from '../../feed.js'
import { openSanctions } from './provider.js'

const LIST = 'opensanctions_securities'

/** Issuers of securities with their LEIs, sanctioned or not. */
export const openSanctionsSecurities: StreamFeed<ScreeningRow> = {
  id: 'opensanctions-securities',
  provider: openSanctions,
  dataset: 'screening',
  part: LIST,
  description: 'Issuers of securities by LEI, and whether they are sanctioned',
  cadence: 'daily, where OPENSANCTIONS is on',
  fileNames: ['securities.csv'],
  request: () => ({
    url: 'https://data.opensanctions.org/datasets/latest/securities/securities.csv',
    headers: { accept: 'text/csv' },
  }),
  parseStream: parseSecurities,
}

const REQUIRED = ['caption', 'lei', 'sanctioned', 'id', 'risk_datasets', 'referents'] as const

type Column = (typeof REQUIRED)[number]

/** Reads the table by the names of its columns; rows without an LEI are left out. */
export async function* parseSecurities(
  chunks: AsyncIterable<Uint8Array>,
  _context: ParseContext,
): AsyncGenerator<Parsed<ScreeningRow>> {
  const body: ListBody = { list: LIST, isWhole: true, isComplete: false }
  const duplicates = new DuplicateRows()
  let header: CsvHeader<Column> | null = null
  let isDamaged = false
  let rows = 0
  for await (const record of csvRecordStream(chunks)) {
    if (header === null) {
      header = readHeader(record)
      continue
    }
    rows += 1
    const reason = wrongRow(record, header, duplicates)
    if (reason === 'same') continue
    if (reason === null) yield* rowsOf(record, header, body)
    else {
      isDamaged = true
      yield { kind: 'rejected', position: `line ${record.line}`, reason }
    }
  }
  if (rows === 0) throw new BrokenBody('the table has no rows')
  body.isComplete = !isDamaged
}

function readHeader({ cells }: CsvRecord): CsvHeader<Column> {
  const header = new CsvHeader<Column>(cells)
  const missing = header.missing(REQUIRED)
  if (missing !== null) throw new BrokenBody(missing)
  return header
}

function wrongRow(record: CsvRecord, header: CsvHeader<Column>, duplicates: DuplicateRows): string | null {
  const wrong = header.explain(record)
  if (wrong !== null) return wrong
  const id = header.cell(record, 'id')
  if (id === '') return 'has no id'
  const sanctioned = header.cell(record, 'sanctioned')
  if (sanctioned !== 't' && sanctioned !== 'f') return `sanctioned is ${quoted(sanctioned)}, neither t nor f`
  const outcome = duplicates.note(id, JSON.stringify(record.cells))
  if (outcome === 'new') return null
  return outcome === 'same' ? 'same' : `the issuer ${quoted(id)} is there already, and says something else`
}

function* rowsOf(
  record: CsvRecord,
  header: CsvHeader<Column>,
  body: ListBody,
): Generator<Parsed<ScreeningRow>> {
  const { leis, refused } = readLeiCodes(header.list(record, 'lei'))
  for (const reason of refused) yield { kind: 'rejected', position: `line ${record.line}`, reason }
  if (leis.length === 0) return
  const isListed = header.cell(record, 'sanctioned') === 't'
  yield {
    kind: 'row',
    row: {
      kind: 'subject',
      body,
      section: '',
      subjectId: header.cell(record, 'id'),
      leis,
      name: header.cell(record, 'caption') || null,
      isListed,
      lists: isListed ? distinctTexts(header.list(record, 'risk_datasets')) : [],
      programs: [],
      listedOn: null,
      referents: distinctTexts(header.list(record, 'referents')),
      observedAt: null,
    },
  }
}
