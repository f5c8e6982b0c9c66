import { SEED_ENTITIES } from '../../../src/ingest/datasets/screening/screening-entities.js'
import { BIS_FLOWS } from '../../../src/ingest/providers/bis/flows.js'
import { instrumentsBody } from '../../../src/ingest/providers/reference/assets.js'
import { findFeed } from '../../../src/ingest/registry.js'
import { CELLS } from '../providers/sec/fact-cells.js'

/** A body of few cells (or rows, in the unit of its feed), some of which give nothing, and how many these are. */
export interface SmallBody {
  readonly body: string
  readonly read: number
  readonly absent: number
  /** The same with one cell that cannot be read. */
  readonly broken: string
  /** How many more the broken one has: 1 where a part of a row is refused, and the row is kept. */
  readonly moreRead?: 1
}

/** `body` with its first `from` turned into `to`. */
export function withBroken(
  body: string,
  [from, to]: readonly [string, string],
  counts: Omit<SmallBody, 'body' | 'broken'>,
): SmallBody {
  if (!body.includes(from)) throw new Error(`the body has no ${from}`)
  return { body, broken: body.replace(from, to), ...counts }
}

export const lines = (...texts: readonly string[]) => `${texts.join('\n')}\n`

function coinbaseProduct(id: string) {
  const [base, quote] = id.split('-')
  return { id, base_currency: base, quote_currency: quote, status: 'online' }
}

/** Three years of two series, of which one has a frequency that is not served. */
function bisWide(dimensions: readonly string[]): SmallBody {
  const codes = dimensions.slice(1).map(() => 'US')
  const row = (frequency: string, ...values: readonly string[]) =>
    [frequency, ...codes, [frequency, ...codes].join(':'), ...values].join()
  const body = lines(
    [...dimensions, 'Series', '2022', '2023', '2024'].join(),
    row('A', '1.5', 'NaN', ''),
    row('D', '1', '2', '3'),
  )
  return withBroken(body, ['1.5', '1,5'.replace(',', ';')], { read: 6, absent: 4 })
}

/** Four months of an effective exchange rate, of which three make a quarter; one is listed twice. */
const BIS_MONTHS = withBroken(
  lines(
    'FREQ,EER_TYPE,EER_BASKET,REF_AREA,TIME_PERIOD,OBS_VALUE',
    ...['2024-01,1', '2024-02,2', '2024-02,2', '2024-03,3', '2024-04,4'].map((cells) => `M,R,B,CH,${cells}`),
    'A,R,B,CH,2023,7',
  ),
  ['2024-04,4', '2024-04,four'],
  { read: 6, absent: 4 },
)

const BOJ = withBroken(
  `{"STATUS":200,"PARAMETER":{"DB":"MD01","STARTDATE":"202401","ENDDATE":"202401"},"NEXTPOSITION":null,"RESULTSET":[${[
    '{"SERIES_CODE":"X1","FREQUENCY":"DAILY","VALUES":{"SURVEY_DATES":[20250103,20250104,20250106],"VALUES":[1,null,2]}}',
    '{"SERIES_CODE":"X2","FREQUENCY":"MONTHLY","VALUES":{"SURVEY_DATES":[202401,202401],"VALUES":[3,3]}}',
  ].join()}]}`,
  ['1,null', '"n.a.",null'],
  { read: 5, absent: 2 },
)

const bokRow = (time: string, value: string) =>
  `{"STAT_CODE":"731Y001","ITEM_CODE1":"0000009","UNIT_NAME":"원","TIME":"${time}","DATA_VALUE":"${value}"}`
const BOK = withBroken(
  `{"StatisticSearch":{"list_total_count":3,"row":[${[bokRow('202401', '1'), bokRow('202402', '2'), bokRow('202402', '2')].join()}]}}`,
  ['"1"', '"one"'],
  { read: 3, absent: 1 },
)

const ustEntry = (date: string) =>
  `<entry><content><m:properties><d:NEW_DATE>${date}T00:00:00</d:NEW_DATE><d:BC_1YEAR>4.25</d:BC_1YEAR><d:BC_20YEAR m:null="true"/></m:properties></content></entry>`
