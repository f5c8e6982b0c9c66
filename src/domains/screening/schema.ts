import { builder } from '../../schema-kit/builder.js'
import { describedEnum } from '../../schema-kit/described-enum.js'
import { datasetStateOf, type Freshness, FreshnessType, freshness } from '../../schema-kit/envelope.js'
import { hints, queryEndpoint } from '../../schema-kit/fields.js'
import { asOfArgument } from '../../schema-kit/shared-arguments.js'
import { ListEntryType, LoadedListType, SanctionsProgramType } from './list-schema.js'
import { programOf } from './programs-model.js'
import { type ListState, listsOf, type ScreeningMeta, screeningMeta, stateOfLists } from './screening-meta.js'
import { checkScreenQuery, MAX_LEIS, type ScreenResult, screen } from './service.js'

interface BatchScreen {
  readonly data: readonly ScreenResult[]
  readonly meta: ScreeningMeta
  readonly lists: readonly (ListState & { readonly freshness: Freshness })[]
  readonly _meta: Freshness
}

const ScreenStatusType = describedEnum('ScreenStatus', 'What came of the screening of an LEI.', {
  screened: 'A loaded list knows the entity by its LEI, or did; is_sanctioned says whether it is sanctioned.',
  not_screened:
    'No loaded list knows the LEI. Nothing is known of sanctions: the entity may be listed without its LEI.',
  invalid_lei: 'No LEI: wrong length, wrong characters, or check digits that do not match (ISO 17442).',
})

const ScreenResultType = builder.objectRef<ScreenResult>('BatchScreenResult').implement({
  description: 'What the loaded lists say of one LEI.',
  fields: (t) => ({
    lei: t.exposeString('lei', {
      description: 'The LEI in upper case. A text that is none as it was given, its first 64 characters.',
    }),
    status: t.expose('status', {
      type: ScreenStatusType,
      description: 'screened, not_screened or invalid_lei.',
    }),
    is_sanctioned: t.exposeBoolean('isSanctioned', {
      nullable: true,
      description:
        'True where any loaded list has the entity as sanctioned. False where lists know it and none has it as sanctioned. Null unless screened: nothing is known.',
    }),
    checked_at: t.expose('checkedAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'The instant that the result holds for: when the list that was read longest ago was read, or as_of. Null unless screened.',
    }),
    last_listed_date: t.expose('lastListedDate', {
      type: 'Date',
      nullable: true,
      description:
        'Day of the latest listing, kept after the entity has left the list. Null unless screened, or where no list states a day.',
    }),
    legal_name: t.exposeString('legalName', {
      nullable: true,
      description:
        'Legal name by the register of LEIs (GLEIF), else as the lists have it. Null where neither has one.',
    }),
    opensanctions_id: t.exposeString('opensanctionsId', {
      nullable: true,
      description: 'Id of the entity at OpenSanctions. Null where OpenSanctions does not know the LEI.',
    }),
    risk_score: t.float({
      nullable: true,
      description: 'From 0 to 1. Null: none of the lists that are read states one.',
      resolve: () => null,
    }),
    sanction_programs: t.exposeStringList('programs', {
      description:
        'Codes of the programmes that the entity is sanctioned under, sorted. Empty where there are none.',
    }),
    sanctions_lists: t.exposeStringList('lists', {
      description: 'Sanctions lists that name the entity as sanctioned, sorted. Empty where none does.',
    }),
    programs: t.field({
      type: [SanctionsProgramType],
      subGraphs: ['Graph'],
      description: 'The programmes of sanction_programs, from the dictionary of programmes.',
      resolve: ({ programs }) => programs.map(programOf),
    }),
    entries: t.field({
      type: [ListEntryType],
      subGraphs: ['Graph'],
      description: 'The entity in each list that knows it by its LEI, or did.',
      resolve: ({ entries }) => [...entries],
    }),
  }),
})

const ScreeningMetaType = builder.objectRef<ScreeningMeta>('BatchScreenMeta').implement({
  description: 'What is known about a screening.',
  fields: (t) => ({
    fetched_at: t.expose('fetched_at', {
      type: 'DateTime',
      description: 'When a list was last read here, the newest of them.',
    }),
    total_requested: t.exposeInt('total_requested', { description: 'LEIs asked for, duplicates included.' }),
    screened_count: t.exposeInt('screened_count', {
      description: 'Results with the status screened: sanctioned or not.',
    }),
    not_screened_count: t.exposeInt('not_screened_count', {
      description: 'Results with the status not_screened: nothing is known of them.',
    }),
    invalid_lei_count: t.exposeInt('invalid_lei_count', {
      description: 'Results with the status invalid_lei.',
    }),
    attribution: t.exposeString('attribution', {
      description: 'Credit lines that the licences of the loaded lists ask for, joined by semicolons.',
    }),
    disclaimer: t.exposeString('disclaimer', { description: 'What a screening is not.' }),
    disclaimer_fr: t.exposeString('disclaimer_fr', {
      description: 'Unofficial French translation of the disclaimer.',
    }),
    license: t.exposeString('license', {
      description: 'On what terms the loaded lists may be used, joined by semicolons.',
    }),
    lists_covered: t.exposeStringList('lists_covered', {
      description: 'Lists that are loaded. What is on others only is not known.',
    }),
    source: t.exposeString('source', {
      description: 'Providers of the loaded lists, joined by commas; seed is synthetic.',
    }),
  }),
})

const BatchScreenType = builder.objectRef<BatchScreen>('BatchScreenResponse').implement({
  description: 'A screening of LEIs against the loaded sanctions lists.',
  fields: (t) => ({
    data: t.field({
      type: [ScreenResultType],
      description: 'A result for each LEI, in the order given, duplicates kept.',
      resolve: ({ data }) => data,
    }),
    meta: t.expose('meta', { type: ScreeningMetaType, description: 'What is known about the screening.' }),
    lists: t.field({
      type: [LoadedListType],
      description: 'The lists that are loaded, each with its own age and terms.',
      resolve: ({ lists }) => lists,
    }),
    _meta: t.expose('_meta', {
      type: FreshnessType,
      description: 'How fresh the lists are: of the list that was read longest ago.',
    }),
  }),
})

queryEndpoint('screen_leis', {
  summary: 'Screen legal entities against sanctions lists',
  description:
    'Screens 1 to 50 legal entity identifiers against the sanctions lists that are loaded here; no other service is asked. A result for each LEI in the order given. `not_screened` is not an all-clear: no loaded list knows the entity by its LEI, and lists name many entities without one. Costs one unit, however many LEIs there are.',
  access: 'screening:read',
  cost: 'metered',
  rest: { method: 'POST', path: '/v1/sanctions/screen', tag: 'sanctions', bodyName: 'BatchScreenRequest' },
  reads: ['screening'],
  type: BatchScreenType,
  args: (arg) => ({
    leis: arg.stringList({
      required: true,
      description: 'LEIs (ISO 17442), in upper or lower case.',
      ...hints({ minimum: 1, maximum: MAX_LEIS, example: ['5493001KJTIIGC8Y1R12'] }),
    }),
    as_of: asOfArgument(arg),
  }),
  check: (args, context) => checkScreenQuery(args, context),
  rows: ({ leis }) => leis.length,
  resolve: async (query, context) => {
    const state = datasetStateOf(context, 'screening')
    const data = await screen(query, state, context)
    const lists = listsOf(state).map((list) => ({
      ...list,
      freshness: freshness(context, list, 'screening'),
    }))
    return {
      data,
      meta: screeningMeta(data, state),
      lists,
      _meta: freshness(context, stateOfLists(state), 'screening'),
    }
  },
})
