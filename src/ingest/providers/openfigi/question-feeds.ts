import type { Figi } from '../../../core/identifiers.js'
import { PROVIDERS } from '../../../core/providers.js'
import {
  type MappingAnswer,
  type MappingQuestion,
  UNITED_STATES,
} from '../../../domains/instruments/mapping/mapping-questions-model.js'
import { type Read, readOn, valueOr } from '../../bodies/read.js'
import type { PagedFeed, Parsed } from '../../feed.js'
import { type MappedSecurity, type MappingResult, parseMappingAnswer } from './mapping-answer.js'
import { jobsPerRequest, type MappingJob, mappingRequest, slashed } from './mapping-request.js'

/** The feeds of questions about the United States, by the scheme of their identifiers. */
export const QUESTION_FEEDS = {
  ticker: {
    id: 'listed-figis',
    description: 'FIGIs of the stocks and ETFs that the lists of the SEC make',
    cadence: 'hourly, until each listing was asked for',
  },
  isin: {
    id: 'listed-isins',
    description: 'ISINs of the stocks and ETFs that the lists of the SEC make, from holdings of funds',
    cadence: 'hourly, until each ISIN of a holding was asked for',
  },
} as const

/** Without a key a run takes two minutes. */
const REQUESTS_PER_RUN = 25

/** The most questions of one run. */
export function questionsPerRun(apiKey: string | null): number {
  return jobsPerRequest(apiKey) * REQUESTS_PER_RUN
}

/**
 * The answers to questions of a scheme, several with a request. A question whose identifier OpenFIGI does not know, or whose
 * answer cannot be used, counts as asked.
 */
export function questionFeed(
  scheme: MappingQuestion['scheme'],
  questions: readonly MappingQuestion[],
  apiKey: string | null,
): PagedFeed<MappingAnswer> {
  const size = jobsPerRequest(apiKey)
  const batches = Array.from({ length: Math.ceil(questions.length / size) }, (_, at) =>
    questions.slice(at * size, (at + 1) * size),
  )
  return {
    ...QUESTION_FEEDS[scheme],
    provider: PROVIDERS.openFigi,
    dataset: 'instruments',
    requests: () => batches.map((batch) => mappingRequest(batch.map(jobOf), apiKey)),
    next: () => null,
    parsePages: function* (pages, context) {
      for (const [at, { body }] of pages.entries()) yield* parseAnswers(body, batches[at] ?? [], at * size)
      context.onRead(1)
    },
  }
}

function jobOf({ scheme, value }: MappingQuestion): MappingJob {
  const identifier =
    scheme === 'isin'
      ? ({ idType: 'ID_ISIN', idValue: value } as const)
      : ({ idType: 'TICKER', idValue: slashed(value) } as const)
  return { ...identifier, exchCode: UNITED_STATES }
}

function* parseAnswers(
  body: Uint8Array,
  questions: readonly MappingQuestion[],
  before: number,
): Generator<Parsed<MappingAnswer>> {
  for (const [at, result] of parseMappingAnswer(body, questions.length).entries()) {
    const question = questions[at]
    if (question === undefined) throw new Error('an answer has one result for each question')
    const found = compositeOf(result, question)
    // The attempt is kept in either case, so that the next run goes on with others.
    yield { kind: 'row', row: { ...question, figi: valueOr(found, null) } }
    if ('value' in found) continue
    yield { kind: 'rejected', position: `result ${before + at + 1}, ${question.value}`, reason: found.wrong }
  }
}

/** The FIGI of all markets of the United States together. Null if OpenFIGI does not know the identifier. */
function compositeOf(result: MappingResult, question: MappingQuestion): Read<Figi | null> {
  return readOn(result, (rows) => {
    if (rows.length === 0) return { value: null }
    const composites = rows.flatMap((row) =>
      'value' in row && isComposite(row.value) && isAbout(row.value, question) ? row.value.figi : [],
    )
    const [figi, ...others] = new Set(composites)
    if (figi === undefined)
      return { wrong: 'no row is about it and has the composite FIGI of the United States' }
    return others.length === 0
      ? { value: figi }
      : { wrong: `several securities have it: ${[figi, ...others].join(', ')}` }
  })
}

function isComposite({ exchCode, figi, compositeFigi }: MappedSecurity): boolean {
  return exchCode === UNITED_STATES && figi === compositeFigi
}

/** An answer does not repeat the ISIN. */
function isAbout({ ticker }: MappedSecurity, { scheme, value }: MappingQuestion): boolean {
  return scheme === 'isin' || ticker === slashed(value)
}
