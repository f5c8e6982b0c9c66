interface Security {
  readonly name?: string
  readonly title?: string
  readonly lei?: string
  readonly isin?: string
  readonly pctVal?: string
  readonly more?: string
}

/** A security of a filing. */
export function securityBody({
  name = 'Apple Inc.',
  title = 'Shares',
  lei = 'N/A',
  isin,
  pctVal = '100',
  more = '',
}: Security): string {
  const identifiers = isin === undefined ? '' : `<identifiers><isin value="${isin}"/></identifiers>`
  return `<invstOrSec><name>${name}</name><lei>${lei}</lei><title>${title}</title><cusip>N/A</cusip>${identifiers}
    <balance>10</balance><units>NS</units><curCd>USD</curCd><valUSD>1000.50</valUSD><pctVal>${pctVal}</pctVal>
    <payoffProfile>Long</payoffProfile><assetCat>EC</assetCat><invCountry>US</invCountry>${more}</invstOrSec>`
}

interface Filing {
  readonly form?: string
  readonly seriesId?: string
  readonly day?: string
  readonly cash?: string
  readonly totAssets?: string
  readonly securities?: readonly string[]
}

/** A filing of N-PORT with a blank line before its declaration, as EDGAR sends them. */
export function filingBody({
  form = 'NPORT-P',
  seriesId = 'S000004310',
  day = '2026-03-31',
  cash,
  totAssets = '1000000',
  securities = [securityBody({})],
}: Filing): Uint8Array {
  const beside = cash === undefined ? '' : `<cshNotRptdInCorD>${cash}</cshNotRptdInCorD>`
  return new TextEncoder().encode(`
<?xml version="1.0" encoding="UTF-8"?><edgarSubmission xmlns="http://www.sec.gov/edgar/nport">
  <headerData><submissionType>${form}</submissionType></headerData>
  <formData><genInfo><regCik>0001100663</regCik><seriesId>${seriesId}</seriesId><repPdEnd>2027-03-31</repPdEnd>
    <repPdDate>${day}</repPdDate></genInfo>
    <fundInfo><totAssets>${totAssets}</totAssets><netAssets>1000000</netAssets>${beside}</fundInfo>
    <invstOrSecs>${securities.join('')}</invstOrSecs></formData></edgarSubmission>`)
}

/** The filings of a series as EDGAR lists them: form, number, day. */
export function filingsBody(filings: readonly (readonly [string, string, string])[]): Uint8Array {
  const entries = filings.map(
    ([form, accession, day]) => `<entry><category term="${form}"/><content type="text/xml">
      <accession-number>${accession}</accession-number><filing-date>${day}</filing-date>
      <filing-href>https://www.sec.gov/Archives/edgar/data/1/${accession.replace(/-/g, '')}/${accession}-index.htm</filing-href>
      <filing-type>${form}</filing-type></content><title>${form}</title></entry>`,
  )
  return new TextEncoder().encode(
    `<?xml version="1.0" encoding="UTF-8" ?><feed xmlns="http://www.w3.org/2005/Atom">${entries.join('')}</feed>`,
  )
}
