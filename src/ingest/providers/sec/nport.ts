import { Decimal, type DecimalText, decimal, decimalText } from '../../../core/decimal.js'
import { parseCik } from '../../../core/identifiers.js'
import { PROVIDERS } from '../../../core/providers.js'
import { parseIsoDate, toIsoDate } from '../../../core/time.js'
import type { EtfReportHeader, EtfRow, Fund } from '../../../domains/etf/model.js'
import { type ParsedReport, ReportBuilder, rowsOfReport } from '../../bodies/etf/etf-report.js'
import { textOrNull } from '../../bodies/etf/holding-identifiers.js'
import { readDecimal } from '../../bodies/read-decimal.js'
import { withoutLeadingBlanks } from '../../bodies/without-leading-blanks.js'
import { type XmlTag, xmlTags } from '../../bodies/xml-tags.js'
import { BrokenBody, type ParseContext, quoted, type StreamFeed } from '../../feed.js'
import { type NportSecurity, nameOfSecurity, readSecurity } from './nport-holding.js'
import { SEC_VARIABLE, secRequest } from './request.js'

/** A filing in the list of filings. */
export interface NportFiling {
  readonly accession: string
  /** Start of the day of filing, UTC. */
  readonly publishedAt: Date
  /** Whether it amends an earlier filing. */
  readonly isAmendment: boolean
  /** URL of its document. */
  readonly url: string
}

export interface NportOptions {
  /** All ETFs of the masters. */
  readonly funds: readonly Fund[]
  /** The expected fund; null for the one that the filing names. */
  readonly fund: Fund | null
  /** Null for a file, whose filing is unknown. */
  readonly filing: NportFiling | null
}

/** One N-PORT filing: the holdings of a fund at the end of a quarter. */
export function nport(options: NportOptions): StreamFeed<EtfRow> {
  const { filing } = options
  return {
    id: 'nport',
    provider: PROVIDERS.sec,
    dataset: 'etf',
    keyVariable: SEC_VARIABLE,
    description: 'Holdings of a fund of the United States, from its filing of N-PORT',
    cadence: 'each quarter, some 60 days after its end',
    request: () => (filing === null ? null : secRequest(filing.url, 'application/xml')),
    parseStream: async function* (body, context) {
      yield* rowsOfReport(await parseNport(body, options, context))
    },
  }
}

/**
 * Reads the report of a filing, whatever the sum of its weights. Throws BrokenBody if the body is not a complete
 * filing of a known fund.
 */
export async function parseNport(
  body: AsyncIterable<Uint8Array>,
  options: NportOptions,
  context: ParseContext,
): Promise<ParsedReport> {
  const filing = new FilingReader()
  for await (const tag of xmlTags(withoutLeadingBlanks(body))) filing.read(tag)
  const { facts, grossAssets } = factsOf(filing, options, context.now)
  return filing.builder.build(facts, grossAssets)
}

const HEADER = 'edgarSubmission/headerData'
const GENERAL = 'edgarSubmission/formData/genInfo'
const FUND = 'edgarSubmission/formData/fundInfo'
const SECURITIES = 'edgarSubmission/formData/invstOrSecs'
const SECURITY = `${SECURITIES}/invstOrSec`

/** Elements about the fund, by path. */
const OF_FUND: ReadonlySet<string> = new Set([
  `${HEADER}/submissionType`,
  ...['seriesId', 'regCik', 'repPdDate'].map((name) => `${GENERAL}/${name}`),
  ...['totAssets', 'netAssets', 'cshNotRptdInCorD'].map((name) => `${FUND}/${name}`),
])

/** Elements of a security whose text is used. */
const TEXTS: ReadonlySet<string> = new Set([
  'name',
  'title',
  'lei',
  'balance',
  'units',
  'valUSD',
  'pctVal',
  'assetCat',
  'invCountry',
])

/** Elements of the current security. */
const ATTRIBUTES = ['value', 'curCd', 'exchangeRt', 'assetCat', 'issuerCat', 'desc', 'otherDesc'] as const

class FilingReader {
  readonly builder = new ReportBuilder()
  readonly #path: string[] = []
  readonly #facts = new Map<string, string>()
  #security: NportSecurity = {}
  /** All content of the current security, in order. */
  #securityText = ''
  #securities = 0

  read(tag: XmlTag): void {
    if (tag.kind === 'cut') throw new BrokenBody('the body is cut off')
    if (tag.kind === 'open') this.#open(tag)
    else this.#close(tag.name, tag.text)
  }

