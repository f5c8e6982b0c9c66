import type { ChangePage } from '../../../platform/changes/change-feed.js'
import type { UsedState } from '../../../platform/database/versions/data-version.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { ApiMetaType } from '../../../schema-kit/api-meta.js'
import { builder } from '../../../schema-kit/builder.js'
import { CHANGE_LIST, changeListArguments, NEXT_CHANGES } from '../../../schema-kit/change-list.js'
import { describedEnum } from '../../../schema-kit/described-enum.js'
import { datasetStateOf, type Envelope, envelope, FreshnessType } from '../../../schema-kit/envelope.js'
import { hints } from '../../../schema-kit/fields.js'
import { seriesEndpoint } from '../../../schema-kit/series-endpoint.js'
import { limitArgument, MIC_HINTS } from '../../../schema-kit/shared-arguments.js'
import {
  day,
  instant,
  integer,
  number,
  shownAs,
  shownFields,
  text,
  uuid,
} from '../../../schema-kit/shown-fields.js'
import { withComputed } from '../../../schema-kit/with-computed.js'
import { cardEdge } from '../../asset-cards/card-schema.js'
import { FrequencyType } from '../event-schema.js'
import { ACTION_CHANGES_LIMITS, type ActionTerms, changedTerms } from './change-model.js'
import { getActionChanges, parseActionChanges } from './change-service.js'
import type { ActionChange } from './change-store.js'

const ChangedTypeType = describedEnum('CorporateActionChangeType', 'What a change is about.', {
  split: 'One share becomes several.',
  reverse_split: 'Several shares become one.',
  spin_off: 'Shareholders receive shares of a part of the company.',
  merger: 'The company merges with another one or acquires it.',
  ticker_change: 'The share trades under another ticker.',
  dividend: 'A cash dividend.',
})

const ChangeKindType = describedEnum('CorporateActionChangeKind', 'Kind of a change.', {
  created: 'The action is new.',
  revised: 'The terms changed, or the action was withdrawn or restored.',
})

const ActionTermsType = builder.objectRef<ActionTerms>('CorporateActionTerms').implement({
  description: 'The terms of a corporate action at one time.',
  fields: (t) =>
    shownFields(t, {
      ex_date: day('First day on which the share trades after the action.'),
      ratio: number.orNull('Shares after the action per share before it. Null if unknown.'),
      value_ratio: number.orNull(
        'Of a spin-off: value of a share after it per value before it. Null if unknown.',
      ),
      description: text.orNull('Description. Null if the source gives none.'),
      former_ticker: text.orNull('Former ticker. Null unless action_type is ticker_change.'),
      pay_date: day.orNull('Day on which a dividend is paid. Null if unknown.'),
      amount: number.orNull('Dividend per share before taxes. Null for other actions.'),
      currency: text.orNull('Currency of the amount (ISO 4217). Null without an amount.'),
      frequency: shownAs(FrequencyType).orNull('How often the dividend is paid. Null for other actions.'),
    }),
})

const ChangeType = withComputed<ActionChange, 'CorporateActionChange'>(
  builder.prismaObject('CorporateActionChange', {
    description: 'A new corporate action, or other terms of one.',
  }),
)

builder.objectFields(ChangeType, (t) =>
  shownFields(t, {
    change_id: uuid('UUID of the change. Webhooks name it `change_<UUID>`.', 'changeId'),
    asset_id: t.string({ description: 'Slug of the stock or ETF.', resolve: ({ asset }) => asset.slug }),
    ticker: t.string({
      description: 'Current ticker of the stock or ETF.',
      resolve: ({ asset }) => asset.ticker,
    }),
    action_type: shownAs(ChangedTypeType)('Kind of the corporate action.', 'actionType'),
    change_kind: shownAs(ChangeKindType)('Whether the action is new or revised.', 'changeKind'),
    is_withdrawn: t.boolean({
      description: 'Whether the source withdrew the action.',
      resolve: ({ after }) => after === null,
    }),
    before: shownAs(ActionTermsType).orNull(
      'Terms before the change. Null if the action is new or restored.',
    ),
    after: shownAs(ActionTermsType).orNull('Terms after the change. Null if the action is withdrawn.'),
    changed_fields: t.stringList({
      description: 'Names of the terms that differ.',
      resolve: ({ before, after }) => changedTerms(before, after),
    }),
    known_from: instant('Time from which this service knew the terms after the change.', 'knownFrom'),
    recorded_at: instant('When the change was added to this list.', 'computedAt'),
    source: text('Provider of the change. `seed` marks synthetic data.', 'provider'),
    asset: t.field({ ...cardEdge(), nullable: true }),
  }),
)

