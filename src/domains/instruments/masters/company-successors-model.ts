import { groupBy } from '../../../core/group-by.js'
import { hasAllWords, hasSameFirstWord } from '../company-model.js'
import { marketsOfExchange, tickerOfList } from '../symbols/listed-symbols-model.js'
import type { CompanyLine } from './listed-companies.js'
import type { RefusedLine, StoredMaster } from './stored-master-model.js'

/** An asset whose company was succeeded by another registrant. */
export interface SucceededCompany {
  readonly assetId: number
  readonly formerCik: string
  readonly cik: string
}

interface Input {
  /** Lines that belong to no stored asset. */
  readonly lines: readonly CompanyLine[]
  /** Assets of the reference and the operator that the list lacks. */
  readonly lost: readonly StoredMaster[]
  /** Every CIK of the list. */
  readonly listedCiks: ReadonlySet<string>
  /** Sources whose assets keep their CIK until a person changes it. */
  readonly yieldsTo: readonly string[]
}

/** The holders of tickers and what happens to them. */
export interface HolderFindings {
  readonly holders: ReadonlyMap<CompanyLine, StoredMaster>
  /** Lines of their holders under another name, and of the successors of their holders. */
  readonly followed: ReadonlyMap<CompanyLine, StoredMaster>
  readonly succeeded: readonly SucceededCompany[]
  /** Lines of holders whose CIK is unknown. The ledger names the others as contradictions. */
  readonly refused: readonly RefusedLine[]
}

/**
 * Finds the assets of the reference and the operator whose ticker the list has with another CIK. The company is the successor if
 * the list no longer has the former CIK and both names begin alike. Otherwise the asset keeps its CIK, and the ledger of the run
 * names both as a contradiction.
 */
export function findHolders({ lines, lost, listedCiks, yieldsTo }: Input): HolderFindings {
  const holders = matchHolders(lines, lost)
  const followed = new Map<CompanyLine, StoredMaster>()
  const succeeded: SucceededCompany[] = []
  const refused: RefusedLine[] = []
  for (const [line, holder] of holders) {
    const { assetId, name, slug, cik, source } = holder
    if (cik === null && hasAllWords(name, line.name)) followed.set(line, holder)
    else if (cik === null) {
      const reason = `${line.name} (CIK ${line.cik}) has the ticker of ${slug}, which has another name and no known CIK; no asset is made`
      refused.push({ position: line.ticker, reason })
    }
    const mayFollow = cik !== null && !listedCiks.has(cik) && !yieldsTo.includes(source)
    if (!mayFollow || !hasSameFirstWord(name, line.name)) continue
    followed.set(line, holder)
    succeeded.push({ assetId, formerCik: cik, cik: line.cik })
  }
  return { holders, followed, succeeded, refused }
}

/**
 * The assets of the reference and the operator that have the ticker of a new line on one of the markets of its exchange. A line
 * with such a holder makes no asset, because a ticker on a market has one security.
 */
function matchHolders(
  lines: readonly CompanyLine[],
  lost: readonly StoredMaster[],
): ReadonlyMap<CompanyLine, StoredMaster> {
  const byTicker = groupBy(
    lost.filter(({ inactiveSince }) => !inactiveSince),
    ({ ticker }) => tickerOfList(ticker),
  )
  return new Map(
    lines.flatMap((line) => {
      const markets = marketsOfExchange(line.exchange)
      const holder = byTicker.get(line.ticker)?.find(({ mic }) => mic !== null && markets.includes(mic))
      return holder === undefined ? [] : [[line, holder]]
    }),
  )
}
