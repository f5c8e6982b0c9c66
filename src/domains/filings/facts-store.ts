import type { DecimalText } from '../../core/decimal.js'
import { groupBy } from '../../core/group-by.js'
import type { Cik } from '../../core/identifiers.js'
import { daysBetween } from '../../core/time.js'
import { FILED_FACT } from '../../generated/columns.js'
import {
  type Known,
  type SeriesTable,
  SOURCE_COLUMN,
  storedColumn,
  storedColumns,
  type WriteCounts,
} from '../../platform/bi-temporal/series-table.js'
import { recordSeenKeys, type SeenKeys } from '../../platform/bi-temporal/withdraw/withdraw-unseen.js'
import { seriesWriter } from '../../platform/bi-temporal/write-series.js'
import type { Database, Transaction } from '../../platform/database/database.js'
import { column, statement } from '../../platform/database/statement.js'
import { LIST_SOURCES } from '../instruments/model.js'
import type { FiledFact } from './model.js'
import { listOutdatedCompanies, storeCompanyPeriods } from './periods/company-period-store.js'
import { COMPARED_COUNTS, implausibleText, isPlausibleCount } from './share-counts-model.js'
import { SHARE_COUNT, SHARE_COUNT_TAG } from './store.js'

const FACTS: SeriesTable<FiledFact> = {
  name: 'filed_fact',
  key: [
    ...storedColumns(FILED_FACT, 'cik', 'taxonomy', 'tag', 'unit', 'periodEnd'),
    storedColumn(FILED_FACT, 'periodDays', periodDays),
    ...storedColumns(FILED_FACT, 'accession'),
  ],
  values: [
    ...storedColumns(FILED_FACT, 'form', 'filed'),
    // The type rounds like the column, so that a stored value does not count as a revision.
    ...storedColumns(FILED_FACT, 'value'),
  ],
  notes: [SOURCE_COLUMN],
  isWithdrawable: true,
  learnedAt: `(i.filed + interval '1 day') at time zone 'UTC'`,
}

/** Days of the period, both ends included. 0 for a figure on a single day. */
function periodDays({ periodStart, periodEnd }: FiledFact): number {
  return periodStart === null ? 0 : daysBetween(periodStart, periodEnd) + 1
}

const LATEST_COUNTS = statement(
  'lacks newest per key',
  { cik: 'text', accession: 'text', counts: column<readonly DecimalText[]>('_text') },
  `select requested.cik, s.accessions[1] as accession, s.counts from unnest($1::text[]) as requested(cik)
   cross join lateral (
     select array_agg(c.accession order by c.period_end desc) as accessions,
       array_agg(trim_scale(c.value)::text order by c.period_end desc) as counts
     from (
       select distinct on (f.period_end) f.period_end, f.value, f.accession from filed_fact as f
       where f.cik = requested.cik and ${SHARE_COUNT} and f.known_to is null and not f.is_withdrawn
       order by f.period_end desc, f.filed desc, f.accession desc limit ${COMPARED_COUNTS + 1}
     ) as c
   ) as s where s.counts is not null order by requested.cik`,
)

const writeFacts = seriesWriter(FACTS)

/** Writes the facts of one run. The run must read all facts of each filer that it names. */
export class FactsWriter {
  readonly #tx: Transaction
  #seen: SeenKeys<FiledFact> | null = null
  readonly #ciks = new Set<Cik>()
  #hasChanged = false

  constructor(tx: Transaction) {
    this.#tx = tx
  }

  /** Adds and revises facts. See `seriesWriter`. */
  async write(facts: readonly FiledFact[], known: Known): Promise<WriteCounts> {
    this.#seen ??= await recordSeenKeys(this.#tx, FACTS, ['cik'])
    await this.#seen.note(facts)
    for (const { cik } of facts) this.#ciks.add(cik)
    const counts = await writeFacts(this.#tx, facts, known)
    this.#hasChanged ||= counts.added + counts.revised > 0
    return counts
  }

  /** The latest share counts of the filers that cannot be right; see `isPlausibleCount`. */
  async listImplausibleCounts(): Promise<readonly { readonly position: string; readonly reason: string }[]> {
    const rows = await this.#tx.rows(LATEST_COUNTS, [[...this.#ciks]])
    return rows.flatMap(({ cik, accession, counts }) => {
      const [count, ...before] = counts
      if (count === undefined || isPlausibleCount(count, before.toReversed())) return []
      const position = `${SHARE_COUNT_TAG} of ${cik}, ${accession}`
      return { position, reason: implausibleText(count, before.toReversed()) }
    })
  }

  /** Withdraws facts that the filers' bodies no longer have, and returns their number. See `SeenKeys`. */
  async withdrawUnlisted(known: Known): Promise<number> {
    const withdrawn = (await this.#seen?.withdraw(known)) ?? 0
    this.#hasChanged ||= withdrawn > 0
    return withdrawn
  }

  /** Computes the figures of the companies again if facts changed, and otherwise those that are missing. */
  async storePeriods({ source }: Known): Promise<void> {
    const ciks = [...this.#ciks]
    const changed = this.#hasChanged ? ciks : await listOutdatedCompanies(this.#tx, ciks)
    await storeCompanyPeriods(this.#tx, changed, source)
  }
}

/** Removes all facts of a source, closed ones too, with the figures that are computed from them. Returns the number of facts. */
export async function removeFacts(tx: Transaction, source: string): Promise<number> {
  await tx.prisma.companyPeriod.deleteMany({ where: { source } })
  return (await tx.prisma.filedFact.deleteMany({ where: { source } })).count
}

/** A company of the instrument master that files with the SEC. */
export interface Filer {
  readonly cik: Cik
  /** Slugs of its assets. A company with several share classes has several. */
  readonly slugs: readonly string[]
  /** Whether a job requests its figures by itself; see `LIST_SOURCES`. */
  readonly isFollowed: boolean
}

/** Every filer among the stocks of the instrument master. */
export async function loadFilers({ prisma }: Pick<Database, 'prisma'>): Promise<readonly Filer[]> {
  const listings = await prisma.instrument.findMany({
    where: { cik: { not: null }, asset: { assetClass: 'stock' } },
    select: { cik: true, asset: { select: { slug: true, source: true } } },
    orderBy: [{ cik: 'asc' }, { asset: { slug: 'asc' } }],
  })
  return [...groupBy(listings, ({ cik }) => cik ?? '')].map(([cik, own]) => ({
    cik: cik as Cik, // verified before it is stored
    slugs: [...new Set(own.map(({ asset }) => asset.slug))],
    isFollowed: own.some(({ asset }) => !LIST_SOURCES.includes(asset.source)),
  }))
}
