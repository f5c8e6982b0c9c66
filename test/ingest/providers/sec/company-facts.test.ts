import { describe, expect, it } from 'vitest'
import { parseCik } from '../../../../src/core/identifiers.js'
import { BrokenBody } from '../../../../src/ingest/feed.js'
import { companyFacts, companyFactsFile } from '../../../../src/ingest/providers/sec/company-facts.js'
import { readStream } from '../read-stream.js'
import { CELLS } from './fact-cells.js'

/** A body with these facts of one tag. */
function bodyOf(facts: readonly object[], { tag = 'Revenues', unit = 'USD', cik = 1045810 as unknown } = {}) {
  const units = { [unit]: facts }
  const gaap = { [tag]: { label: 'Ünits "USD"', description: 'units', units } }
  return { cik, entityName: 'NVIDIA CORP', facts: { 'us-gaap': gaap } }
}

const read = (body: unknown) =>
  readStream(companyFactsFile, typeof body === 'string' ? body : JSON.stringify(body))
const broken = async (body: string | Uint8Array) => {
  const error = await readStream(companyFactsFile, body).catch((reason: unknown) => reason)
  if (!(error instanceof BrokenBody)) throw new Error(`no BrokenBody but ${String(error)}`)
  return error.message
}

describe('facts of a company', () => {
  it('are read with their period, filing and exact value', async () => {
    const { start: _start, ...instant } = CELLS
    const { rows, rejections } = await read(
      bodyOf([
        CELLS,
        { ...instant, val: 4.93 },
        { ...CELLS, val: -0.1, end: '2025-01-27', filed: '2025-02-27', accn: '0001045810-25-000024' },
      ]),
    )
    expect(rejections).toEqual([])
    expect(rows).toEqual([
      {
        cik: '0001045810',
        taxonomy: 'us-gaap',
        tag: 'Revenues',
        unit: 'USD',
        periodStart: '2024-01-29',
        periodEnd: '2025-01-26',
        accession: '0001045810-25-000023',
        form: '10-K',
        filed: '2025-02-26',
        value: '130497000000',
      },
      expect.objectContaining({ periodStart: null, value: '4.93' }),
      expect.objectContaining({ value: '-0.1', accession: '0001045810-25-000024' }),
    ])
  })

  it('have the tags, units and reports that figures use', async () => {
    expect(await read(bodyOf([CELLS], { tag: 'Goodwill' }))).toEqual({ rows: [], rejections: [] })
    for (const unit of ['pure', 'EUR/pure', 'sqm'])
      expect(await read(bodyOf([CELLS], { unit }))).toEqual({ rows: [], rejections: [] })
    // No figure is made of it; it says why there is none.
    expect((await read(bodyOf([CELLS], { unit: 'EUR' }))).rows).toMatchObject([{ unit: 'EUR' }])
    expect(await read(bodyOf([{ ...CELLS, form: 'DEF 14A' }]))).toEqual({ rows: [], rejections: [] })
    expect((await read(bodyOf([{ ...CELLS, form: '10-K/A' }], { cik: '0001045810' }))).rows).toHaveLength(1)
  })

  it.each([
    [{ val: undefined }, 'val is missing'],
    [{ val: '12' }, 'val is "12"'],
    [{ val: null }, 'val is "null"'],
    [{ end: '2025-02-30' }, 'end is "2025-02-30"'],
    [{ start: '2025-13-01' }, 'start is "2025-13-01"'],
    [{ start: '2025-02-01' }, 'the period ends before it starts'],
    [{ accn: '1-2-3' }, 'accn is "1-2-3"'],
    [{ filed: '2025-01-01' }, 'it was filed on 2025-01-01, before the period ended'],
    [{ filed: '2026-11-21' }, 'it was filed on 2026-11-21, which is in the future'],
    [{ form: 7 }, 'form is "7"'],
  ])('with %j are rejected with the reason, without affecting others', async (cells, reason) => {
    const good = { ...CELLS, accn: '0001045810-26-000021' }
    const { rows, rejections } = await read(bodyOf([{ ...CELLS, ...cells }, good]))
    expect(rows.map(({ accession }) => accession)).toEqual(['0001045810-26-000021'])
    expect(rejections).toEqual([expect.stringContaining(reason)])
  })

  it('beyond the decimal range, and contradictory duplicates, are rejected', async () => {
    const text = JSON.stringify(bodyOf([CELLS]))
    expect((await read(text.replace('130497000000', '1e400'))).rejections).toEqual([
      'us-gaap:Revenues, 0001045810-25-000023, 2025-01-26: the value "Infinity" is not a decimal in the supported range',
    ])
    expect((await read(text.replace('"val"', '"val":1,"val"'))).rejections).toEqual([
      expect.stringContaining('"val" appears twice'),
    ])
    expect((await read(bodyOf([CELLS, CELLS]))).rows).toHaveLength(1)
  })

  it('that contradict each other are all refused, in any order, and others are accepted', async () => {
    const other = { ...CELLS, accn: '0001045810-26-000021' }
    const reason = 'the filing states the period more than once, with 130497000000 and 5; none is used'
    const { rows, rejections } = await read(bodyOf([CELLS, other, CELLS, { ...CELLS, val: 5 }]))
    expect(rows.map(({ accession }) => accession)).toEqual([other.accn])
    expect(rejections).toEqual(Array(2).fill(expect.stringContaining(reason)))
  })

  it('are refused if the body as a whole is something else', async () => {
    const text = JSON.stringify(bodyOf([CELLS]))
    expect(await broken('')).toBe('the body is empty')
    expect(await broken('  \n')).toBe('the body is empty')
    expect(await broken('<!DOCTYPE html><html>Your request rate')).toBe('the body is HTML or XML, not JSON')
    expect(await broken('{"cik":1045810,"entityName":"X"}')).toMatch(/has no facts/)
    expect(await broken('[]')).toMatch(/has no facts/)
    expect(await broken(text.slice(0, -40))).toBe('the body is cut off')
    expect(await broken(text.replace('130497000000', 'NaN'))).toBe('the body is not JSON')
    expect(await broken(text.replace('"end":', '"end",'))).toMatch(/^the body is not JSON/)
    expect(await broken(text.replace(']}', '}}'))).toMatch(/^the body is not JSON/)
    expect(await broken(`${text}{}`)).toBe('the body is not JSON: text follows its end')
    expect(await broken(text.replace('1045810', '0'))).toBe('the body has "0" in place of a CIK')
    expect(await broken(text.replace('{"cik":1045810,', '{"cik":1045810,"cik":1,'))).toMatch(/CIK twice/)
    expect(await broken(text.replace('{"cik":1045810,', '{'))).toMatch(/does not state its company/)
    expect(await broken(Buffer.from(text, 'utf16le'))).toMatch(/^the body is not/)
    expect(await broken(Buffer.from(text.replace('Ünits', 'Ünits'), 'latin1'))).toBe(
      'the body is not UTF-8 text',
    )
    const list = `"Revenues":{"units":{"USD":[]}},`
    expect(await broken(text.replace('"Revenues":', `${list}"Revenues":`))).toMatch(
      /Revenues units USD" twice/,
    )
    expect(await broken(`${'['.repeat(30)}`)).toBe('the body is nested too deeply')
  })

  it('of another company than requested are refused', async () => {
    const cik = parseCik('320193')
    if (cik === null) throw new Error('a CIK is read')
    const feed = companyFacts(cik)
    expect(feed.request?.(new Date())).toEqual({
      url: 'https://data.sec.gov/api/xbrl/companyfacts/CIK0000320193.json',
      headers: { accept: 'application/json', 'user-agent': 'SEC_USER_AGENT' },
      rate: { provider: 'sec', pauseMs: 150, blockMs: 600_000 },
    })
    await expect(readStream(feed, JSON.stringify(bodyOf([CELLS])))).rejects.toThrow(
      'the body belongs to the company 0001045810, not to 0000320193',
    )
  })
})
