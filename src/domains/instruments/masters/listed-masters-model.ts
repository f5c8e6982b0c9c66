import { groupBy } from '../../../core/group-by.js'
import type { IsoDate } from '../../../core/time.js'
import type { AssetClass } from '../../assets/model.js'
import { SlugChooser } from '../../assets/slug-model.js'
import { hasSameFirstWord, US_MARKETS } from '../company-model.js'
import { FIRST_LISTED_ID, type InstrumentFacts, isListedId, NOTHING_STATED } from '../model.js'
import { LISTED_EXCHANGES, tickerOfList } from '../symbols/listed-symbols-model.js'
import { findHolders, type SucceededCompany } from './company-successors-model.js'
import { type CompanyLine, describeLine, mainLineOf, mayBeMain, withoutShared } from './listed-companies.js'
import type { RefusedLine, StoredMaster } from './stored-master-model.js'

/** What a list changes in the masters. */
export interface MastersPlan {
  /** New and changed assets of the list. */
  readonly written: readonly InstrumentFacts[]
  /** Assets among the written ones whose ticker, market or state differs: they give up their place first. */
  readonly moved: readonly number[]
  /** Assets among the written ones with a new ticker. */
  readonly renamed: readonly number[]
  readonly refused: readonly RefusedLine[]
  /** Assets of other sources whose company has a new CIK. */
  readonly succeeded: readonly SucceededCompany[]
}

interface Input {
  /** The tickers that the lists have now, each with its holder. */
  readonly lines: readonly CompanyLine[]
  /** Every stored asset, of every class and source. */
  readonly masters: readonly StoredMaster[]
  /** The CIKs of registrants by the assets of their funds, which have none themselves. */
  readonly registrants?: ReadonlyMap<number, string>
  /** Provider of the list. Only its own assets are changed. */
  readonly source: string
  /** Sources whose assets keep their CIK until a person changes it. */
  readonly yieldsTo?: readonly string[]
  readonly day: IsoDate
}

const keyOf = (ticker: string, cik: string | null) => `${tickerOfList(ticker)} ${cik}`

/**
 * Compares the SEC's list with the stored assets. A line belongs to the asset with its ticker and CIK. Without one:
 * - an asset that has the ticker, whose company has a name with the same first word, has got a new CIK;
 * - if a company lost the ticker of its main share and has one new, the asset was renamed (see `matchSuccessors`);
 * - otherwise the line makes a new asset, if it names an exchange. A ticker that a company used before is then another asset.
 * Assets of the reference and of the operator take precedence. They never change, except for the CIK of an asset of the
 * reference whose company has a successor (see `matchHolders`).
 */
export function planListedMasters(input: Input): MastersPlan {
  const { lines: all, masters, source, day, registrants = new Map(), yieldsTo = [] } = input
  const lines = withoutShared(all)
  const listed = masters.filter(({ assetClass }) => assetClass === 'stock' || assetClass === 'etf')
  // Assets of the list of funds have no CIK.
  const isOwn = (master: StoredMaster) => master.source === source && master.cik !== null
  const assetOf = matchLines(lines, listed, { isOwn, registrants })
  const isMatched = new Set([...assetOf.values()])
  const present = new Set(all.map(({ ticker, cik }) => keyOf(ticker, cik)))
  const missing = listed.filter(
    (one) =>
      isOwn(one) && !one.inactiveSince && !isMatched.has(one) && !present.has(keyOf(one.ticker, one.cik)),
  )
  const followed = matchSuccessors(
    lines.filter((line) => !assetOf.has(line)),
    missing,
  )
  for (const [line, master] of followed) assetOf.set(line, master)
  const continued = new Set(followed.values())
  const lost = listed.filter((one) => !isOwn(one) && isOfUsMarket(one) && !isMatched.has(one))
  const isOwnLine = (line: CompanyLine) => {
    const master = assetOf.get(line)
    return master === undefined || isOwn(master)
  }
  const listedCiks = new Set(all.map(({ cik }) => cik))
  const found = findHolders({ lines: lines.filter(isOwnLine), lost, listedCiks, yieldsTo })
  // An earlier list may have made an asset of the ticker of its holder.
  const replaced = [...found.followed.keys()].flatMap((line) => assetOf.get(line) ?? [])
  const ended = [...missing.filter((one) => !continued.has(one)), ...replaced]
  for (const [line, master] of found.followed) assetOf.set(line, master)
  const free = lines.filter((line) => assetOf.has(line) || !found.holders.has(line))
  const plan = writePlan({ lines: free, assetOf, ended, lost, masters, isOwn, day })
  return { ...plan, refused: [...found.refused, ...plan.refused], succeeded: found.succeeded }
}

