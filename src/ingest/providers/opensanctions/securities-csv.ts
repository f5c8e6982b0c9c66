import { PROVIDERS } from '../../../core/providers.js'
import { leiIdentifiers } from '../../../domains/screening/identifiers-model.js'
import {
  distinctTexts,
  findLeiCodes,
  joinLeiCodes,
  type ListBody,
  parseLeiCodes,
  type ScreeningRow,
} from '../../../domains/screening/model.js'
import { type CsvRecord, csvRecordStream } from '../../bodies/csv/csv.js'
import { CsvHeader } from '../../bodies/csv/csv-header.js'
import { DuplicateRows } from '../../bodies/duplicate-rows.js'
import { BrokenBody, type ParseContext, type Parsed, quoted, type StreamFeed } from '../../feed.js'
import { isSanctionsList } from './sanctions-lists.js'
import { createStatedSize } from './stated-size.js'

const LIST = 'opensanctions_securities'

/** Issuers of securities with their LEIs, sanctioned or not. */
export const openSanctionsSecurities: StreamFeed<ScreeningRow> = {
  id: 'opensanctions-securities',
  provider: PROVIDERS.openSanctions,
  dataset: 'screening',
  part: LIST,
  description: 'Issuers of securities by LEI, and whether they are sanctioned',
  cadence: 'daily, where SCHEDULE names opensanctions',
  fileNames: ['securities.csv'],
  request: () => ({
    url: 'https://data.opensanctions.org/datasets/latest/securities/securities.csv',
    headers: { accept: 'text/csv' },
  }),
  statedSize: createStatedSize('securities', 'securities.csv'),
  parseStream: parseSecurities,
}

const REQUIRED = ['caption', 'lei', 'sanctioned', 'id', 'risk_datasets', 'referents'] as const

/** Columns in which an LEI may be that of another entity: ids and references are made of LEIs. */
const REFERENCES = ['id', 'url', 'referents', 'datasets', 'risk_datasets'] as const

type Column = (typeof REQUIRED)[number]

/** Reads the table by column name; rows without an LEI are left out. */
export async function* parseSecurities(
  chunks: AsyncIterable<Uint8Array>,
  { onAbsent }: ParseContext,
): AsyncGenerator<Parsed<ScreeningRow>> {
  const body: ListBody = { list: LIST, isWhole: true, isComplete: false }
  const duplicates = new DuplicateRows()
  let header: CsvHeader<Column> | null = null
  let isDamaged = false
  let rows = 0
  for await (const record of csvRecordStream(chunks, { keepsBrokenLines: true })) {
    if (header === null) {
      header = CsvHeader.read(record.cells, REQUIRED)
      continue
    }
    rows += 1
    const position = `line ${record.line}`
    const wrong = wrongRow(record, header)
    if (wrong !== null) {
      isDamaged = true
      yield { kind: 'rejected', position, reason: wrong }
      continue
    }
    const id = header.cell(record, 'id')
    const read = [...rowsOf(record, header, body)]
    const isRow = read.some(({ kind }) => kind === 'row')
    const double = isRow || duplicates.has(id) ? duplicates.note(id, JSON.stringify(record.cells)) : 'new'
    if (double === 'new') yield* read
    if (double === 'same' || (double === 'new' && read.length === 0)) onAbsent()
    if (double === 'new' || double === 'same') continue
    isDamaged = true
    const reason = `the issuer ${quoted(id)} is repeated with different content`
    const contradicts = { kind: 'gone', body, id, observedAt: null } as const
    yield { kind: 'rejected', position, reason, ...(double === 'other' ? { contradicts } : {}) }
  }
  if (rows === 0) throw new BrokenBody('the table has no rows')
  body.isComplete = !isDamaged
}

function wrongRow(record: CsvRecord, header: CsvHeader<Column>): string | null {
  const wrong = header.explain(record)
  if (wrong !== null) return wrong
  const id = header.cell(record, 'id')
  if (id === '') return 'has no id'
  const sanctioned = header.cell(record, 'sanctioned')
  const isFlag = sanctioned === 't' || sanctioned === 'f'
  return isFlag ? null : `sanctioned is ${quoted(sanctioned)}, neither t nor f`
}

function* rowsOf(
  record: CsvRecord,
  header: CsvHeader<Column>,
  body: ListBody,
): Generator<Parsed<ScreeningRow>> {
  const elsewhere = findLeiCodes(header.otherCells(record, ['lei', ...REFERENCES]))
  const { leis, refused } = joinLeiCodes(parseLeiCodes(header.list(record, 'lei')), elsewhere)
  for (const reason of refused) yield { kind: 'rejected', position: `line ${record.line}`, reason }
  if (leis.length === 0) return
  const datasets = header.list(record, 'risk_datasets')
  const lists = datasets.filter(isSanctionsList)
  const isSanctioned = header.cell(record, 'sanctioned') === 't'
  const isListed = isSanctioned && lists.length > 0
  if (isSanctioned && !isListed) {
    const names = distinctTexts(datasets).join(', ') || 'none'
    const reason = `the issuer is marked as sanctioned, but none of its datasets is a known sanctions list: ${names}`
    yield { kind: 'rejected', position: `line ${record.line}`, reason }
  }
  yield {
    kind: 'row',
    row: {
      kind: 'subject',
      body,
      section: '',
      subjectId: header.cell(record, 'id'),
      identifiers: leiIdentifiers(leis),
      name: header.cell(record, 'caption') || null,
      isListed,
      lists: isListed ? distinctTexts(lists) : [],
      programs: [],
      listedOn: null,
      referents: distinctTexts(header.list(record, 'referents')),
      observedAt: null,
    },
  }
}