const UST = withBroken(
  `<feed xmlns:d="urn:d" xmlns:m="urn:m">${ustEntry('2026-11-18')}${ustEntry('2026-11-19')}</feed>`,
  ['4.25', 'high'],
  { read: 6, absent: 4 },
)

const blsValue = (month: string, value: string) =>
  `{"year":"2026","period":"${month}","periodName":"","value":"${value}","footnotes":[{}]}`
const BLS = withBroken(
  `{"status":"REQUEST_SUCCEEDED","message":[],"Results":{"series":[{"seriesID":"CUSR0000SA0","data":[${[blsValue('M13', '331.0'), blsValue('M09', '331.1'), blsValue('M08', '330.9'), blsValue('M08', '330.9')].join()}]}]}}`,
  ['331.1', 'high'],
  { read: 4, absent: 2 },
)
const ECB_SERIES_BODY = withBroken(
  lines(
    'KEY,FREQ,TIME_PERIOD,OBS_VALUE',
    'EST.B.EU000A2X2A25.WT,B,2026-11-17,1.93',
    'EST.B.EU000A2X2A25.WT,B,2026-11-18,1.94',
    'EST.B.EU000A2X2A25.WT,B,2026-11-18,1.94',
    'EST.B.EU000A2X2A25.WT,B,2026-11-19,',
  ),
  ['1.93', 'high'],
  { read: 4, absent: 2 },
)

const LEI = SEED_ENTITIES[0]?.lei ?? ''
const OTHER_LEI = SEED_ENTITIES[1]?.lei ?? ''
const NULLS = Array(7).fill('-0- ').join()
const END = '\u001a'
const unEntry = (id: string) =>
  `<INDIVIDUAL><FIRST_NAME>A</FIRST_NAME><REFERENCE_NUMBER>${id}</REFERENCE_NUMBER><LISTED_ON>2023-01-01</LISTED_ON></INDIVIDUAL>`
const sdnRow = (id: string, type: string, remarks: string) =>
  `${id},"NAME ${id}",${type},RUSSIA-EO14024,${NULLS},"${remarks}"`
const euEntry = (id: string) => `<sanctionEntity euReferenceNumber="${id}"/>`

const ENTITIES = [
  { id: 'NK-1', schema: 'Company', properties: { leiCode: [LEI], topics: ['sanction'] } },
  { id: 's-1', schema: 'Sanction', properties: { entity: ['NK-1'], startDate: ['2023-05-01'] } },
  { id: 'NK-2', schema: 'Person', properties: {} },
].map((entity) => ({ caption: 'A', referents: [], datasets: ['us_ofac_sdn'], ...entity }))
const jsonLines = (values: readonly object[]) => lines(...values.map((value) => JSON.stringify(value)))

const EU_ACT = lines(
  'celex,recordId,programKey,annex,measure,startDate,schema,name,leiCode',
  `32014R0269,1,UKR,I,Freeze,2022-02-28,Organization,E,${LEI}`,
  `32014R0269,2,UKR,I,Freeze,2022-02-28,Organization,F,`,
  `32014R0269,2,UKR,I,Freeze,2022-02-28,Organization,F,`,
  '32014R0269,3,UKR,I,Freeze,2022-02-28,Person,P,',
)

const SECURITIES = lines(
  'caption,lei,sanctioned,id,risk_datasets,referents',
  `A,${LEI},f,NK-1,,`,
  `B,${OTHER_LEI},f,NK-2,,`,
  'C,,f,NK-3,,',
)

const GLEIF = lines(
  'LEI,Entity.LegalName,Registration.RegistrationStatus',
  `${LEI},A,ISSUED`,
  `${LEI},A,ISSUED`,
  `${OTHER_LEI},B,ISSUED`,
)

const overview = (entries: string) => `{"protocols":[${entries}]}`
const FEES = [
  '{"name":"A","slug":"a","total24h":1,"total7d":2,"total30d":3}',
  '{"name":"B","slug":"b","total24h":1,"total7d":2,"total30d":3}',
  '{"name":"B","slug":"b","total24h":1,"total7d":2,"total30d":3}',
  '{"name":"C","slug":"c","total24h":null}',
].join()
const TVL =
  '[{"name":"A","slug":"a","tvl":1},{"name":"B","slug":"b","tvl":2},{"name":"C","slug":"c","tvl":null}]'