function matchLines(
  lines: readonly CompanyLine[],
  listed: readonly StoredMaster[],
  { isOwn, registrants }: Pick<Planned, 'isOwn'> & Required<Pick<Input, 'registrants'>>,
): Map<CompanyLine, StoredMaster> {
  const byKey = new Map<string, StoredMaster>()
  // The last one wins: an asset of the reference or the operator, else one that is still listed.
  const rank = (one: StoredMaster) => (isOwn(one) ? 0 : 2) + (one.inactiveSince ? 0 : 1)
  for (const one of listed.toSorted((a, b) => rank(a) - rank(b)))
    byKey.set(keyOf(one.ticker, one.cik ?? registrants.get(one.assetId) ?? null), one)
  const unknownCik = new Map(
    listed.flatMap((one) =>
      !isOwn(one) && one.cik === null && isOfUsMarket(one) ? [[tickerOfList(one.ticker), one]] : [],
    ),
  )
  return new Map(
    lines.flatMap((line) => {
      const named = unknownCik.get(line.ticker)
      const alike = named !== undefined && hasSameFirstWord(named.name, line.name) ? named : undefined
      const found = byKey.get(keyOf(line.ticker, line.cik)) ?? alike
      return found === undefined ? [] : [[line, found]]
    }),
  )
}

/** Whether the primary market of an asset is one whose tickers the SEC lists. */
export function isOfUsMarket({ mic }: Pick<StoredMaster, 'mic'>): boolean {
  return US_MARKETS.some((market) => market === mic)
}

/**
 * The assets that new lines continue: those whose company has a new CIK, main shares with a new ticker, and preferred shares,
 * warrants, units and rights of a company whose main share has a new ticker. Notes of one company replace each other, so another
 * security with a new ticker is a new one.
 */
function matchSuccessors(
  lines: readonly CompanyLine[],
  missing: readonly StoredMaster[],
): ReadonlyMap<CompanyLine, StoredMaster> {
  const found = new Map<CompanyLine, StoredMaster>()
  const byTicker = new Map(missing.map((one) => [tickerOfList(one.ticker), one]))
  for (const line of lines) {
    const before = byTicker.get(line.ticker)
    if (before !== undefined && hasSameFirstWord(before.name, line.name)) found.set(line, before)
  }
  const taken = new Set(found.values())
  const lost = groupBy(
    missing.filter((one) => !taken.has(one) && !(one.issuerAssetId && !one.securityType)),
    ({ cik, securityType }) => `${cik} ${securityType ?? null}`,
  )
  const gained = groupBy(
    lines.filter((line) => !found.has(line) && (line.securityType !== null || mayBeMain(line))),
    ({ cik, securityType }) => `${cik} ${securityType}`,
  )
  const isRenamed = (kind: string) => lost.get(kind)?.length === 1 && gained.get(kind)?.length === 1
  for (const [kind, [before]] of lost) {
    const [line] = gained.get(kind) ?? []
    if (line !== undefined && isRenamed(kind) && isRenamed(`${line.cik} null`)) found.set(line, before)
  }
  return found
}

interface Planned {
  readonly lines: readonly CompanyLine[]
  readonly assetOf: ReadonlyMap<CompanyLine, StoredMaster>
  readonly ended: readonly StoredMaster[]
  /** Assets of the reference and the operator that the list lacks: a new ticker of their company may be theirs. */
  readonly lost: readonly StoredMaster[]
  readonly masters: readonly StoredMaster[]
  readonly isOwn: (master: StoredMaster) => boolean
  readonly day: IsoDate
}

