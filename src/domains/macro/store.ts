import type { MacroProvider } from '../../core/providers.js'
import { MACRO_OBSERVATION, MACRO_SERIES } from '../../generated/columns.js'
import {
  type Known,
  type SeriesTable,
  storedColumns,
  sumOfCounts,
  type WriteCounts,
  type WrittenRows,
} from '../../platform/bi-temporal/series-table.js'
import { seriesUndoer, type Undone } from '../../platform/bi-temporal/undo-rows.js'
import { recordSeenKeys, type SeenKeys } from '../../platform/bi-temporal/withdraw/withdraw-unseen.js'
import { seriesWriter } from '../../platform/bi-temporal/write-series.js'
import type { Transaction } from '../../platform/database/database.js'
import {
  column,
  columnNames,
  jsonOfRows,
  jsonRows,
  statement,
  without,
} from '../../platform/database/statement.js'
import type { MacroFact, MacroObservation, MacroSeries } from './model.js'

/** An observation of a stored series. */
interface Row extends MacroObservation {
  readonly note: string | null
  readonly seriesId: number
}

const OBSERVATIONS: SeriesTable<Row> = {
  name: 'macro_observation',
  key: storedColumns(MACRO_OBSERVATION, 'seriesId', 'periodStart'),
  // The type rounds like the column, so that a stored value does not count as a revision.
  values: storedColumns(MACRO_OBSERVATION, 'value', 'note'),
  notes: [],
  isWithdrawable: true,
  // Values come some weeks after the end of their period, those of days on the next day.
  learnedAt: `(i.period_start + (select case s.frequency when 'daily' then interval '1 day' when 'weekly' then interval '10 days'
    when 'monthly' then interval '45 days' when 'quarterly' then interval '4 months' else interval '14 months' end
    from macro_series as s where s.series_id = i.series_id)) at time zone 'UTC'`,
}

const writeRows = seriesWriter(OBSERVATIONS)
const undoRows = seriesUndoer(OBSERVATIONS)

const GIVEN = without(MACRO_SERIES, 'seriesId', 'isDiscontinued', 'source')

const SERIES_KEY = { provider: column<MacroProvider>('text'), dataset: 'text', seriesKey: 'text' } as const

/** Writes thousands of series, and only those that changed. */
const UPSERT_SERIES = statement(
  'bulk',
  { ...SERIES_KEY, isChange: 'bool' },
  `insert into macro_series as s (${columnNames(GIVEN)}, source)
   select ${columnNames(GIVEN)}, $2 from (${jsonRows(GIVEN, '$1')}) as given
   on conflict (provider, dataset, series_key) do update set country = excluded.country,
     unit = coalesce(excluded.unit, s.unit), frequency = excluded.frequency,
     description = coalesce(excluded.description, s.description), is_headline = s.is_headline or excluded.is_headline,
     source = excluded.source
   where (s.country, s.unit, s.frequency, s.description, s.is_headline, s.source) is distinct from
     (excluded.country, coalesce(excluded.unit, s.unit), excluded.frequency,
       coalesce(excluded.description, s.description), s.is_headline or excluded.is_headline, excluded.source)
   returning s.provider, s.dataset, s.series_key as "seriesKey", s.xmax <> '0'::xid as "isChange"`,
)

type WrittenSeries = Pick<MacroSeries, keyof typeof SERIES_KEY> & { readonly isChange: boolean }

/** Writes the observations of one run of a feed. A series may come in several pieces. */
export class MacroWriter {
  readonly #tx: Transaction
  readonly #ids = new WeakMap<MacroSeries, number>()
  #seen: SeenKeys<Row> | null = null

  constructor(tx: Transaction) {
    this.#tx = tx
  }

