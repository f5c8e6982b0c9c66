import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { rowsOfReport } from '../../../../src/ingest/bodies/etf/etf-report.js'
import { parseNport } from '../../../../src/ingest/providers/sec/nport.js'
import { samplePath } from '../../../support/samples.js'
import { AT, bytes, chunksOf, IVV, SPSK, SPY } from '../funds.js'
import { filingBody, securityBody } from './nport-bodies.js'

const FUNDS = [IVV, SPSK, SPY]
const parse = (body: Uint8Array, fund = null as typeof IVV | null) =>
  parseNport(chunksOf(body.subarray(0, 7), body.subarray(7)), { funds: FUNDS, fund, filing: null }, AT)
const textOf = (body: Uint8Array) => new TextDecoder().decode(body)

describe('a filing of N-PORT', () => {
  it('is dated by repPdDate; percentages become fractions, and N/A becomes null', async () => {
    const securities = [
      securityBody({ name: 'N/A', title: 'Swap', pctVal: '-0.5' }),
      securityBody({ isin: 'US0378331005', lei: 'HWUPKR0MPOU8FGXBT394', pctVal: '99.5' }),
    ]
    const { report, holdings } = await parse(filingBody({ securities }))
    expect(report).toMatchObject({
      assetId: IVV.assetId,
      asOf: '2026-03-31',
      weightSum: '0.99',
      nav: null,
      netAssetsUsd: '1000000',
      isAmendment: false,
    })
    expect(holdings).toMatchObject([
      {
        name: 'Apple Inc.',
        isin: 'US0378331005',
        lei: 'HWUPKR0MPOU8FGXBT394',
        weight: '0.995',
        shares: '10',
      },
      { name: 'Swap', isin: null, lei: null, weight: '-0.005', unverified: [] },
    ])
  })

  it('keeps identifiers that fail their check as texts, and ignores those of nested references', async () => {
    const more =
      '<derivativeInfo><optionSwaptionWarrantDeriv><descRefInstrmnt><otherRefInst><identifiers><isin value="US0378331005"/></identifiers></otherRefInst></descRefInstrmnt></optionSwaptionWarrantDeriv></derivativeInfo>'
    const { holdings } = await parse(
      filingBody({ securities: [securityBody({ lei: '549300DW2HDK2LFFB779', more })] }),
    )
    expect(holdings).toMatchObject([{ isin: null, lei: null, unverified: ['lei 549300DW2HDK2LFFB779'] }])
  })

  it('is complete by its holdings, with its cash, or up to the fund’s debts', async () => {
    const of = async (pctVal: string, more: { readonly cash?: string; readonly totAssets?: string } = {}) => {
      const parsed = await parse(filingBody({ securities: [securityBody({ pctVal })], ...more }))
      return [...rowsOfReport(parsed)].length
    }
    expect(await of('95')).toBe(1)
    expect(await of('105')).toBe(1)
    await expect(of('94.9')).rejects.toThrow('sum to 0.949, not to between 0.95 and 1.05')
    await expect(of('105.1')).rejects.toThrow('quarantined')
    expect(await of('60', { cash: '400000' })).toBe(1)
    await expect(of('60', { cash: '100000' })).rejects.toThrow('sum to 0.7 with the cash beside them')
    expect(await of('112', { totAssets: '1100000' })).toBe(1)
    await expect(of('116', { totAssets: '1100000' })).rejects.toThrow('0.95 and 1.15')
  })

  it('belongs to the fund of its series, or of its registrant without a series', async () => {
    const trust = textOf(filingBody({ seriesId: 'N/A' })).replace('0001100663', '0000884394')
    expect((await parse(bytes(trust))).report.assetId).toBe(SPY.assetId)
    await expect(parse(filingBody({ seriesId: 'S000000001' }))).rejects.toThrow('name the fund with --etf')
    expect((await parse(filingBody({ seriesId: 'S000000001' }), SPY)).report.assetId).toBe(SPY.assetId)
    await expect(parse(filingBody({}), SPSK)).rejects.toThrow('belongs to series "S000004310", not to SPSK')
    await expect(parse(filingBody({}), SPY)).rejects.toThrow('not to SPY')
  })

  it.each([
    ['NaN', 'NaN'],
    ['a number beyond all', '1e400'],
    ['no number', ''],
  ])('rejects a security whose weight is %s', async (_what, pctVal) => {
    const { rejections, holdings } = await parse(
      filingBody({ securities: [securityBody({ pctVal }), securityBody({})] }),
    )
    expect(holdings).toHaveLength(1)
    expect(rejections).toMatchObject([
      { position: 'security 1, "Apple Inc."', reason: expect.stringContaining('pctVal') },
    ])
  })

  const GOOD = textOf(filingBody({}))
  it.each([
    ['HTML', bytes('<html><body>no</body></html>'), 'it begins with "html"'],
    ['nothing', bytes(''), 'not XML'],
    ['a body that is cut', bytes(GOOD.slice(0, GOOD.indexOf('</invstOrSecs>'))), 'cut off'],
    ['another form', filingBody({ form: '13F-HR' }), 'has the form "13F-HR"'],
    ['no day', filingBody({ day: '2026-02-30' }), 'is not a day'],
    ['a day to come', filingBody({ day: '2027-02-28' }), 'in the future'],
    [
      'two days',
      bytes(GOOD.replace('<repPdDate>', '<repPdDate>2025-12-31</repPdDate><repPdDate>')),
      'has two different values',
    ],
    ['amounts beyond all', filingBody({ totAssets: '1e400' }), 'totAssets'],
    ['another encoding', Uint8Array.from([...bytes(GOOD), 0xe9]), 'UTF-8'],
    ['a document type', bytes('<!DOCTYPE a [<!ENTITY b "c">]><edgarSubmission/>'), 'document type'],
  ])('refuses %s completely', async (_what, body, reason) => {
    await expect(parse(body)).rejects.toThrow(reason)
  })
})