function writePlan({
  lines,
  assetOf,
  ended,
  lost,
  masters,
  isOwn,
  day,
}: Planned): Omit<MastersPlan, 'succeeded'> {
  const refused: RefusedLine[] = []
  const lostOf = new Map(lost.map((one) => [`${one.cik} ${one.securityType ?? null}`, one.slug]))
  const slugs = new SlugChooser(masters.map(({ slug }) => slug))
  let nextId = nextListedId(masters)
  const places = new Set(
    masters.flatMap((one) => (isOwn(one) || one.mic === null ? [] : placeOf(one.ticker, one.mic))),
  )
  const written: InstrumentFacts[] = ended.map((one) => ({ ...one, mic: null, inactiveSince: day }))
  const moved = ended.map(({ assetId }) => assetId)
  const renamed: number[] = []
  for (const company of groupBy(lines, ({ cik }) => cik).values()) {
    const main = mainLineOf(company)
    const stored = company.flatMap((line) => assetOf.get(line) ?? [])
    let mainId = mainOf(stored)?.assetId ?? null
    for (const line of main === null ? company : [main, ...company.filter((one) => one !== main)]) {
      const before = assetOf.get(line)
      if (before !== undefined && !isOwn(before)) continue
      const mic = LISTED_EXCHANGES.find(({ exchange }) => exchange === line.exchange)?.mic ?? null
      // The ledger of the run names it as a contradiction.
      if (mic !== null && places.has(placeOf(line.ticker, mic))) continue
      // Companies before their first day of trading, and those that left their exchange.
      if (before === undefined && line.exchange === '') continue
      const lostSlug = before === undefined ? lostOf.get(`${line.cik} ${line.securityType}`) : undefined
      if (lostSlug !== undefined) {
        const reason = `may be the new ticker of ${lostSlug}, which the list lacks`
        refused.push({ position: line.ticker, reason })
        continue
      }
      const isMain = line === main && mainId === null
      const assetId = before?.assetId ?? nextId
      if (before === undefined) nextId += 1
      if (isMain) mainId = assetId
      const facts = factsOf(line, {
        ...{ assetId, mic, before, day },
        slug: before?.slug ?? slugs.choose(line.name, line.ticker, isMain),
        issuerAssetId: mainId === assetId ? null : mainId,
        isMain: mainId === assetId,
      })
      if (before !== undefined && isSame(before, facts)) continue
      written.push(facts)
      if (before === undefined) continue
      if (before.ticker !== facts.ticker) renamed.push(assetId)
      if (before.ticker !== facts.ticker || before.mic !== facts.mic) moved.push(assetId)
    }
  }
  return { written, moved, renamed, refused }
}

/** The first key of lists that no asset has. */
export function nextListedId(masters: readonly Pick<StoredMaster, 'assetId'>[]): number {
  return masters.reduce(
    (next, { assetId }) => (isListedId(assetId) ? Math.max(next, assetId + 1) : next),
    FIRST_LISTED_ID,
  )
}

const placeOf = (ticker: string, mic: string) => `${tickerOfList(ticker)} ${mic}`

/** The stored main share of a company: the oldest one, also when another line now comes first. */
function mainOf(stored: readonly StoredMaster[]): StoredMaster | undefined {
  const shares = stored.filter((one) => mayBeMain(one) && !one.issuerAssetId)
  return shares.toSorted((a, b) => a.assetId - b.assetId)[0]
}

interface Facts {
  readonly assetId: number
  readonly slug: string
  readonly mic: string | null
  readonly issuerAssetId: number | null
  readonly isMain: boolean
  readonly before: StoredMaster | undefined
  readonly day: IsoDate
}

function factsOf(line: CompanyLine, { before, day, isMain, ...own }: Facts): InstrumentFacts {
  const isRenamed = before !== undefined && before.ticker !== line.ticker
  const { ticker, cik, exchange, securityType } = line
  const assetClass: AssetClass = before?.assetClass ?? (/\bETF\b/i.test(line.name) ? 'etf' : 'stock')
  return {
    ...(before ?? NOTHING_STATED),
    ...own,
    ...{ ticker, cik, exchange, securityType, assetClass, currency: 'USD', inactiveSince: null },
    name: isMain ? line.name : describeLine(line),
    ...(isRenamed ? { formerTickers: [{ ticker: before.ticker, to: day }] } : {}),
    ...(before?.cik && before.cik !== cik ? { formerCik: { cik: before.cik, to: day } } : {}),
  }
}

function isSame(before: StoredMaster, facts: InstrumentFacts): boolean {
  const members = ['ticker', 'name', 'mic', 'cik', 'exchange', 'securityType', 'issuerAssetId'] as const
  return !before.inactiveSince && members.every((name) => (before[name] ?? null) === (facts[name] ?? null))
}
