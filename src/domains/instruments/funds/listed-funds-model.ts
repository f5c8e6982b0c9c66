import { groupBy } from '../../../core/group-by.js'
import type { IsoDate } from '../../../core/time.js'
import { SlugChooser } from '../../assets/slug-model.js'
import { hasSameFirstWord } from '../company-model.js'
import { isOfUsMarket, nextListedId } from '../masters/listed-masters-model.js'
import type { RefusedLine, StoredMaster } from '../masters/stored-master-model.js'
import { type InstrumentFacts, NOTHING_STATED } from '../model.js'
import { tickerOfList } from '../symbols/listed-symbols-model.js'
import type { FundClass } from './fund-classes-model.js'

/** What a list of funds changes in the masters. */
export interface FundsPlan {
  /** New and changed assets of the list. */
  readonly written: readonly InstrumentFacts[]
  /** Assets among the written ones with a new ticker. */
  readonly renamed: readonly number[]
  /** The assets of classes that had none. */
  readonly linked: readonly { readonly classId: string; readonly assetId: number }[]
  readonly refused: readonly RefusedLine[]
}

interface Input {
  /** The classes of the lists, each once. */
  readonly classes: readonly FundClass[]
  /** Every stored asset, of every class and source. */
  readonly masters: readonly StoredMaster[]
  /** Provider of the list. Only the ETFs that it made are changed. */
  readonly source: string
  readonly day: IsoDate
}

/**
 * Compares the SEC's list of funds with the stored assets. A class keeps its id for ever, so its asset follows it: a new ticker or
 * name changes the asset, and a class that the list lacks makes it inactive. A class without an asset:
 * - continues an ETF with its ticker whose class the list lacks since this day, if the name begins with the same word;
 * - belongs to an ETF of a US market with its ticker, if that has the same CIK, or none and a name with the same first word;
 * - makes no asset if another stock or ETF has its ticker. A stock of the list of companies stays a stock;
 * - waits until the yearly list has its name, because the slug comes from it;
 * - otherwise makes an ETF.
 * Assets of the reference, of the operator and of the list of companies take precedence and never change.
 */
export function planListedFunds({ classes, masters, source, day }: Input): FundsPlan {
  const known = indexMasters(classes, masters, source)
  const slugs = new SlugChooser(masters.map(({ slug }) => slug))
  let nextId = nextListedId(masters)
  const written: InstrumentFacts[] = []
  const renamed: number[] = []
  const linked: { classId: string; assetId: number }[] = []
  const refused: RefusedLine[] = []
  for (const fund of classes) {
    const { classId, ticker, name } = fund
    const { asset, isNew = false, isEnded = false, reason } = decide(fund, known)
    if (reason !== undefined) refused.push({ position: `${ticker}, ${classId}`, reason })
    if (asset !== undefined && isEnded) written.push({ ...asset, mic: null, inactiveSince: fund.unlistedOn })
    else if (asset !== undefined) {
      if (asset.assetId !== fund.assetId) linked.push({ classId, assetId: asset.assetId })
      const facts = known.isOwn(asset) ? reviseFund(asset, fund, day) : null
      if (facts !== null) written.push(facts)
      if (facts !== null && asset.ticker !== ticker) renamed.push(asset.assetId)
    } else if (isNew && name !== null) {
      written.push(factsOfFund({ ticker, name }, nextId, slugs.choose(name, ticker)))
      linked.push({ classId, assetId: nextId })
      nextId += 1
    }
  }
  return { written, renamed, linked, refused }
}

/** The stored assets by what a class is compared with. */
interface KnownMasters {
  /** Whether the list of funds made the asset. */
  isOwn(master: StoredMaster): boolean
  readonly byId: ReadonlyMap<number, StoredMaster>
  /** By ticker, the stocks and ETFs of the United States that are not of the list of funds. */
  readonly holders: ReadonlyMap<string, readonly StoredMaster[]>
  /** The listed classes by ticker. */
  readonly listed: ReadonlyMap<string, readonly FundClass[]>
  /** Assets of listed classes. */
  readonly linkedIds: ReadonlySet<number>
  /** By ticker, the ETFs of the list whose class it lacks, and which were not ended yet. */
  readonly left: ReadonlyMap<string, StoredMaster>
}

