import type { Known } from '../../../platform/bi-temporal/series-table.js'
import { appendChangesText, lockChangeOrder } from '../../../platform/changes/change-order.js'
import type { Transaction } from '../../../platform/database/database.js'
import { statement } from '../../../platform/database/statement.js'
import { isNotRepeated } from '../dividend-sum-model.js'
import { type ChangedType, TYPES_OF_DATASET } from './change-model.js'

const isCurrent = (row: string) => `${row}.known_to is null`

/**
 * The actions of the assets `$1` whose terms differ from those of the last recorded change, as `changed`. Dividends are
 * those that the list of dividends shows.
 */
const CHANGED = `
  with stated as (
    select a.asset_id, a.action_type::text as action_type, a.ex_date::text as action_key, jsonb_build_object(
        'ex_date', a.ex_date, 'ratio', a.ratio, 'value_ratio', a.value_ratio, 'description', a.description) as terms,
      a.known_from, a.source
    from corporate_action as a where a.asset_id = any($1::int[]) and not a.is_withdrawn and ${isCurrent('a')}
    union all
    select i.asset_id, 'ticker_change', i.value || ' ' || i.occurrence, jsonb_build_object('ex_date', i.valid_to, 'former_ticker', i.value),
      i.known_from, i.source
    from instrument_identifier as i
    where i.asset_id = any($1::int[]) and i.scheme = 'ticker' and i.valid_to is not null and ${isCurrent('i')}
    union all
    select d.asset_id, 'dividend', d.ex_date || ' ' || d.frequency, jsonb_build_object('ex_date', d.ex_date,
        'pay_date', d.pay_date, 'amount', d.amount, 'currency', d.currency, 'frequency', d.frequency),
      d.known_from, d.source
    from dividend as d
    where d.asset_id = any($1::int[]) and not d.is_withdrawn and ${isCurrent('d')} and ${isNotRepeated('d', isCurrent)}
  ), recorded as (
    select distinct on (c.asset_id, c.action_type, c.action_key) c.asset_id, c.action_type::text as action_type,
      c.action_key, c.after as terms, c.known_from
    from corporate_action_change as c where c.asset_id = any($1::int[])
    order by c.asset_id, c.action_type, c.action_key, c.computed_at desc, c.diff_id desc
  ), changed as (
    select asset_id, action_type, action_key, case when r.known_from is null then 'created' else 'revised' end as change_kind,
      r.terms as before, s.terms as after, r.known_from as before_from, s.known_from as after_from, s.source
    from stated as s full join recorded as r using (asset_id, action_type, action_key)
    where s.terms is distinct from r.terms
  )`

const HAS_CHANGED = statement(
  'bulk',
  { isAny: 'bool' },
  `${CHANGED} select exists (select from changed) as "isAny"`,
)

/**
 * A withdrawn action has no row, so its change is known from the time of the run, by its source. The UUID of a change comes
 * from the change (version 8 of RFC 9562).
 */
const APPEND_CHANGED = appendChangesText({
  table: 'corporate_action_change',
  kinds: ['action_type', 'change_kind'],
  isOfOneSource: false,
  changes: `${CHANGED}
    select c.asset_id, c.action_type::corporate_action_change_type as action_type, c.action_key,
      c.change_kind::corporate_action_change_kind as change_kind, c.before, c.after, coalesce(c.source, $3) as source,
      coalesce(c.after_from, greatest($2::timestamptz, c.before_from + interval '1 millisecond')) as known_from,
      row_number() over (order by coalesce(c.after, c.before) ->> 'ex_date', c.asset_id, c.action_type, c.action_key) as number
    from changed as c`,
  columns: [
    'asset_id',
    'action_type',
    'action_key',
    'change_kind',
    'before',
    'after',
    'known_from',
    'source',
  ],
  values: {
    change_id: `overlay(overlay(md5(concat_ws('|', n.asset_id, n.action_type, n.action_key, n.change_kind, n.after, n.before,
      n.place, $2::timestamptz)) placing '8' from 13) placing '8' from 17)::uuid`,
  },
})

/**
 * Records what changed in the corporate actions, dividends and tickers of assets since the last recorded change of each, so
 * that a repetition records nothing. Call it after each write, in the transaction of the write. Only if something changed it
 * waits for other writers of changes and lets none in until the transaction ends.
 */
export async function recordActionChanges(
  tx: Transaction,
  assetIds: readonly number[],
  known: Known,
): Promise<void> {
  const ids = [...new Set(assetIds)]
  if (ids.length === 0) return
  const [found] = await tx.rows(HAS_CHANGED, [ids])
  if (found?.isAny !== true) return
  await lockChangeOrder(tx)
  await tx.rows(APPEND_CHANGED, [ids, known.knownAt, known.source])
}

/** Removes the changes of a source with its rows, for the types that a dataset writes. Webhooks do not send them any more. */
export async function removeActionChanges(
  tx: Transaction,
  dataset: keyof typeof TYPES_OF_DATASET,
  source: string,
): Promise<void> {
  const types: readonly ChangedType[] = TYPES_OF_DATASET[dataset]
  await tx.prisma.corporateActionChange.deleteMany({ where: { source, actionType: { in: [...types] } } })
}