const ADVANCED = samplePath('sec/NPORT-P_AdvancedSeries_S000030880_20221230.xml')
const DUPREE = samplePath('sec/NPORT-P_Dupree_S000012000_20221231.xml')
const OFFICIAL = samplePath('sec/NPORT_SEC_official_sample3.xml')
const TRIMMED = samplePath('sec/NPORT-P_IVV_S000004310_20260331_trimmed.xml')
const LATER = samplePath('sec/NPORT-P_IVV_S000004310_20260630_trimmed.xml')

/** Percents of a filing, by another way than the parser's. */
function percentsOf(text: string): readonly number[] {
  const plain = text.replace(/<!--[\s\S]*?-->/g, '')
  return [...plain.matchAll(/<pctVal>([^<]*)<\/pctVal>/g)].map(([, percent]) => Number(percent))
}

const RECORDED = [ADVANCED, DUPREE, OFFICIAL, TRIMMED, LATER].flatMap((path) => path ?? [])

/** The LEIs and ISINs of the holdings of a filing, and whether their check digits are right; by another way than the gateway's. */
function statedIdentifiers(text: string) {
  const plain = text
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/<derivativeInfo>[\s\S]*?<\/derivativeInfo>/g, '')
  const digits = (id: string) => Array.from(id, (character) => Number.parseInt(character, 36)).join('')
  const isLei = (id: string) => /^[0-9A-Z]{18}\d\d$/.test(id) && BigInt(digits(id)) % 97n === 1n
  const isIsin = (id: string) =>
    /^[A-Z]{2}[0-9A-Z]{9}\d$/.test(id) &&
    Array.from(digits(id), Number)
      .reverse()
      .map((digit, at) => (at % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2))
      .reduce((sum, digit) => sum + digit, 0) %
      10 ===
      0
  return plain
    .split('<invstOrSec>')
    .slice(1)
    .flatMap((security) => {
      const [, lei = 'N/A'] = /<lei>([^<]*)</.exec(security) ?? []
      const [, isin = 'N/A'] = /<isin value="([^"]*)"/.exec(security) ?? []
      return [
        { kind: 'isin', text: isin, isRight: isIsin(isin) },
        { kind: 'lei', text: lei, isRight: isLei(lei) },
      ]
    })
    .filter(({ text: id }) => id !== 'N/A')
}

