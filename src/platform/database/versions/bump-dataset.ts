import type { DatasetName } from '../../../core/datasets.js'
import type { Transaction } from '../database.js'
import { type RowOf, statement } from '../statement.js'
import { assertGrainName } from './data-parts.js'
import type { DatasetState, Terms } from './data-version.js'
import type { StoredPart } from './dataset-states-store.js'

/** A committed change of one part of a dataset. */
export interface DatasetChange
  extends Pick<DatasetState, 'dataset' | 'source' | 'isDevDataset' | 'observedAt' | 'changedAt'> {
  /** The source by default. */
  readonly part?: string
  /** By default the known terms stay. */
  readonly terms?: Terms
  /**
   * Every grain that the change touched, with its newest fact. Omitted, empty, or more than MAX_TOUCHED_GRAINS: any grain may have
   * changed.
   */
  readonly touched?: ReadonlyMap<string, Date>
}

/** More grains than this in one commit cost more than the answers that they keep valid. */
export const MAX_TOUCHED_GRAINS = 256

/** Commits that a node may miss between two reads and still read only the grains that changed. */
const RECENT_COMMITS = 32

/**
 * The other parts stay, except synthetic ones when the change is live. The dataset takes its age and source from its newest
 * part.
 */
const BUMP = `
  insert into dataset_state as d (dataset, version, source, is_dev_dataset, observed_at, changed_at, parts)
  values ($1, 1, $2, $3, $4, $5, jsonb_build_object($6::text, $7::jsonb || jsonb_build_object('version', 1)))
  on conflict (dataset) do update set version = d.version + 1, changed_at = excluded.changed_at,
    commit_id = gen_random_uuid(),
    (parts, source, is_dev_dataset, observed_at) = (
      select jsonb_object_agg(p.name, p.part),
        (array_agg(p.part->>'source' order by p.observed_at desc, p.name = $6::text desc))[1],
        bool_or((p.part->>'is_dev_dataset')::boolean), max(p.observed_at)
      from (
        select k.name, k.part, (k.part->>'observed_at')::timestamptz as observed_at
        from jsonb_each(d.parts) as k(name, part)
        where k.name <> $6::text and (excluded.is_dev_dataset or not (k.part->>'is_dev_dataset')::boolean)
        union all
        select $6::text, coalesce(d.parts->$6::text, '{}') || $7::jsonb
          || jsonb_build_object('version', coalesce((d.parts->$6::text->>'version')::int, 0) + 1), $4::timestamptz
      ) as p
    )`

/** Records a change of a dataset. Call it in the transaction that makes the change. */
export async function bumpDataset(tx: Transaction, change: DatasetChange): Promise<void> {
  const { dataset, source, isDevDataset, observedAt, changedAt, part = source, terms, touched } = change
  const stored: Omit<StoredPart, 'version'> = {
    source,
    is_dev_dataset: isDevDataset,
    observed_at: observedAt.toISOString(),
    changed_at: changedAt.toISOString(),
    ...(terms && {
      licence: terms.licence,
      attribution: terms.attribution,
      licensed_for_commercial_use: terms.licensedForCommercialUse,
    }),
  }
  const isGrained = touched !== undefined && touched.size > 0 && touched.size <= MAX_TOUCHED_GRAINS
  const before = isGrained ? await lockProvenance(tx, dataset) : null
  await tx.rows(BUMP, [dataset, source, isDevDataset, observedAt, changedAt, part, JSON.stringify(stored)])
  if (!isGrained || before === null) return
  // Every answer shows source and terms, so a change of these outdates all grains.
  if ((await lockProvenance(tx, dataset))?.provenance !== before.provenance) return
  await noteGrains(tx, dataset, before, touched)
}

const PROVENANCE_COLUMNS = {
  version: 'int8',
  observedAt: 'timestamptz',
  changedAt: 'timestamptz',
  commitId: 'uuid',
  /** Whether the last commit named the grains that it changed. */
  isGrained: 'bool',
  /** What every answer shows, or may show, whichever rows it reads. */
  provenance: 'text?',
} as const

const PROVENANCE = statement(
  'lacks computed value',
  PROVENANCE_COLUMNS,
  `select d.version, d.observed_at as "observedAt", d.changed_at as "changedAt", d.commit_id as "commitId",
     d.grained_version is not distinct from d.version as "isGrained",
     jsonb_build_array(d.source, d.is_dev_dataset, (
       select jsonb_object_agg(p.name, p.part - 'version' - 'observed_at' - 'changed_at')
       from jsonb_each(d.parts) as p(name, part)
     ))::text as provenance
   from dataset_state as d where d.dataset = $1 for update`,
)

type Provenance = RowOf<typeof PROVENANCE_COLUMNS>

async function lockProvenance(tx: Transaction, dataset: DatasetName): Promise<Provenance | null> {
  const [row] = await tx.rows(PROVENANCE, [dataset])
  return row ?? null
}

/**
 * Records the grains of the commit that BUMP has just made. After a commit that named no grains it first records
 * that commit as the last change of all grains, and removes what was known of them. A grain is at least as new as that change.
 */
const NOTE_GRAINS = `
  with bumped as (
    update dataset_state as d set grained_version = d.version,
      recent_commits = (d.commit_id || case when $4::bool then d.recent_commits else array[$6::uuid] end)[1:${RECENT_COMMITS}]
    where d.dataset = $1 returning d.version, d.commit_id, d.changed_at
  ), coarse as (
    insert into data_grain as g (dataset, grain, version, commit_id, observed_at, changed_at)
    select $1, '', $5::int8, $6::uuid, $7::timestamptz, $8::timestamptz where not $4::bool
    on conflict (dataset, grain) do update set version = excluded.version, commit_id = excluded.commit_id,
      observed_at = excluded.observed_at, changed_at = excluded.changed_at
    returning g.observed_at
  ), outdated as (
    delete from data_grain where dataset = $1 and grain <> '' and grain <> all($2::text[]) and not $4::bool
  ), oldest as (
    select observed_at from coarse
    union all
    select observed_at from data_grain where dataset = $1 and grain = '' and $4::bool
  )
  insert into data_grain as g (dataset, grain, version, commit_id, observed_at, changed_at)
  select $1, t.grain, b.version, b.commit_id, greatest(t.observed_at, o.observed_at), b.changed_at
  from bumped as b, oldest as o, unnest($2::text[], $3::timestamptz[]) as t(grain, observed_at)
  on conflict (dataset, grain) do update set version = excluded.version, commit_id = excluded.commit_id,
    changed_at = excluded.changed_at,
    observed_at = greatest(excluded.observed_at, case when $4::bool then g.observed_at end)`

async function noteGrains(
  tx: Transaction,
  dataset: DatasetName,
  before: Provenance,
  touched: ReadonlyMap<string, Date>,
): Promise<void> {
  const { isGrained, version, commitId, observedAt, changedAt } = before
  for (const grain of touched.keys()) assertGrainName(grain)
  const grains = [[...touched.keys()], [...touched.values()]]
  await tx.rows(NOTE_GRAINS, [dataset, ...grains, isGrained, version, commitId, observedAt, changedAt])
}

/** Removes the state of a dataset with its grains. Call it in the transaction that removes its rows. */
export async function forgetDataset(tx: Transaction, dataset: DatasetName): Promise<void> {
  await tx.prisma.datasetState.deleteMany({ where: { dataset } })
  await tx.prisma.dataGrain.deleteMany({ where: { dataset } })
}