const factsOf = (facts: readonly object[]) => ({ label: 'x', units: { USD: facts } })
const FACTS = JSON.stringify({
  cik: 1045810,
  facts: {
    'us-gaap': {
      Revenues: factsOf([CELLS, CELLS, { ...CELLS, form: '8-K' }, { ...CELLS, end: '2024-12-29', val: 7 }]),
      NobodyReadsThis: factsOf([CELLS]),
    },
  },
})

const bundledOf = (id: string) => {
  const { feed } = findFeed(id)
  const bytes = feed.bundled?.(new Date('2026-11-22T10:00:00Z')) ?? new Uint8Array()
  return new TextDecoder().decode(bytes)
}
const countOf = (body: string) => (JSON.parse(body) as readonly unknown[]).length // a list, as the feed sends it
const CURRENCIES = bundledOf('reference-currencies')
const MARKETS = bundledOf('reference-markets')
const ASSETS = new TextDecoder().decode(instrumentsBody())

const SUBMISSIONS = {
  cik: 1045810,
  name: 'NVIDIA CORP',
  tickers: ['NVDA'],
  formerNames: [
    { name: 'NVIDIA Corp /CA/', from: '1999-01-22T00:00:00.000Z', to: '2002-06-05T00:00:00.000Z' },
  ],
}

