import { ApiMetaType } from '../../schema-kit/api-meta.js'
import { builder } from '../../schema-kit/builder.js'
import { describedEnum } from '../../schema-kit/described-enum.js'
import {
  type AnswerMeta,
  datasetStateOf,
  type Envelope,
  envelope,
  type Freshness,
  FreshnessType,
  freshness,
} from '../../schema-kit/envelope.js'
import { type ArgBuilder, hints, queryEndpoint } from '../../schema-kit/fields.js'
import { day, flag, instant, shownAs, shownFields, text, texts } from '../../schema-kit/shown-fields.js'
import { withComputed } from '../../schema-kit/with-computed.js'
import {
  type CheckedIdentifier,
  checkIdentifiers,
  type Designation,
  MAX_IDENTIFIERS,
  parseIdentifierQuery,
} from './identifier-service.js'
import { IDENTIFIER_KINDS } from './identifiers-model.js'
import { LoadedListType, SanctionsProgramType } from './list-schema.js'
import { programOf } from './programs-model.js'
import {
  type ListState,
  listsOf,
  SCREENING_DISCLAIMER,
  SCREENING_DISCLAIMER_FR,
  stateOfLists,
} from './screening-meta.js'

const IdentifierKindType = describedEnum('IdentifierKind', 'Kind of an identifier.', IDENTIFIER_KINDS)

export const IdentifierStatusType = describedEnum(
  'IdentifierStatus',
  'Result of comparing an identifier with the lists.',
  {
    listed: 'A list names the identifier as that of a sanctioned subject.',
    formerly_listed: 'A list did so earlier and no longer does.',
    mentioned: 'A list has the identifier, but not as that of a sanctioned subject.',
    not_found:
      'No compared list has the identifier. This is not an all-clear, because a list may name the subject without it.',
    invalid: 'Not an identifier of its kind. `problem` says what is wrong.',
  },
)

const DesignationType = withComputed<Designation, 'SanctionsSubject'>(
  builder.prismaObject('SanctionsSubject', {
    variant: 'SanctionsDesignation',
    description: 'What one list says about the subject that it names with an identifier.',
  }),
)

builder.objectFields(DesignationType, (t) =>
  shownFields(t, {
    list: text('Name of the list, as in `lists` of the response.'),
    subject_id: text('Id of the subject in the list.', 'subjectId'),
    name: text.orNull('Name as written in the list. Null if the list has none. It is shown, never compared.'),
    kind: shownAs(IdentifierKindType)(
      'Kind of the identifier in the list. A registration number is compared with tax numbers too.',
    ),
    country: text.orNull(
      'Country of the number in the list (ISO 3166-1 alpha-2). Null if the list names none, and for kinds without a country.',
    ),
    labels: texts(
      'What the list calls the identifier: for a wallet the codes of currencies, such as XBT or USDT, which do not name the chain. Empty if the list has dropped the identifier and still names the subject.',
    ),
    sanction_programs: texts('Codes of the programmes, sorted.', 'programs'),
    is_listed: flag('True while the list names the subject as sanctioned.', 'isListed'),
    since: day.orNull('First day of listing that the list states. Null if it states none.'),
    until: day.orNull(
      'Day on which the listing ended, or on which this service found it gone. Null while it lasts.',
    ),
    known_from: instant('Time from which this service knew this version of the entry.', 'knownFrom'),
    programs: t.field({
      type: [SanctionsProgramType],
      subGraphs: ['Graph'],
      description: 'The programmes of sanction_programs with titles and measures.',
      resolve: ({ programs }) => programs.map(programOf),
    }),
  }),
)

const CheckedIdentifierType = builder.objectRef<CheckedIdentifier>('CheckedIdentifier').implement({
  description: 'The comparison of one identifier with the sanctions lists.',
  fields: (t) =>
    shownFields(t, {
      kind: shownAs(IdentifierKindType)('Kind under which the identifier was given.'),
      identifier: text(
        'The identifier in the form in which it was compared. If it is invalid, the given text.',
      ),
      country: text.orNull('Country of a registration number (ISO 3166-1 alpha-2). Null for other kinds.'),
      status: shownAs(IdentifierStatusType)('listed, formerly_listed, mentioned, not_found or invalid.'),
      problem: text.orNull('What is wrong with an invalid identifier. Null for all others.'),
      lists: texts('Sanctions lists that name the identifier as that of a sanctioned subject, sorted.'),
      since: day.orNull('First day of listing that the lists in force state. Null if they state none.'),
      until: day.orNull('Last day on which a listing ended. Null while a listing lasts, and without any.'),
      designations: t.field({
        type: [DesignationType],
        description: 'The entry in each list that has the identifier, or had it.',
        resolve: ({ designations }) => [...designations],
      }),
    }),
})

