import { type ReleaseTable, releaseColumn } from './release-table.js'

const { date, flag, integer, text, texts } = releaseColumn

/** What rows without a day of their own have in common: files by the year in which the gateway learned them. */
const WITHOUT_PERIOD = {
  period: { column: 'known_from', type: 'timestamptz' },
} as const

const OCCURRENCE = integer('occurrence', '1 for the first period in which it was valid, 2 for the second.')

const IDENTIFIERS: ReleaseTable = {
  dataset: 'identifiers',
  partOf: 'instruments',
  table: 'instrument_identifier',
  columns: [
    integer('asset_id', 'Integer key of the asset.'),
    text('scheme', 'ticker, isin, figi, cik, lei or name.', 'scheme::text'),
    text('value', 'The identifier; check digits are verified.'),
    OCCURRENCE,
    date('valid_from', 'First day of its validity; null if unknown.'),
    date('valid_to', 'First day on which it was no longer valid; null while it is valid.'),
  ],
  key: ['t.asset_id', 't.scheme', 't.value collate "C"', 't.occurrence'],
  ...WITHOUT_PERIOD,
}

const LISTED_SYMBOLS: ReleaseTable = {
  dataset: 'listed_symbols',
  partOf: 'instruments',
  table: 'listed_symbol',
  columns: [
    text('ticker', 'Ticker in the daily list.'),
    text('cik', 'SEC central index key of the holder, 10 digits.'),
    text('exchange', 'Exchange as the list names it; empty if it names none.'),
    OCCURRENCE,
    text('name', 'Name of the holder.'),
    date('valid_from', 'Day of the first list with it; null if the first list of all has it.'),
    date('valid_to', 'Day of the first complete list without it; null while the lists have it.'),
  ],
  key: ['t.ticker collate "C"', 't.cik collate "C"', 't.exchange collate "C"', 't.occurrence'],
  ...WITHOUT_PERIOD,
}

const FIGI_SYMBOLS: ReleaseTable = {
  dataset: 'figi_symbols',
  partOf: 'instruments',
  table: 'figi_symbol',
  columns: [
    text('figi', 'OpenFIGI identifier of the security.'),
    text('ticker', 'Ticker in the answers.'),
    OCCURRENCE,
    text('name', 'Name of the security in the answer.'),
    date('valid_from', 'Day of the first answer with the ticker; null if the first answer of all has it.'),
    date('valid_to', 'Day of the first answer with another ticker; null while the answers have it.'),
  ],
  key: ['t.figi collate "C"', 't.ticker collate "C"', 't.occurrence'],
  ...WITHOUT_PERIOD,
}

const ASSET_VERSIONS: ReleaseTable = {
  dataset: 'asset_versions',
  partOf: 'instruments',
  table: 'asset_version',
  columns: [
    integer('asset_id', 'Integer key of the crypto asset.'),
    text('ticker', 'Upper-case ticker, e.g. BTC.'),
    text('name', 'Name of the asset.'),
    integer('tier', '1, 2 or 3 by rank; null if not ranked.'),
    text('contract_address', 'Contract that counts every unit; null without one.'),
  ],
  key: ['t.asset_id'],
  ...WITHOUT_PERIOD,
}

const WITHDRAWN = flag('is_withdrawn', 'Whether the list no longer has it; the values are then empty.')

const SANCTIONS_SUBJECTS: ReleaseTable = {
  dataset: 'sanctions_subjects',
  partOf: 'screening',
  table: 'sanctions_subject',
  columns: [
    text('list', 'Sanctions list, e.g. us_ofac_sdn.'),
    text('section', 'Part of the list, e.g. a regulation; empty if the list has no parts.'),
    text('subject_id', 'The subject within its list.'),
    texts('identifiers', 'Its identifiers, each as kind:country:value; the country may be empty.'),
    texts('identifier_labels', 'What the list calls each of the identifiers, in their order.'),
    text('name', 'Name on the list; null if it has none.'),
    flag('is_listed', 'Whether it is sanctioned; false for a subject that the list only mentions.'),
    texts('lists', 'Sanctions lists that name it.'),
    texts('programs', 'Codes of its sanctions programmes.'),
    date('listed_on', 'Day of its listing; null if the list does not say.'),
    texts('referents', 'Ids that the subject had before entities were merged.'),
    WITHDRAWN,
  ],
  key: ['t.list collate "C"', 't.section collate "C"', 't.subject_id collate "C"'],
  ...WITHOUT_PERIOD,
}

const SANCTIONS_LISTINGS: ReleaseTable = {
  dataset: 'sanctions_listings',
  partOf: 'screening',
  table: 'sanctions_listing',
  columns: [
    text('list', 'Sanctions list, e.g. opensanctions.'),
    text('listing_id', 'The designation within its list.'),
    text('subject_id', 'The subject, by an id that it has or had.'),
    texts('programs', 'Codes of the programmes.'),
    texts('lists', 'Sanctions lists that state the designation.'),
    date('listed_on', 'Day of the listing; null if it is unknown.'),
    date('ended_on', 'Day of its end; null while it lasts, or if it is unknown.'),
    WITHDRAWN,
  ],
  key: ['t.list collate "C"', 't.listing_id collate "C"'],
  ...WITHOUT_PERIOD,
}

const LEGAL_ENTITIES: ReleaseTable = {
  dataset: 'legal_entities',
  partOf: 'screening',
  table: 'legal_entity',
  columns: [
    text('lei', 'Legal entity identifier (ISO 17442), check digits verified.'),
    text('legal_name', 'Registered name.'),
  ],
  key: ['t.lei collate "C"'],
  ...WITHOUT_PERIOD,
}

/** Identifiers of assets, and sanctions lists. */
export const REFERENCE_TABLES: readonly ReleaseTable[] = [
  IDENTIFIERS,
  LISTED_SYMBOLS,
  FIGI_SYMBOLS,
  ASSET_VERSIONS,
  SANCTIONS_SUBJECTS,
  SANCTIONS_LISTINGS,
  LEGAL_ENTITIES,
]