/** One small body for each feed of the registry. */
export const SMALL_BODIES: Readonly<Record<string, SmallBody>> = {
  reference: withBroken(ASSETS, ['"ticker":"BTC"', '"ticker":"no ticker"'], {
    read: countOf(ASSETS),
    absent: 0,
  }),
  'reference-currencies': withBroken(CURRENCIES, ['"AED"', '"AEDX"'], {
    read: countOf(CURRENCIES),
    absent: 0,
  }),
  'reference-markets': withBroken(MARKETS, ['"ARCX"', '"ARCXX"'], { read: countOf(MARKETS), absent: 0 }),
  'sec-symbols': withBroken(
    '{"fields":["cik","name","ticker","exchange"],"data":[[7,"E Corp","E","NYSE"],[7,"E Corp","E","NYSE"],[8,"F Corp","F",null]]}',
    ['"F"', '"no ticker"'],
    { read: 3, absent: 1 },
  ),
  'sec-funds': withBroken(
    JSON.stringify({
      fields: ['cik', 'seriesId', 'classId', 'symbol'],
      data: [
        [1100663, 'S000004310', 'C000012040', 'IVV'],
        [1100663, 'S000004310', 'C000012040', 'IVV'],
        [1100663, 'S000004311', 'C000012041', 'WFSPX'],
        [1100663, 'S000004312', 'C000012042', null],
      ],
    }),
    ['"WFSPX"', '"no ticker"'],
    { read: 4, absent: 3 },
  ),
  'sec-fund-names': withBroken(
    lines(
      'CIK Number,Series ID,Series Name,Class ID,Class Name,Class Ticker',
      '1100663,S000004310,iShares Core S&P 500 ETF,C000012040,iShares Core S&P 500 ETF,IVV',
      '1100663,S000004311,A Fund,C000012041,Class A,WFSPX',
      '1100663,S000004312,B Fund,,,',
      '1100663,S000004313,C Fund,C000012043,C Fund,CCC',
    ),
    ['C000012043', 'no class'],
    { read: 4, absent: 2 },
  ),
  'coinbase-listings': withBroken(
    JSON.stringify(['ACME-USD', 'ACME-EUR', 'BETA-USD'].map(coinbaseProduct)),
    ['"BETA"', '"no coin"'],
    { read: 3, absent: 1 },
  ),
  'bitstamp-listings': withBroken(
    '[{"name":"BETA/USD","url_symbol":"betausd"},{"name":"ACME/USD","url_symbol":"acmeusd","trading":"Enabled"},{"name":"ACME/EUR","url_symbol":"acmeeur"}]',
    ['ACME/USD', 'no coin/USD'],
    { read: 3, absent: 1 },
  ),
  'kraken-listings': withBroken(
    '{"error":[],"result":{"BETAUSD":{"altname":"BETAUSD","wsname":"BETA/USD"},"ACMEUSD":{"altname":"ACMEUSD","wsname":"ACME/USD"},"ACMEEUR":{"altname":"ACMEEUR","wsname":"ACME/EUR"},"ACMEUSD.d":{"altname":"ACMEUSD.d"}}}',
    ['"altname":"ACMEUSD"', '"altname":7'],
    { read: 4, absent: 2 },
  ),
  'binance-listings': withBroken(
    '{"symbols":[{"symbol":"BETAUSDC","baseAsset":"BETA","quoteAsset":"USDC"},{"symbol":"ACMEUSDT","status":"TRADING","baseAsset":"ACME","quoteAsset":"USDT"},{"symbol":"1000ACMEUSDT","status":"TRADING","baseAsset":"1000ACME","quoteAsset":"USDT"}]}',
    ['"ACMEUSDT"', '7'],
    { read: 3, absent: 1 },
  ),
  'okx-listings': withBroken(
    '{"code":"0","data":[{"instId":"BETA-USDC","baseCcy":"BETA","quoteCcy":"USDC"},{"instId":"ACME-USDT","baseCcy":"ACME","quoteCcy":"USDT","state":"live"},{"instId":"ACME-BTC","baseCcy":"ACME","quoteCcy":"BTC","state":"live"}]}',
    ['"ACME-USDT"', 'null'],
    { read: 3, absent: 1 },
  ),
  'sec-submissions': {
    body: JSON.stringify(SUBMISSIONS),
    broken: JSON.stringify({ ...SUBMISSIONS, tickers: ['NVDA', 'no ticker'] }),
    read: 1,
    absent: 0,
    moreRead: 1,
  },
  'figi-symbols': withBroken(
    JSON.stringify([
      { data: [{ figi: 'BBG000BLNNH6', name: 'INTL BUSINESS MACHINES CORP', ticker: 'IBM' }] },
      { data: [{ figi: 'BBG000B9XRY4', name: 'APPLE INC', ticker: 'AAPL' }] },
      { warning: 'No identifier found.' },
    ]),
    ['"AAPL"', '"no ticker"'],
    { read: 3, absent: 1 },
  ),
  'supply-rule': withBroken(bundledOf('supply-rule'), ['"bitcoin"', '"nowhere"'], { read: 3, absent: 0 }),
  'ecb-history': withBroken(
    lines('Date,USD,JPY,', '2026-11-19,1.16,183.03,', '2026-11-18,1.15,N/A,', '2026-11-18,1.15,N/A,'),
    ['183.03', '-183.03'],
    { read: 6, absent: 3 },
  ),
  'ecb-daily': withBroken(
    lines(
      'CURRENCY,TIME_PERIOD,OBS_VALUE,OBS_STATUS',
      'USD,2026-11-19,1.16,A',
      'USD,2026-11-19,1.16,A',
      'JPY,2026-11-19,183,A',
      'CHF,2026-11-19,NaN,M',
    ),
    ['183', 'much'],
    { read: 4, absent: 2 },
  ),
  bis: BIS_MONTHS,
  ...Object.fromEntries(
    BIS_FLOWS.map(({ dataset, dimensions }) => [
      `bis-${dataset.code.slice(3).toLowerCase().replaceAll('_', '-')}`,
      bisWide(dimensions),
    ]),
  ),
  boj: BOJ,
  bls: BLS,
  'bls-history': BLS,
  'ecb-series': ECB_SERIES_BODY,
  'ecb-series-history': ECB_SERIES_BODY,
  treasury: UST,
  'treasury-history': UST,
  bok: BOK,
  ofac: withBroken(
    [
      sdnRow('1', '-0- ', 'Listing Date (EO 14024): 24 Feb 2022; Legal Enti'),
      sdnRow('2', 'individual', 'DOB 1970'),
      sdnRow('3', '-0- ', 'x'),
      END,
      `1,"ty Number ${LEI}."`,
      '2,"more on a person"',
      END,
    ].join('\r\n'),
    ['3,"NAME', 'three,"NAME'],
    { read: 5, absent: 2 },
  ),
  'ofac-consolidated': withBroken(
    [
      sdnRow('1', '-0- ', 'Listing Date (EO 14024): 24 Feb 2022; Legal Enti'),
      sdnRow('2', 'individual', 'DOB 1970'),
      sdnRow('3', '-0- ', 'x'),
      END,
      `1,"ty Number ${LEI}."`,
      '2,"more on a person"',
      END,
    ].join('\r\n'),
    ['3,"NAME', 'three,"NAME'],
    { read: 5, absent: 2 },
  ),
  'un-sanctions': withBroken(
    `<CONSOLIDATED_LIST><INDIVIDUALS>${unEntry('CDi.001')}${unEntry('CDi.001')}${unEntry('CDi.002')}</INDIVIDUALS></CONSOLIDATED_LIST>`,
    ['CDi.002', 'two'],
    { read: 3, absent: 1 },
  ),
  'uk-sanctions': withBroken(
    lines(
      'Report Date: 08-Oct-2024',
      'Unique ID,Name 1,Name 2,Name 3,Name 4,Name 5,Name 6,Name type,Regime Name,Designation Type,Date Designated,Business registration number (s),National Identifier number,Passport number,IMO number,Hull identification number (HIN)',
      'RUS1,,,,,,A,Primary Name,Russia,Entity,01/02/2023,,,,,',
      'RUS1,,,,,,B,Alias,Russia,Entity,01/02/2023,,,,,',
      'RUS2,,,,,,C,Primary Name,Russia,Ship,01/02/2023,,,,IMO9826902,',
    ),
    ['RUS2', 'two'],
    { read: 3, absent: 1 },
  ),
  'eu-financial-sanctions': withBroken(
    `<export>${euEntry('EU.1.1')}${euEntry('EU.1.1')}${euEntry('EU.2.2')}</export>`,
    ['EU.2.2', 'two'],
    { read: 3, absent: 1 },
  ),
  'eu-sanctions': withBroken(EU_ACT, ['32014R0269,1', '2014,1'], { read: 4, absent: 2 }),
  opensanctions: withBroken(
    jsonLines([...ENTITIES, ...ENTITIES.slice(0, 1)]),
    ['"schema":"Sanction"', '"schema":5'],
    {
      read: 4,
      absent: 2,
    },
  ),
  'opensanctions-delta': withBroken(
    jsonLines([
      { op: 'MOD', entity: ENTITIES[0] },
      { op: 'MOD', entity: ENTITIES[0] },
      { op: 'DEL', entity: { id: 's-1' } },
      { op: 'DEL', entity: { id: 'never-there' } },
    ]),
    ['"DEL"', '"GONE"'],
    { read: 4, absent: 0 },
  ),
  'opensanctions-securities': withBroken(SECURITIES, [`A,${LEI},f`, `A,${LEI},maybe`], {
    read: 3,
    absent: 1,
  }),
  gleif: withBroken(GLEIF, [`${OTHER_LEI},B`, 'NOLEI,B'], { read: 3, absent: 1 }),
  'sec-facts': withBroken(FACTS, ['"val":7', '"val":"seven"'], { read: 5, absent: 3 }),
  'worldbank-commodities': withBroken(
    lines('Date,Price', '1960-01,35.27', '1960-02,35.3', '1960-02,35.3'),
    ['35.27', 'n/a'],
    { read: 3, absent: 1 },
  ),
  'imf-commodities': withBroken(
    lines('Date,All Commodity Price Index,Tin,Zinc', '1980-01-01,1,2,3', '1980-02-01,1,,4'),
    ['2,3', '2,-3'],
    { read: 6, absent: 3 },
  ),
  'defillama-protocols': withBroken(TVL, ['"tvl":2', '"tvl":-2'], { read: 3, absent: 1 }),
  'defillama-fees': withBroken(overview(FEES), ['"total24h":1', '"total24h":-1'], { read: 4, absent: 2 }),
  'defillama-revenue': withBroken(overview(FEES), ['"total24h":1', '"total24h":"x"'], { read: 4, absent: 2 }),
}