function indexMasters(
  classes: readonly FundClass[],
  masters: readonly StoredMaster[],
  source: string,
): KnownMasters {
  const isOwn = (one: StoredMaster) => one.source === source && one.assetClass === 'etf' && one.cik === null
  const byId = new Map(masters.map((one) => [one.assetId, one]))
  const listed = classes.filter(({ unlistedOn }) => unlistedOn === null)
  const left = classes.flatMap(({ assetId, unlistedOn }) => {
    const one = unlistedOn === null || assetId === null ? undefined : byId.get(assetId)
    return one === undefined || !isOwn(one) || one.inactiveSince ? [] : one
  })
  return {
    isOwn,
    byId,
    holders: groupBy(masters.filter(isHolder(source, isOwn)), ({ ticker }) => tickerOfList(ticker)),
    listed: groupBy(listed, ({ ticker }) => ticker),
    linkedIds: new Set(listed.flatMap(({ assetId }) => assetId ?? [])),
    left: new Map(left.map((one) => [one.ticker, one])),
  }
}

/** What becomes of a class. Without any member it waits, or nothing changes. */
interface FundDecision {
  readonly asset?: StoredMaster
  /** Whether the asset ends with the class. */
  readonly isEnded?: boolean
  /** Whether the class makes an asset. */
  readonly isNew?: boolean
  /** What is wrong. */
  readonly reason?: string
}

function decide(fund: FundClass, { byId, holders, listed, linkedIds, left }: KnownMasters): FundDecision {
  const { ticker, name, unlistedOn } = fund
  const own = fund.assetId === null ? undefined : byId.get(fund.assetId)
  if (unlistedOn !== null) {
    const isLeft = own !== undefined && left.get(own.ticker) === own
    const isContinued = isLeft && listed.get(own.ticker)?.some((one) => mayContinue(own, one))
    return isLeft && !isContinued ? { asset: own, isEnded: true } : {}
  }
  if (listed.get(ticker)?.length !== 1)
    return { reason: 'several classes have this ticker; none of them makes or changes an asset' }
  const others = (holders.get(ticker) ?? []).filter((one) => one !== own)
  const [holder] = others
  const leaving = own === undefined ? left.get(ticker) : undefined
  const isContinuing = leaving !== undefined && mayContinue(leaving, fund)
  if (isContinuing && name === null) return {}
  const asset = isContinuing ? leaving : own
  if (asset !== undefined)
    return holder === undefined
      ? { asset }
      : { asset, reason: `${holder.slug} has this ticker too; both are kept, and one of them is wrong` }
  const same = others.find((one) => !linkedIds.has(one.assetId) && isSameFund(one, fund))
  if (same !== undefined) return { asset: same }
  if (holder === undefined) return { isNew: name !== null }
  // Without a name the holder may be the same fund.
  return name === null && holder.cik === null ? {} : { reason: reasonOf(holder, fund) }
}

/**
 * Whether a class without an asset may continue an ETF whose class the list lacks: a fund that moves to another registrant gets a new class. It has
 * the ticker, and its name, once it has one, begins with the same word.
 */
function mayContinue(left: StoredMaster, { ticker, name, assetId }: FundClass): boolean {
  return assetId === null && ticker === left.ticker && (name === null || hasSameFirstWord(left.name, name))
}

/** Selects the stocks and ETFs that have a ticker in the United States now, except those of the list of funds. */
function isHolder(source: string, isOwn: (one: StoredMaster) => boolean) {
  return (one: StoredMaster) =>
    (one.assetClass === 'stock' || one.assetClass === 'etf') &&
    !isOwn(one) &&
    !one.inactiveSince &&
    (one.source === source || isOfUsMarket(one))
}

function isSameFund(master: StoredMaster, { cik, name }: FundClass): boolean {
  if (master.assetClass !== 'etf') return false
  return master.cik === null ? name !== null && hasSameFirstWord(master.name, name) : master.cik === cik
}

function reasonOf(holder: StoredMaster, { cik }: FundClass): string {
  return holder.cik === cik
    ? `${holder.slug} has this ticker and CIK as a ${holder.assetClass}; it keeps its class`
    : `${holder.slug} has this ticker; no asset is made of the class`
}

/** Null if nothing changed. */
function reviseFund(before: StoredMaster, { ticker, name }: FundClass, day: IsoDate): InstrumentFacts | null {
  const facts = { ticker, name: name ?? before.name, inactiveSince: null }
  const isRenamed = before.ticker !== ticker
  if (!isRenamed && before.name === facts.name && !before.inactiveSince) return null
  return {
    ...before,
    ...facts,
    ...(isRenamed ? { formerTickers: [{ ticker: before.ticker, to: day }] } : {}),
  }
}

function factsOfFund(
  fund: { readonly ticker: string; readonly name: string },
  assetId: number,
  slug: string,
): InstrumentFacts {
  return {
    // The CIK is null: it is that of the registrant, which has many funds.
    ...NOTHING_STATED,
    ...{ ...fund, assetId, slug, assetClass: 'etf', inactiveSince: null },
  }
}
