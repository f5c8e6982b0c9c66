import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ScreeningRow } from '../../../../src/domains/screening/model.js'
import { BrokenBody } from '../../../../src/ingest/feed.js'
import {
  openSanctionsDelta,
  openSanctionsEntities,
} from '../../../../src/ingest/providers/opensanctions/entities-json.js'
import { leisOf } from '../../../support/ingest/leis-of.js'
import { samplePath } from '../../../support/samples.js'
import { lines, readStream } from '../read-stream.js'

const LEI = '253400WSS48YWMBUA688'

function company(id: string, properties: object = {}, more: object = {}) {
  return {
    id,
    caption: 'Made-up Bank — Банк',
    schema: 'Company',
    properties: { leiCode: [LEI.toLowerCase()], topics: ['sanction', 'fin.bank'], ...properties },
    referents: ['ofac-1', 'Q1'],
    datasets: ['us_ofac_sdn', 'eu_fsf'],
    last_seen: '2026-11-19T10:00:00',
    ...more,
  }
}

function sanction(id: string, entity: string, properties: object = {}) {
  const dates = { listingDate: ['2022-02-24', '2022'], startDate: ['2022-03-26'] }
  const all = { entity: [entity], programId: ['US-RUSHAR'], ...dates, ...properties }
  return { id, caption: 'x', schema: 'Sanction', properties: all, referents: [], datasets: ['us_ofac_sdn'] }
}

const jsonOf = (...values: readonly unknown[]) => lines(...values.map((value) => JSON.stringify(value)))
const shortOf = (row: ScreeningRow): string => {
  if (row.kind === 'gone') return `gone ${row.id}`
  const { programs, lists } = row
  return row.kind === 'subject'
    ? `${row.subjectId} ${leisOf(row)} ${row.isListed} ${lists} ${row.referents}`
    : `${row.listingId} of ${row.subjectId} ${programs} ${lists} ${row.listedOn} ${row.endedOn}`
}

describe('entities of OpenSanctions', () => {
  it('include those with an LEI, and all designations with their days', async () => {
    const { rows, rejections } = await readStream(
      openSanctionsEntities,
      jsonOf(
        sanction('s-1', 'NK-1', { endDate: ['2025-01-31'] }),
        company('NK-1'),
        company('NK-2', { topics: ['sanction.linked'] }),
        company('NK-3', { leiCode: [] }),
        { ...company('NK-4'), schema: 'Person', properties: { name: ['A'] } },
      ),
    )
    expect(rejections).toEqual([])
    expect(rows.map(shortOf)).toEqual([
      's-1 of NK-1 US-RUSHAR us_ofac_sdn 2022-03-26 2025-01-31',
      `NK-1 ${LEI} true eu_fsf,us_ofac_sdn Q1,ofac-1`,
      `NK-2 ${LEI} false  Q1,ofac-1`,
    ])
    expect(rows[1]).toMatchObject({
      name: 'Made-up Bank — Банк',
      observedAt: new Date('2026-11-19T10:00:00Z'),
      body: { list: 'opensanctions', isWhole: true, isComplete: true },
    })
  })

  it('that are wrong are rejected, each with its reason, and then the file is not complete', async () => {
    const twice = JSON.stringify(company('NK-9')).replace('{"id"', '{"id":"NK-8","id"')
    const body = lines(
      JSON.stringify(company('NK-1')),
      JSON.stringify(company('NK-1')),
      JSON.stringify(company('NK-1', { topics: [] })),
      JSON.stringify(company('NK-2', { leiCode: ['851683897'] })),
      twice,
      JSON.stringify({ ...company('NK-3'), schema: undefined }),
      JSON.stringify({ detail: 'Rate limit exceeded' }),
      JSON.stringify({ ...company('NK-4'), properties: [] }),
      '{"id":"NK-5","schema":"Company","first":NaN}',
      JSON.stringify({ ...sanction('s-1', ''), properties: {} }),
      JSON.stringify(company('NK-6', {}, { last_seen: '2999-01-01T00:00:00' })),
      JSON.stringify(company('NK-7')).slice(0, 40),
    )
    const { rows, rejections } = await readStream(openSanctionsEntities, body)
    expect(
      rows.map((row) => (row.kind === 'subject' ? [row.subjectId, row.observedAt?.getTime()] : row.kind)),
    ).toEqual([
      ['NK-1', Date.parse('2026-11-19T10:00:00Z')],
      ['NK-6', undefined],
    ])
    expect(rejections).toEqual([
      'line 3: the entity "NK-1" is repeated with different content',
      'line 4: the LEI "851683897" must be an LEI: 18 letters or digits and 2 check digits',
      'line 5: has the member "id" more than once',
      'line 6: the entity "NK-3" has no schema',
      'line 7: has no id of an entity',
      'line 8: the entity "NK-4" has no properties',
      expect.stringContaining('line 9: is not JSON'),
      'line 10: the sanction "s-1" names no entity',
      expect.stringContaining('line 12: is not JSON'),
    ])
    expect(rows[0]?.body.isComplete).toBe(false)
  })

  it.each([
    ['an HTML page', '<html></html>'],
    ['nothing', ' \n\n'],
    ['a list', '[]'],
    ['an answer that is an error', '{"detail":"Not found"}'],
    ['Latin-1', Buffer.from(jsonOf(company('NK-1', { name: ['é'] })), 'latin1')],
    ['UTF-16', Buffer.from(jsonOf(company('NK-1')), 'utf16le')],
    ['a line without end', `{"id":"${'x'.repeat(17 * 1024 * 1024)}`],
  ])('are refused completely if the body is %s', { timeout: 60_000 }, async (_what, body) => {
    await expect(readStream(openSanctionsEntities, body)).rejects.toThrow(BrokenBody)
    await expect(readStream(openSanctionsDelta, body)).rejects.toThrow(BrokenBody)
  })
})