describe('recorded filings of N-PORT (each skipped without its sample file)', () => {
  it.skipIf(ADVANCED === null).each([[ADVANCED], [DUPREE], [OFFICIAL], [TRIMMED], [LATER]])(
    'have as many holdings, and the same sum of weights, as the file: %s',
    async (path) => {
      if (path === null) return
      const body = await readFile(path)
      const { report, rejections } = await parse(body, SPY).catch(() => parse(body))
      const percents = percentsOf(body.toString())
      expect(rejections).toEqual([])
      expect(report.holdingsCount).toBe(percents.length)
      expect(Number(report.weightSum)).toBeCloseTo(
        percents.reduce((sum, percent) => sum + percent, 0) / 100,
        12,
      )
    },
  )

  it.skipIf(ADVANCED === null)('of a liquidated fund are complete by their cash', async () => {
    const parsed = await parse(await readFile(ADVANCED ?? ''), SPY)
    expect(parsed.report).toMatchObject({
      asOf: '2022-12-30',
      holdingsCount: 0,
      uninvestedCash: '1.026475070124',
    })
    expect([...rowsOfReport(parsed)]).toMatchObject([{ kind: 'row', row: { holding: null } }])
  })

  it.skipIf(OFFICIAL === null)(
    'of the SEC as an example keep their fictitious identifiers as texts',
    async () => {
      const { holdings } = await parse(await readFile(OFFICIAL ?? ''), SPY)
      expect(holdings).toMatchObject([
        { name: 'token', isin: null, lei: null, assetCategory: 'other', country: 'AF' },
      ])
      expect(holdings[0]?.unverified).toEqual(['isin USAHJNP*@#11', 'lei 1234567890'])
    },
  )

  it.skipIf(RECORDED.length === 0)(
    'have each LEI and ISIN that passes its check as an identifier, and each other as a text',
    async () => {
      const failing: string[] = []
      for (const path of RECORDED) {
        const body = await readFile(path)
        const { report, holdings } = await parse(body, SPY).catch(() => parse(body))
        const stated = statedIdentifiers(body.toString())
        const wrong = stated.filter(({ isRight }) => !isRight).map(({ kind, text }) => `${kind} ${text}`)
        process.stdout.write(
          `${basename(path)}: ${report.holdingsCount} holdings, weight sum ${report.weightSum}, ${stated.length} LEIs and ISINs, failing: ${wrong.join(', ') || 'none'}\n`,
        )
        const served = holdings.flatMap(({ isin, lei }) => [isin, lei]).filter((one) => one !== null)
        const right = stated.filter(({ isRight }) => isRight).map(({ text }) => text)
        expect(served.toSorted(), path).toEqual(right.toSorted())
        expect(holdings.flatMap(({ unverified }) => unverified).toSorted(), path).toEqual(wrong.toSorted())
        failing.push(...wrong)
      }
      expect(failing).toContain('lei 1234567890')
    },
  )

  it.skipIf(TRIMMED === null)('that are truncated are read, and quarantined', async () => {
    const parsed = await parse(await readFile(TRIMMED ?? ''))
    expect(parsed.report).toMatchObject({ netAssetsUsd: '720543356320.99', weightSum: '0.07634626464341' })
    expect(parsed.holdings[0]).toMatchObject({ isin: 'US67066G1040', weight: '0.07564382338558' })
    expect(() => [...rowsOfReport(parsed)]).toThrow('sum to 0.0763463')
  })

  it.skipIf(LATER === null)('mark an LEI that fails its check', async () => {
    const { holdings } = await parse(await readFile(LATER ?? ''))
    expect(holdings.flatMap(({ unverified }) => unverified)).toEqual([expect.stringMatching(/^lei /)])
  })
})
