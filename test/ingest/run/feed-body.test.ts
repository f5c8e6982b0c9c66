import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { euJournal } from '../../../src/ingest/providers/eu-sanctions/journal-csv.js'
import { withBodyStream } from '../../../src/ingest/run/feed-body.js'

const HEADER = 'celex,recordId,programKey,annex,measure,startDate,reason,schema,name,leiCode'
const ROW = '32014R0269,1,EU-UKR,I,Asset freeze,1.1.2020,,Company,A,'

describe('a body of several files', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bodies-'))
    await writeFile(join(folder, 'one.csv'), `${HEADER}\n${ROW}\n32014R0269,2`)
    await writeFile(
      join(folder, 'two.csv'),
      `${HEADER}\n${ROW}\n32014R0269,"3,\n${ROW.replace('A,', '"B "b" B",')}\n`,
    )
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const rejectionsOf = async (...names: readonly string[]) => {
    const [path = '', ...more] = names.map((name) => join(folder, name))
    const now = new Date('2026-11-20T12:00:00Z')
    return withBodyStream(
      euJournal,
      { kind: 'file', path, more },
      { now, downloadBody: undefined },
      async (body) => {
        const { positionOf } = body
        const context = { now, onRead: () => {}, onAbsent: () => {}, ...(positionOf ? { positionOf } : {}) }
        const rejections: string[] = []
        for await (const item of euJournal.parseStream(
          body.chunks(() => {}),
          context,
        ))
          if (item.kind === 'rejected') rejections.push(`${item.position}: ${item.reason}`)
        return rejections
      },
    )
  }

  it('names the file and the line in it of each rejection', async () => {
    expect(await rejectionsOf('one.csv', 'two.csv')).toEqual([
      'one.csv, line 3: has 2 cells, but the header has 10',
      'two.csv, line 3: has a quote that is never closed',
      'two.csv, line 4: the entry is repeated with different content',
    ])
    expect(await rejectionsOf('one.csv')).toEqual(['line 3: has 2 cells, but the header has 10'])
  })
})
