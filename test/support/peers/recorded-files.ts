import { readFileSync } from 'node:fs'
import stocks from '../../../src/ingest/providers/reference/stocks.json' with { type: 'json' }
import { samplePath } from '../samples.js'
import type { PlayedFiles } from './played-providers.js'

const APPLE = '0000320193'
const COMPANIES = '/sec/api/xbrl/companyfacts/CIK'

/** Recorded files by the path at which their provider serves them. */
const FILES: Readonly<Record<string, string>> = {
  '/sec/files/company_tickers_exchange.json': 'universe/company_tickers_exchange.json',
  [`${COMPANIES}${APPLE}.json`]: 'sec/companyfacts_CIK0000320193_apple_quarters_cut.json',
  [`${COMPANIES}0001652044.json`]: 'sec/companyfacts_CIK0001652044_alphabet_trimmed.json',
  [`${COMPANIES}0001045810.json`]: 'sec/companyfacts_CIK0001045810_nvidia.json',
  '/ofac/ofac/downloads/sdn_comments.csv': 'sanctions/ofac/sdn_comments_2025-12.csv',
  '/ofac/ofac/downloads/consolidated/cons_prim.csv': 'sanctions/ofac/cons_prim.csv',
  '/ofac/ofac/downloads/consolidated/cons_comments.csv': 'sanctions/ofac/cons_comments.csv',
  '/un-sanctions/resources/xml/en/consolidated.xml': 'sanctions/un/consolidated_2026-02-27_cut.xml',
}
const UK_LIST = 'sanctions/uk/UK-Sanctions-List_2026-10-08_one_ship.csv'

/** The list of the Security Council has no kind of number that can be checked; this made-up entity adds one. */
const UN_NUMBER = '77012345'
const UN_ENTITY = `<ENTITY><FIRST_NAME>MADE-UP TRADING</FIRST_NAME><UN_LIST_TYPE>DPRK</UN_LIST_TYPE><REFERENCE_NUMBER>KPe.999</REFERENCE_NUMBER><LISTED_ON>2016-03-02</LISTED_ON><ENTITY_DOCUMENT><TYPE_OF_DOCUMENT>Registration number</TYPE_OF_DOCUMENT><NUMBER>${UN_NUMBER}</NUMBER><ISSUING_COUNTRY>Democratic People's Republic of Korea</ISSUING_COUNTRY></ENTITY_DOCUMENT></ENTITY>`

/** An identifier of each list as a body of check_sanctions, and the lists in the order of its answer. */
export const LISTED_IDENTIFIERS = {
  identifiers: {
    imos: ['9826902'],
    wallets: ['12jVCWW1ZhTLA5yVnroEJswqKwsfiZKsax'],
    registrations: [
      { country: 'RU', number: '1077711000102' },
      { country: 'KP', number: UN_NUMBER },
    ],
  },
  lists: ['gb_fcdo_sanctions', 'us_ofac_sdn', 'us_ofac_cons', 'un_sc_sanctions'],
} as const

/** The companies of the reference that file with the SEC. Those without recorded figures have the ones of Apple. */
export const PLAYED_COMPANIES = stocks.flatMap(({ cik, ticker }) =>
  cik === undefined ? [] : [{ cik, ticker }],
)

/** Why recorded files cannot be played, or null. */
export const RECORDED_FILES_ABSENT: string | null = [...Object.values(FILES), UK_LIST].every(
  (name) => samplePath(name) !== null,
)
  ? null
  : 'without its sample files'

/** Files of the SEC and of publishers of sanctions lists: recorded ones, and what is made from them. */
export const recordedFiles: PlayedFiles = (path) => {
  const name = FILES[path]
  if (path.startsWith('/un-sanctions/'))
    return recorded(name).replace('</ENTITIES>', `${UN_ENTITY}</ENTITIES>`)
  if (name !== undefined) return recorded(name)
  if (path === '/ofac/ofac/downloads/sdn.csv') return sdnOfComments()
  if (path.startsWith('/uk-sanctions/')) return recorded(UK_LIST)
  return path.startsWith(COMPANIES) ? companyLikeApple(path.slice(COMPANIES.length, -'.json'.length)) : null
}

function recorded(name: string | undefined): string {
  return readFileSync(samplePath(name ?? '') ?? '', 'utf8')
}

/** A list with an entity for each recorded continuation of remarks. */
function sdnOfComments(): string {
  const ids = [...recorded('sanctions/ofac/sdn_comments_2025-12.csv').matchAll(/^(\d+),/gm)]
  const rows = ids.map(([, id]) => `${id},"ENTITY ${id}",-0- ,X${',-0- '.repeat(7)},"Additional remark; "`)
  return [...rows, '\u001a'].join('\r\n')
}

/** The figures of Apple as those of another company; null for one that is not played. */
function companyLikeApple(cik: string): string | null {
  if (!PLAYED_COMPANIES.some((company) => company.cik === cik)) return null
  const facts = JSON.parse(recorded(FILES[`${COMPANIES}${APPLE}.json`])) as object // a recorded body
  return JSON.stringify({ ...facts, cik: Number(cik), entityName: `Company ${cik}` })
}
