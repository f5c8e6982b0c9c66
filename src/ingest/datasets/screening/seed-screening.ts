import type { LegalNameRow, ScreeningRow } from '../../../domains/screening/model.js'
import type { StreamFeed } from '../../feed.js'
import { euJournal } from '../../providers/eu-sanctions/journal-csv.js'
import { gleifRecords } from '../../providers/gleif/lei-records.js'
import { ofacSdn } from '../../providers/ofac/sdn-csv.js'
import { openSanctionsEntities } from '../../providers/opensanctions/entities-json.js'
import { openSanctionsSecurities } from '../../providers/opensanctions/securities-csv.js'
import { SEED_FEED } from '../../seed/values/seed-provider.js'
import { SEED_ENTITIES, type SeedEntity } from './screening-entities.js'

/**
 * The entities of each list, by number: the first, and the one after the last. The rest of the 300 have a name
 * only.
 */
const OFAC = [0, 40] as const
const EU = [30, 70] as const
const LISTED = [0, 90] as const
const DELISTED = [90, 130] as const
const KNOWN = [130, 200] as const
const ISSUERS = [200, 280] as const
const SANCTIONED_ISSUERS = 5

/** A synthetic list in the format of its provider, read by its parser. */
export interface SeedList<Row> {
  readonly feed: StreamFeed<Row>
  readonly body: () => Uint8Array
}

/** The synthetic lists: some entities are on several, some have left theirs, some were never on one. */
export const SEED_LISTS: readonly SeedList<ScreeningRow>[] = [
  { feed: seedOf(ofacSdn), body: sdnBody },
  { feed: seedOf(euJournal), body: journalBody },
  { feed: seedOf(openSanctionsEntities), body: entitiesBody },
  { feed: seedOf(openSanctionsSecurities), body: securitiesBody },
]

/** The legal names of all entities. */
export const SEED_NAMES: SeedList<LegalNameRow> = { feed: seedOf(gleifRecords), body: namesBody }

function seedOf<Row extends ScreeningRow | LegalNameRow>({
  id,
  dataset,
  part,
  parseStream,
}: StreamFeed<Row>): StreamFeed<Row> {
  return {
    id: `seed-${id}`,
    ...SEED_FEED,
    dataset,
    ...(part === undefined ? {} : { part }),
    description: `Synthetic entities in the form of ${id}`,
    parseStream,
  }
}

function entitiesOf([first, end]: readonly [number, number]): readonly SeedEntity[] {
  return SEED_ENTITIES.slice(first, end)
}

function textBody(lines: readonly string[]): Uint8Array {
  return new TextEncoder().encode(`${lines.join('\n')}\n`)
}

/** A day of 2023, from the number of the entity. */
function dayOf({ number }: SeedEntity): Date {
  return new Date(Date.UTC(2023, number % 12, 1 + (number % 28)))
}

function isoDay(entity: SeedEntity): string {
  return dayOf(entity).toISOString().slice(0, 10)
}

/** Every fourth LEI is in the comments. */
function sdnBody(): Uint8Array {
  const rows = entitiesOf(OFAC).map((entity) => {
    const { number, lei, name } = entity
    const months = dayOf(entity).toLocaleDateString('en-GB', { month: 'short', timeZone: 'UTC' }).slice(0, 3)
    const listed = `Listing Date (EO 14024): ${dayOf(entity).getUTCDate()} ${months} 2023`
    const registered = `${listed}; Registration Number DEV-${number + 1} (Germany)`
    const remarks = number % 4 === 0 ? registered : `${registered}; Legal Entity Number ${lei}`
    const programs = number % 2 === 0 ? 'RUSSIA-EO14024' : 'GLOMAG] [SDGT'
    return [
      90_000 + number,
      name.toUpperCase(),
      '-0-',
      programs,
      ...Array(7).fill('-0-'),
      `"${remarks}."`,
    ].join()
  })
  const comments = entitiesOf(OFAC)
    .filter(({ number }) => number % 4 === 0)
    .map(({ number, lei }) => `${90_000 + number},"; Legal Entity Number ${lei}."`)
  return textBody([...rows, ...OTHER_SUBJECTS, ...comments])
}