  /**
   * Adds and revises series and their observations. See `seriesWriter`. A fact without a period counts as its series. Other
   * series with a new description or unit count as `alsoChanged`. Members of a series that the rows do not state stay unchanged.
   * Unreadable facts are not counted.
   */
  async write(facts: readonly MacroFact[], known: Known): Promise<WrittenRows> {
    const written = await this.#writeSeries(facts, known)
    const described = countSeries(facts, written)
    const observations = facts.filter((fact) => fact.periodStart !== null)
    const rows = observations.map((observation): Row => {
      const seriesId = this.#ids.get(observation.series)
      if (seriesId === undefined) throw new Error(`${observation.series.seriesKey} was not stored`)
      return { ...observation, note: observation.note ?? null, seriesId }
    })
    const whole = rows.filter(({ isOfWholeSeries }) => isOfWholeSeries)
    if (whole.length > 0) {
      this.#seen ??= await recordSeenKeys(this.#tx, OBSERVATIONS, ['series_id'])
      await this.#seen.note(whole)
    }
    const read = rows.filter(({ isUnread }) => isUnread !== true)
    const counts = await writeRows(this.#tx, read, known)
    const changed = written.filter(({ isChange }) => isChange).length
    return { ...sumOfCounts(counts, described), alsoChanged: changed - described.revised }
  }

  /** Undoes what was written for these periods. See `seriesUndoer`. */
  async undo(facts: readonly MacroFact[], known: Known): Promise<Undone> {
    const observations = facts.filter((fact) => fact.periodStart !== null)
    const ids = await loadSeriesIds(
      this.#tx,
      observations.map(({ series }) => series),
    )
    const rows = observations.flatMap((observation): readonly Row[] => {
      const seriesId = ids.get(keyText(observation.series))
      return seriesId === undefined ? [] : [{ ...observation, note: observation.note ?? null, seriesId }]
    })
    return undoRows(this.#tx, rows, known)
  }

  /** Withdraws observations that whole series no longer list, and returns their number. See `SeenKeys`. */
  async withdrawUnlisted(known: Known): Promise<number> {
    return (await this.#seen?.withdraw(known)) ?? 0
  }

  async #writeSeries(
    observations: readonly MacroFact[],
    { source }: Known,
  ): Promise<readonly WrittenSeries[]> {
    // Keeps the last object of each series, because a statement may write a row only once.
    const unwritten = [...new Set(observations.map(({ series }) => series))].filter(
      (series) => !this.#ids.has(series),
    )
    if (unwritten.length === 0) return []
    const latest = [...new Map(unwritten.map((series) => [keyText(series), series])).values()]
    const written = await this.#tx.rows(UPSERT_SERIES, [jsonOfRows(latest), source])
    const ids = await loadSeriesIds(this.#tx, unwritten)
    for (const series of unwritten) {
      const seriesId = ids.get(keyText(series))
      if (seriesId !== undefined) this.#ids.set(series, seriesId)
    }
    return written
  }
}

/** Counts facts that describe a series without a period. */
function countSeries(facts: readonly MacroFact[], written: readonly WrittenSeries[]): WriteCounts {
  const described = facts.filter(({ periodStart }) => periodStart === null)
  const keys = new Set(described.map(({ series }) => keyText(series)))
  const own = written.filter((series) => keys.has(keyText(series)))
  const revised = own.filter(({ isChange }) => isChange).length
  return { added: own.length - revised, revised, unchanged: described.length - own.length }
}

function keyText({
  provider,
  dataset,
  seriesKey,
}: Readonly<Record<keyof typeof SERIES_KEY, string>>): string {
  return `${provider} ${dataset} ${seriesKey}`
}

/** The keys of stored series, by `keyText`. */
async function loadSeriesIds(
  { prisma }: Transaction,
  wanted: readonly MacroSeries[],
): Promise<ReadonlyMap<string, number>> {
  const each = <Name extends keyof typeof SERIES_KEY>(name: Name) => [
    ...new Set(wanted.map((series) => series[name])),
  ]
  const found = await prisma.macroSeries.findMany({
    where: {
      provider: { in: each('provider') },
      dataset: { in: each('dataset') },
      seriesKey: { in: each('seriesKey') },
    },
    select: { provider: true, dataset: true, seriesKey: true, seriesId: true },
  })
  return new Map(found.map((series) => [keyText(series), series.seriesId]))
}

const NOTE_DISCONTINUED = statement(
  'lacks window function',
  { count: 'int4' },
  `with newest as (
     select s.series_id, s.dataset, last.period_start from macro_series as s
     cross join lateral (
       select o.period_start from macro_observation as o
       where o.series_id = s.series_id and o.known_to is null and not o.is_withdrawn and o.value is not null
       order by o.period_start desc limit 1
     ) as last
     where s.provider = $1
   ), judged as (
     select series_id, period_start <
       max(period_start) over (partition by dataset) - make_interval(months => $2::int) as is_discontinued
     from newest
   ), noted as (
     update macro_series as s set is_discontinued = j.is_discontinued from judged as j
     where s.series_id = j.series_id and s.is_discontinued <> j.is_discontinued returning 1
   )
   select count(*)::int as count from noted`,
)

/** Providers are sometimes months late, but hardly ever two years. */
const DISCONTINUED_AFTER_MONTHS = 24

/** Marks series whose newest value is over two years older than the newest in their dataset. Returns the number of changes. */
export async function markDiscontinued(tx: Transaction, provider: MacroProvider): Promise<number> {
  const [noted] = await tx.rows(NOTE_DISCONTINUED, [provider, DISCONTINUED_AFTER_MONTHS])
  return noted?.count ?? 0
}

/** Series whose observations one statement deletes. */
const REMOVED_AT_ONCE = 1_000

/** Removes a provider's series from a source with all their observations, and returns the number of observations. */
export async function removeSeries(
  { prisma }: Transaction,
  provider: MacroProvider,
  source: string,
): Promise<number> {
  const series = await prisma.macroSeries.findMany({
    where: { provider, source },
    select: { seriesId: true },
  })
  let removed = 0
  for (let at = 0; at < series.length; at += REMOVED_AT_ONCE) {
    const seriesId = { in: series.slice(at, at + REMOVED_AT_ONCE).map((each) => each.seriesId) }
    removed += (await prisma.macroObservation.deleteMany({ where: { seriesId } })).count
  }
  await prisma.macroSeries.deleteMany({ where: { provider, source } })
  return removed
}
