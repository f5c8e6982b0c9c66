import { ANALYSIS_TYPES } from '../../../src/domains/analysis/model.js'
import type { Database } from '../../../src/platform/database/database.js'
import { CORRECTED_EACH, generatedAt, generationStepMs, type Scale } from './scale.js'

/** Eight figures and a paragraph, as long as an analysis of the rules. */
const CONTENT = `
  '{"sentiment_score":' || round(random()::numeric, 6) || ',"signals":['
  || (select string_agg('{"name":"figure_' || n || '","threshold":0.5,"unit":"fraction","value":'
       || '0.' || n * sequence % 997 || '}', ',') from generate_series(1, 8) as n)
  || '],"summary":"' || repeat('Asset ' || asset_id || ' moved within its range. ', 16) || sequence || '"}'`

/**
 * Writes all chains of a run together, like ingestion. One snapshot in `CORRECTED_EACH` corrects the one before it. The
 * hashes have only the right form, because reads do not check them.
 */
const SNAPSHOTS = `
  insert into analysis_snapshot (snapshot_id, asset_id, analysis_type, generated_at, known_from, supersedes, sequence,
    content, content_hash, chain_hash, signature, signing_key_id, model_id, methodology_version, data_window_from,
    data_window_to, data_lineage, source, standing)
  select md5(asset_id || ':' || type || ':' || sequence)::uuid, asset_id, type, at, at,
    case when is_correction then md5(asset_id || ':' || type || ':' || sequence - 1)::uuid end, sequence, content,
    'sha256:' || encode(sha256(content::bytea), 'hex'), 'sha256:' || encode(sha256((content || at)::bytea), 'hex'),
    repeat('A', 86), 'bench', 'rules-1', type || '-1', at - interval '31 days', at,
    '[{"dataset":"candles","version":7,"source":"bench"}]', 'bench',
    count(*) filter (where not is_correction) over (partition by asset_id, type order by sequence)
  from generate_series(1, $1::int) as sequence
  cross join lateral (select $2::timestamptz + (sequence - 1) * $3::interval as at) as run
  cross join generate_series(1, $4::int) as asset_id
  cross join unnest($5::analysis_type[]) with ordinality as kind(type, number)
  cross join lateral (select ${CONTENT} as content, sequence > 1
    and (sequence + asset_id + number) % ${CORRECTED_EACH} = 0 as is_correction) as text
  order by sequence, asset_id, number`

const CHANGES = `
  insert into analysis_change (computed_at, asset_id, analysis_type, change_type, from_snapshot_id, to_snapshot_id,
    changed_at, changes, text_changed, similarity, source, place)
  select known_from, asset_id, analysis_type, reason,
    md5(asset_id || ':' || analysis_type || ':' || sequence - 1)::uuid, snapshot_id, generated_at,
    (select jsonb_agg(jsonb_build_object('field', 'signals.figure_' || n || '.value', 'before', 0.25, 'after', 0.5,
      'change_type', 'DATA_REFRESH')) from generate_series(1, 8) as n), true, round(random()::numeric, 6), source,
    row_number() over (partition by analysis_type, reason order by sequence, asset_id)
  from analysis_snapshot
  cross join lateral (select case when supersedes is not null then 'RESTATEMENT'
    when (sequence + 7 * asset_id) % 97 = 0 then 'METHODOLOGY_CHANGE'
    when (sequence + 7 * asset_id) % 61 = 0 then 'MODEL_UPGRADE'
    else 'DATA_REFRESH' end::change_type as reason) as given
  where sequence > 1
  order by sequence, asset_id, analysis_type`

export async function fillSnapshots(database: Database, scale: Scale): Promise<void> {
  const { chainLength, series } = scale
  const step = `${generationStepMs(scale)} milliseconds`
  await database.rows(SNAPSHOTS, [chainLength, generatedAt(scale, 1), step, series, ANALYSIS_TYPES])
}

/** Writes the changes of each snapshot. The snapshots must exist. */
export async function fillChanges(database: Database): Promise<void> {
  await database.rows(CHANGES)
}