/** A person and a ship. Nobody has these identifiers. */
const OTHER_SUBJECTS = [
  otherSubject(
    95_001,
    'MADE-UP, Person',
    'individual',
    'CYBER2',
    'Passport DEV000001 (Germany); Digital Currency Address - ETH 0x000000000000000000000000000000000000De01; alt. Digital Currency Address - USDT 0x000000000000000000000000000000000000De01',
  ),
  otherSubject(95_002, 'MADE-UP SHIP', 'vessel', 'IRAN', 'Vessel Registration Identification IMO 0000012'),
]

function otherSubject(id: number, name: string, type: string, program: string, remarks: string): string {
  return [id, `"${name}"`, type, program, ...Array(7).fill('-0-'), `"${remarks}."`].join()
}

function journalBody(): Uint8Array {
  const header = 'celex,recordId,programKey,annex,measure,startDate,schema,name,leiCode'
  const rows = entitiesOf(EU).map((entity) => {
    const program = entity.number % 3 === 0 ? 'EU-BLR' : 'EU-UKR'
    const celex = program === 'EU-BLR' ? '32006R0765' : '32014R0269'
    return [
      celex,
      entity.number,
      program,
      'I',
      'Asset freeze',
      isoDay(entity),
      'Company',
      entity.name,
      entity.lei,
    ].join()
  })
  return textBody([header, ...rows])
}

function entitiesBody(): Uint8Array {
  const lines = [
    ...entitiesOf(LISTED).flatMap((entity) => [entityOf(entity, ['sanction']), sanctionOf(entity, {})]),
    ...entitiesOf(DELISTED).flatMap((entity) => [
      entityOf(entity, []),
      sanctionOf(entity, { endDate: ['2025-06-30'] }),
    ]),
    ...entitiesOf(KNOWN).map((entity) => entityOf(entity, [])),
  ]
  return textBody(lines.map((line) => JSON.stringify(line)))
}

function idOf({ number }: SeedEntity): string {
  return `NK-dev-${number + 1}`
}

/** The id of a real list, because only known sanctions lists count; its entries here are synthetic. */
function listOf({ number }: SeedEntity): string {
  return number % 2 === 0 ? 'us_ofac_sdn' : 'eu_fsf'
}

function entityOf(entity: SeedEntity, topics: readonly string[]) {
  const { lei, name } = entity
  const properties = { name: [name], leiCode: [lei], topics }
  return {
    id: idOf(entity),
    caption: name,
    schema: 'Company',
    properties,
    referents: [],
    datasets: [listOf(entity)],
  }
}

function sanctionOf(entity: SeedEntity, more: Readonly<Record<string, readonly string[]>>) {
  const programId = [entity.number % 2 === 0 ? 'US-RUSHAR' : 'EU-UKR']
  const properties = { entity: [idOf(entity)], programId, startDate: [isoDay(entity)], ...more }
  const datasets = [listOf(entity)]
  return { id: `sanction-dev-${entity.number + 1}`, schema: 'Sanction', properties, referents: [], datasets }
}

function securitiesBody(): Uint8Array {
  const rows = entitiesOf(ISSUERS).map((entity, at) => {
    const isSanctioned = at < SANCTIONED_ISSUERS
    return [
      entity.name,
      entity.lei,
      isSanctioned ? 't' : 'f',
      idOf(entity),
      isSanctioned ? 'eu_fsf' : '',
      '',
    ].join()
  })
  return textBody(['caption,lei,sanctioned,id,risk_datasets,referents', ...rows])
}

function namesBody(): Uint8Array {
  return textBody(['LEI,Entity.LegalName', ...SEED_ENTITIES.map(({ lei, name }) => `${lei},${name}`)])
}
