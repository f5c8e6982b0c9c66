import type { MappingQuestion } from '../../../domains/instruments/mapping/mapping-questions-model.js'
import {
  loadDueQuestions,
  loadMappingProgress,
  type MappingProgress,
} from '../../../domains/instruments/mapping/mapping-questions-store.js'
import { bindFeed } from '../../feed.js'
import type { FeedGroup } from '../../feed-group.js'
import { QUESTION_FEEDS, questionFeed, questionsPerRun } from '../../providers/openfigi/question-feeds.js'
import { runFeed } from '../../run/run-feed.js'
import { reportOfRun } from '../../run-report.js'
import { NO_ROWS } from '../../schedule/job.js'
import { byCron } from '../../schedule.js'
import { mappingAnswersSink } from './ingestion.js'

const JITTER_MS = 300_000

/** Ask OpenFIGI for the FIGIs of some stocks and ETFs of the SEC's lists, and which FIGIs some ISINs of holdings have. */
export const questionGroups: readonly FeedGroup[] = [
  questionGroup('ticker', '50 * * * *', ({ listings, figis, newTickers }) => {
    return `${figis} of ${listings} listings have a FIGI; ${newTickers} were not asked for yet`
  }),
  questionGroup('isin', '5 * * * *', ({ listings, isins, newIsins }) => {
    return `${isins} of ${listings} listings have an ISIN; ${newIsins} ISINs of holdings were not asked for yet`
  }),
]

/** Asks some questions of a scheme. A run is stored as a whole, and the next one goes on where it ended. */
function questionGroup(
  scheme: MappingQuestion['scheme'],
  cron: string,
  describe: (progress: MappingProgress) => string,
): FeedGroup {
  const { id: name, cadence } = QUESTION_FEEDS[scheme]
  return {
    name,
    job: {
      dataset: 'instruments',
      needsAssets: true,
      cadence,
      schedule: byCron(cron, JITTER_MS),
      describeProgress: async (sql) => {
        const progress = await loadMappingProgress(sql)
        return progress && describe(progress)
      },
    },
    run: async (deps) => {
      const { openFigiKey } = deps.settings
      const limit = questionsPerRun(openFigiKey)
      const questions = await loadDueQuestions(deps.database, scheme, deps.clock.now(), limit)
      if (questions.length === 0) {
        const text = `${name}: nothing to ask for\n`
        return { summary: NO_ROWS, text, isEmpty: false, counts: NO_ROWS, note: null }
      }
      const bound = bindFeed(questionFeed(scheme, questions, openFigiKey), mappingAnswersSink)
      return reportOfRun(name, await runFeed(deps, bound, { kind: 'live' }))
    },
  }
}