describe('a delta of OpenSanctions', () => {
  it('adds, changes and deletes; an entity without an LEI is removed', async () => {
    const { rows, rejections } = await readStream(
      openSanctionsDelta,
      jsonOf(
        { op: 'ADD', entity: company('NK-1') },
        { op: 'MOD', entity: sanction('s-1', 'NK-1') },
        { op: 'MOD', entity: company('NK-2', { leiCode: [] }) },
        { op: 'DEL', entity: { id: 'NK-3' } },
        { op: 'UPSERT', entity: company('NK-4') },
        { op: 'DEL' },
        { op: 'DEL', entity: { id: '' } },
      ),
    )
    expect(rows.map(shortOf)).toEqual([
      `NK-1 ${LEI} true eu_fsf,us_ofac_sdn Q1,ofac-1`,
      's-1 of NK-1 US-RUSHAR us_ofac_sdn 2022-03-26 null',
      'gone NK-2',
      'gone NK-3',
    ])
    expect(rejections).toEqual([
      'line 5: has no operation ADD, MOD or DEL',
      'line 6: has no entity',
      'line 7: has no id of an entity',
    ])
    expect(rows[0]?.body.isWhole).toBe(false)
  })
})

const ENTITIES = samplePath('opensanctions/yente_t1_entities.ftm.json')
const DELTA = samplePath('opensanctions/yente_t2_entities.delta.json')

describe.skipIf(ENTITIES === null || DELTA === null)(
  'recorded bodies (skipped without their samples)',
  () => {
    it('are read line by line; none of their entities has an LEI', async () => {
      expect(await readStream(openSanctionsEntities, readFileSync(ENTITIES ?? ''))).toEqual({
        rows: [],
        rejections: [],
      })
      const { rows, rejections } = await readStream(openSanctionsDelta, readFileSync(DELTA ?? ''))
      expect(rejections).toEqual([])
      expect(rows.map(shortOf)).toEqual(['gone NK-2T3S8Hu29ktYnKSTgQp2wL', 'gone NK-2sJaJRaPJcWUfMbHjTtWcL'])
    })
  },
)
