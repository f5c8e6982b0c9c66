import './address-schema.js'
import './identifier-schema.js'
import { builder } from '../../schema-kit/builder.js'
import { describedEnum } from '../../schema-kit/described-enum.js'
import { datasetStateOf, type Freshness, FreshnessType, freshness } from '../../schema-kit/envelope.js'
import { hints, queryEndpoint } from '../../schema-kit/fields.js'
import { asOfArguments } from '../../schema-kit/shared-arguments.js'
import {
  day,
  flag,
  instant,
  integer,
  shownAs,
  shownFields,
  text,
  texts,
} from '../../schema-kit/shown-fields.js'
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

const ScreenStatusType = describedEnum('ScreenStatus', 'Result of the screening of an LEI.', {
  screened:
    'A loaded list names the entity by its LEI, or did so earlier. See is_sanctioned for whether it is sanctioned.',
  not_screened:
    'No loaded list has the LEI. This is not an all-clear, because a list may name the entity without its LEI.',
  invalid_lei: 'Not an LEI: wrong length, wrong characters, or check digits that do not match (ISO 17442).',
})

const ScreenResultType = builder.objectRef<ScreenResult>('BatchScreenResult').implement({
  description: 'The screening of one LEI against the loaded lists.',
  fields: (t) =>
    shownFields(t, {
      lei: text('The LEI in upper case. For an invalid LEI, the first 64 characters of the given text.'),
      status: shownAs(ScreenStatusType)('screened, not_screened or invalid_lei.'),
      is_sanctioned: flag.orNull(
        'True if any loaded list names the entity as sanctioned. False if lists name the entity and none names it as sanctioned. Null unless the status is screened.',
        'isSanctioned',
      ),
      checked_at: instant.orNull(
        'Instant for which the result holds: `as_of`, or the time at which the least recently read list was read. Null unless the status is screened.',
        'checkedAt',
      ),
      last_listed_date: day.orNull(
        'Day of the latest listing. It is kept after the entity has left the list. Null unless the status is screened, and if no list states a day.',
        'lastListedDate',
      ),
      legal_name: text.orNull(
        'Legal name in the LEI register (GLEIF), otherwise as written in the lists. Null if neither has one.',
        'legalName',
      ),
      opensanctions_id: text.orNull(
        'Id of the entity at OpenSanctions. Null if OpenSanctions does not have the LEI.',
        'opensanctionsId',
      ),
      risk_score: t.float({
        nullable: true,
        description: 'Risk score from 0 to 1. Always null, because no loaded list states one.',
        resolve: () => null,
      }),
      sanction_programs: texts(
        'Codes of the programmes under which the entity is sanctioned, sorted. Empty without any.',
        'programs',
      ),
      sanctions_lists: texts(
        'Sanctions lists that name the entity as sanctioned, sorted. Empty without any.',
        'lists',
      ),
      programs: t.field({
        type: [SanctionsProgramType],
        subGraphs: ['Graph'],
        description: 'The programmes of sanction_programs with titles and measures.',
        resolve: ({ programs }) => programs.map(programOf),
      }),
      entries: t.field({
        type: [ListEntryType],
        subGraphs: ['Graph'],
        description: 'The entry of the entity in each list that names it by its LEI, or did so earlier.',
        resolve: ({ entries }) => [...entries],
      }),
    }),
})

const ScreeningMetaType = builder.objectRef<ScreeningMeta>('BatchScreenMeta').implement({
  description: 'Metadata of a screening.',
  fields: (t) =>
    shownFields(t, {
      fetched_at: instant('When the most recently read list was read.'),
      total_requested: integer('Number of requested LEIs, including duplicates.'),
      screened_count: integer('Number of results with the status screened, sanctioned or not.'),
      not_screened_count: integer(
        'Number of results with the status not_screened. This is not an all-clear.',
      ),
      invalid_lei_count: integer('Number of results with the status invalid_lei.'),
      attribution: text('Credit lines that the licences of the loaded lists require, joined by semicolons.'),
      disclaimer: text('The disclaimer. This English text is binding.'),
      disclaimer_fr: text('Unofficial French translation of the disclaimer.'),
      license: text('Terms of use of the loaded lists, joined by semicolons.'),
      lists_covered: texts(
        'The loaded lists, and the lists that a loaded collection of lists names for a result, sorted. See `lists` for the loaded ones.',
      ),
      source: text('Providers of the loaded lists, joined by commas. seed marks synthetic data.'),
    }),
})

const BatchScreenType = builder.objectRef<BatchScreen>('BatchScreenResponse').implement({
  description: 'A screening of LEIs against the loaded sanctions lists.',
  fields: (t) =>
    shownFields(t, {
      data: t.field({
        type: [ScreenResultType],
        description: 'One result per requested LEI, in the order of the request, including duplicates.',
        resolve: ({ data }) => data,
      }),
      meta: shownAs(ScreeningMetaType)('Metadata of the screening.'),
      lists: t.field({
        type: [LoadedListType],
        description: 'The loaded lists, each with its freshness and terms of use.',
        resolve: ({ lists }) => lists,
      }),
      _meta: shownAs(FreshnessType)('Freshness of the list that was least recently read.'),
    }),
})

queryEndpoint('screen_leis', {
  summary: 'Screen legal entities against sanctions lists',
  keywords: ['sanctions', 'sanctioned', 'LEI', 'compliance', 'OFAC', 'KYC', 'blacklist', 'embargo'],
  description:
    'Screens 1 to 50 legal entity identifiers (LEIs) against the loaded sanctions lists. No other service is queried. Returns one result per LEI, in the order of the request. `not_screened` is not an all-clear: no loaded list has the LEI, but lists name many entities without one. A request costs one unit for any number of LEIs.',
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
    ...asOfArguments(arg),
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
