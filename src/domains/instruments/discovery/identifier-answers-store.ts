import type { Sql } from '../../../platform/database/database.js'
import type { PrismaModels } from '../../../platform/database/prisma/prisma-models.js'
import { writeAskedQuestions } from '../mapping/mapping-questions-store.js'
import { FOUND_KEPT_MS, type IdentifierAnswer, UNKNOWN_KEPT_MS } from './identifier-service-model.js'

/** The questions about every market. */
const ABOUT = { scheme: 'ticker', market: '' } as const

/** The answers of the identifier service that are not too old at an instant, by ticker. */
export async function loadAnswers(
  prisma: PrismaModels,
  tickers: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, IdentifierAnswer>> {
  const within = (keptMs: number) => ({ gt: new Date(now.getTime() - keptMs) })
  const rows = await prisma.mappingQuestion.findMany({
    where: {
      ...ABOUT,
      value: { in: [...tickers] },
      OR: [
        { figi: { not: null }, askedAt: within(FOUND_KEPT_MS) },
        { figi: null, askedAt: within(UNKNOWN_KEPT_MS) },
      ],
    },
  })
  const answers = rows.map(
    ({ value: ticker, askedAt: answeredAt, figi, name, assetClass, mic, currency }) => ({
      ...{ ticker, answeredAt },
      found: figi === null ? null : { figi, name, assetClass, mic, currency },
    }),
  )
  return new Map((answers as IdentifierAnswer[]).map((one) => [one.ticker, one])) // safe: only writeAnswer writes them
}

/** Stores the answer for a ticker, unless the stored one is later. */
export function writeAnswer(sql: Sql, { ticker, found, answeredAt }: IdentifierAnswer): Promise<void> {
  return writeAskedQuestions(sql, [{ ...ABOUT, ...found, value: ticker, askedAt: answeredAt }])
}