interface IdentifierCheck extends Envelope<readonly CheckedIdentifier[]> {
  readonly lists: readonly (ListState & { readonly freshness: Freshness })[]
}

const IdentifierCheckType = builder.objectRef<IdentifierCheck>('CheckedIdentifierList').implement({
  description: 'A comparison of identifiers with the loaded sanctions lists. Names are never compared.',
  fields: (t) =>
    shownFields(t, {
      data: t.field({
        type: [CheckedIdentifierType],
        description:
          'One result per identifier, in the order leis, isins, imos, wallets, registrations, including duplicates.',
        resolve: ({ data }) => [...data],
      }),
      meta: shownAs(ApiMetaType)(
        'Metadata of the response. `data_methodology` says that only exact identifiers are compared.',
      ),
      lists: t.field({
        type: [LoadedListType],
        description:
          'The lists that were compared: the loaded ones, and for a past day those that were loaded then.',
        resolve: ({ lists }) => [...lists],
      }),
      _meta: shownAs(FreshnessType)('Freshness of the list that was least recently read.'),
    }),
})

/** The members of `meta` that say what the comparison does not cover. */
const NOTICE = {
  data_methodology: {
    summary:
      'Exact identifiers only: names are never compared, and an identifier that no list has is not an all-clear.',
    section: 'sanctions-screening',
  },
  disclaimer: SCREENING_DISCLAIMER,
  disclaimer_lang_canonical: 'en',
  disclaimer_translations: { fr: SCREENING_DISCLAIMER_FR },
} as const satisfies AnswerMeta

const RegistrationType = builder.inputType('RegistrationNumber', {
  description: 'The number of an organisation in a register of its country.',
  fields: (t) => ({
    country: t.string({
      required: true,
      description: 'Country of the register (ISO 3166-1 alpha-2), in any case.',
      ...hints({ example: 'RU', maxLength: 2 }),
    }),
    number: t.string({
      required: true,
      description: 'The number. Blanks and punctuation do not count.',
      ...hints({ example: '1027700132195', maxLength: 130 }),
    }),
  }),
})

const identifiersArgument = (arg: ArgBuilder, description: string, example: string) =>
  arg.stringList({ description, ...hints({ maximum: MAX_IDENTIFIERS, example: [example] }) })

queryEndpoint('check_sanctions', {
  summary: 'Check identifiers against sanctions lists',
  keywords: [
    'sanctioned wallet',
    'sanctioned ship',
    'IMO number',
    'wallet screening',
    'registration number',
    'vessel',
  ],
  description: `Compares 1 to ${MAX_IDENTIFIERS} identifiers with the loaded sanctions lists: LEIs, ISINs, IMO numbers, addresses of wallets and registration numbers. Only exact identifiers are compared, never names, so \`not_found\` is not an all-clear. With \`on\` the result is that of the end of a past day; a day before the first list was loaded is a 422 that says from when days are covered.`,
  access: 'screening:read',
  cost: 'metered',
  rest: { method: 'POST', path: '/v1/sanctions/check', tag: 'sanctions', bodyName: 'IdentifierCheckRequest' },
  reads: ['screening'],
  type: IdentifierCheckType,
  args: (arg) => ({
    leis: identifiersArgument(arg, 'LEIs (ISO 17442), in any case.', '5493001KJTIIGC8Y1R12'),
    isins: identifiersArgument(arg, 'ISINs (ISO 6166), in any case.', 'US1694261033'),
    imos: identifiersArgument(
      arg,
      'IMO numbers of ships or companies, with or without IMO before them.',
      '9187629',
    ),
    wallets: identifiersArgument(
      arg,
      'Addresses of crypto wallets. The case counts, except in addresses with 0x and in bech32.',
      '12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h',
    ),
    registrations: arg({
      type: [RegistrationType],
      description: 'Registration or tax numbers of organisations, each with its country.',
      ...hints({ maximum: MAX_IDENTIFIERS }),
    }),
    on: arg({
      type: 'Date',
      description: 'A past day (UTC), at whose end the result holds.',
      ...hints({ defaultText: 'now', example: '2026-11-20' }),
    }),
  }),
  check: (args, context) => parseIdentifierQuery(args, context),
  rows: ({ identifiers }) => identifiers.length,
  rowsPerUnit: 1,
  resolve: async (query, context) => {
    const state = datasetStateOf(context, 'screening')
    const data = await checkIdentifiers(query, context)
    const compared = listsOf(state).filter(({ list }) => query.covering === null || query.covering.has(list))
    const shown = envelope(context, stateOfLists(state), 'screening', data, NOTICE)
    const lists = compared.map((list) => ({ ...list, freshness: freshness(context, list, 'screening') }))
    return { ...shown, lists }
  },
})
