import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ofacConsolidated } from '../../../../src/ingest/providers/ofac/consolidated-csv.js'
import { countKinds } from '../../../support/ingest/count-kinds.js'
import { samplePath } from '../../../support/samples.js'
import { readStream } from '../read-stream.js'

const ROWS = samplePath('sanctions/ofac/cons_prim.csv')
const COMMENTS = samplePath('sanctions/ofac/cons_comments.csv')
const text = (path: string | null) => readFileSync(path ?? '', 'latin1')

it.skipIf(ROWS === null || COMMENTS === null)(
  'the recorded lists beside the SDN list give every identifier by kind, and are proven whole by their end marks (skips without samples)',
  async () => {
    const { rows, rejections } = await readStream(ofacConsolidated, `${text(ROWS)}\n${text(COMMENTS)}`)
    expect(rows).toHaveLength(266)
    expect(rows[0]?.body).toMatchObject({ list: 'us_ofac_cons', isComplete: true, isProven: true })
    expect(countKinds(rows)).toEqual({
      bic: 17,
      isin: 105,
      lei: 8,
      national_id: 2,
      other: 2,
      registration: 281,
      tax_id: 129,
      ticker: 48,
    })
    expect(rejections.map((reason) => reason.slice(0, 32))).toEqual([
      'line 224: the ISIN "BRC1EODR004"',
      'line 226: the ISIN "CND10002K094',
      'line 226: the ISIN "CND10002G601',
    ])
  },
)