  /** A value of the fund; null if it is missing or `N/A`. */
  fact(path: string): string | null {
    return textOrNull(this.#facts.get(path))
  }

  #open(tag: XmlTag & { readonly kind: 'open' }): void {
    const { name } = tag
    if (this.#path.length === 0 && name !== 'edgarSubmission')
      throw new BrokenBody(`the body is not a filing: it begins with ${quoted(name)}`)
    this.#path.push(name)
    const path = this.#path.join('/')
    if (path === SECURITY) {
      this.#security = {}
      this.#securityText = ''
    }
    if (path.startsWith(SECURITY))
      this.#securityText += `<${name} ${ATTRIBUTES.map(tag.attribute).join(' ')}>`
    // References inside derivatives also have identifiers, at a deeper level.
    if (path === `${SECURITY}/identifiers/isin`) this.#security.isin ??= tag.attribute('value') ?? ''
    if (path === `${SECURITY}/identifiers/ticker`) this.#security.ticker ??= tag.attribute('value') ?? ''
    if (path === `${SECURITY}/assetConditional`) this.#security.assetCat ??= tag.attribute('assetCat') ?? ''
  }

  #close(name: string, text: string): void {
    const path = this.#path.join('/')
    this.#path.pop()
    if (path.startsWith(SECURITY)) this.#securityText += `${text.trim()}</${name}>`
    if (OF_FUND.has(path)) this.#noteFact(path, text.trim())
    else if (path === SECURITY) this.#endSecurity()
    else if (path === `${SECURITY}/${name}` && TEXTS.has(name)) {
      const field = name as keyof NportSecurity // one of TEXTS
      this.#security[field] ??= text.trim()
    }
  }

  #noteFact(path: string, text: string): void {
    const before = this.#facts.get(path)
    if (before !== undefined && before !== text)
      throw new BrokenBody(`${path.slice(path.lastIndexOf('/') + 1)} has two different values`)
    this.#facts.set(path, text)
  }

  #endSecurity(): void {
    this.#securities += 1
    const position = `security ${this.#securities}, ${quoted(nameOfSecurity(this.#security))}`
    this.builder.take(position, readSecurity(this.#security), { cells: this.#securityText })
  }
}

function factsOf(
  filing: FilingReader,
  options: NportOptions,
  now: Date,
): { readonly facts: EtfReportHeader; readonly grossAssets: DecimalText | null } {
  const form = filing.fact(`${HEADER}/submissionType`) ?? ''
  const kind = /^NPORT-(?:P|NP|EX)(\/A)?$/.exec(form)
  if (kind === null) throw new BrokenBody(`the filing has the form ${quoted(form)}, not NPORT-P`)
  const day = filing.fact(`${GENERAL}/repPdDate`) ?? ''
  // repPdEnd is the end of the fiscal year; the holdings are those of repPdDate.
  const asOf = parseIsoDate(day)
  if (asOf === null) throw new BrokenBody(`repPdDate is ${quoted(day)}, which is not a day`)
  if (asOf > toIsoDate(now)) throw new BrokenBody(`repPdDate is ${asOf}, which is in the future`)
  const amount = (name: string) => amountOf(filing.fact(`${FUND}/${name}`), name)
  const netAssets = amount('netAssets')
  const facts = {
    assetId: fundOf(filing, options).assetId,
    asOf,
    publishedAt: options.filing?.publishedAt ?? null,
    accession: options.filing?.accession ?? null,
    isAmendment: kind[1] !== undefined,
    netAssetsUsd: netAssets,
    sharesOutstanding: null,
    // Net assets are those of all share classes together, whose shares the form does not state.
    nav: null,
    uninvestedCash: fractionOf(amount('cshNotRptdInCorD'), netAssets),
  }
  return { facts, grossAssets: fractionOf(amount('totAssets'), netAssets) }
}

function amountOf(text: string | null, name: string): DecimalText | null {
  if (text === null) return null
  const read = readDecimal(text)
  if ('wrong' in read) throw new BrokenBody(`${name}: ${read.wrong}`)
  return read.value
}

const FRACTION_DECIMALS = 12

function fractionOf(part: DecimalText | null, whole: DecimalText | null): DecimalText | null {
  if (part === null || whole === null || decimal(whole).lessThanOrEqualTo(0)) return null
  return decimalText(new Decimal(part).dividedBy(whole).toDecimalPlaces(FRACTION_DECIMALS))
}

/** The fund with the series of the filing, or with its registrant if that is the fund itself. */
function fundOf(filing: FilingReader, { funds, fund }: NportOptions): Fund {
  const series = filing.fact(`${GENERAL}/seriesId`)
  // Two classes of a series may be funds.
  if (fund !== null && series !== null && fund.seriesId === series) return fund
  const cik = parseCik(filing.fact(`${GENERAL}/regCik`) ?? '')
  const named =
    series === null
      ? funds.find((one) => one.seriesId === null && one.cik !== null && one.cik === cik)
      : funds.find((one) => one.seriesId === series)
  const shown = series === null ? `registrant ${quoted(cik ?? '')}` : `series ${quoted(series)}`
  if (fund === null) {
    if (named !== undefined) return named
    throw new BrokenBody(`the filing belongs to ${shown}, which is not a known ETF; name the fund with --etf`)
  }
  const isOther = named === undefined ? fund.seriesId !== null : named.assetId !== fund.assetId
  if (isOther) throw new BrokenBody(`the filing belongs to ${shown}, not to ${fund.ticker}`)
  return fund
}