interface ChangesAnswer extends ChangePage<ActionChange> {
  readonly envelope: Envelope<readonly ActionChange[]>
}

const ChangesType = builder.objectRef<ChangesAnswer>('CorporateActionChangesResponse').implement({
  description: 'A page of changes of corporate actions, newest first.',
  fields: (t) =>
    shownFields(t, {
      meta: t.field({
        type: ApiMetaType,
        description: 'Metadata of the response.',
        resolve: (answer) => answer.envelope.meta,
      }),
      items: shownAs([ChangeType])('The changes, newest first.'),
      ...NEXT_CHANGES,
      total_count: integer.orNull('Number of matching items. Null with a cursor.', 'totalCount'),
      _meta: t.field({
        type: FreshnessType,
        description: 'Freshness and sources of the corporate actions.',
        resolve: (answer) => answer.envelope._meta,
      }),
    }),
})

seriesEndpoint('corporate_action_changes', {
  ...CHANGE_LIST,
  summary: 'Changes of corporate actions',
  keywords: ['new splits', 'announced dividends', 'corporate actions feed'],
  description:
    'New and revised splits, spin-offs, mergers, tickers and dividends of stocks and ETFs, newest first in the order of arrival. A withdrawn action is revised. An action with another ex-date is withdrawn, and a new one is created. Paging with `next_cursor` returns each item exactly once.',
  access: 'instruments:read',
  path: '/v1/corporate-actions/changes',
  tag: 'stocks',
  errors: ['not_found', 'service_unavailable'],
  reads: ['instruments', 'corporate_actions', 'dividends'],
  type: ChangesType,
  args: (arg) => ({
    ...changeListArguments(arg),
    ticker: arg.string({
      description: 'Only stocks and ETFs with this ticker.',
      ...hints({ example: 'AAPL', maxLength: 20 }),
    }),
    mic: arg.string({
      description: 'With `ticker`: only this market (ISO 10383).',
      ...MIC_HINTS,
    }),
    action_type: arg({ type: ChangedTypeType, description: 'Only changes of this kind of action.' }),
    change_kind: arg({ type: ChangeKindType, description: 'Only new actions, or only revised ones.' }),
    limit: limitArgument(arg, 'Items per page.', ACTION_CHANGES_LIMITS),
  }),
  check: (args) => parseActionChanges(args),
  resolve: async (query, context) => {
    const page = await getActionChanges(query, context)
    return { ...page, envelope: envelope(context, stateOfActions(context), 'daily', page.items) }
  },
})

/** The masters give changes of tickers, so the datasets of other actions may be missing. */
function stateOfActions(context: RequestContext): UsedState {
  const { datasets } = context
  const actions = (['corporate_actions', 'dividends'] as const).flatMap((name) => datasets.get(name) ?? [])
  const states = actions.length === 0 ? [datasetStateOf(context, 'instruments')] : actions
  const [newest = datasetStateOf(context, 'instruments')] = states.toSorted(
    (a, b) => b.observedAt.getTime() - a.observedAt.getTime(),
  )
  return {
    ...newest,
    isDevDataset: states.some(({ isDevDataset }) => isDevDataset),
    sources: [...new Set(states.map(({ source }) => source))],
  }
}
