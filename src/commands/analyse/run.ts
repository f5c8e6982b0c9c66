import { parseArgs } from 'node:util'
import { type Config, loadConfig } from '../../config.js'
import { type CommandCall, Interrupted } from '../../control/command-call.js'
import { ApiError } from '../../core/errors.js'
import { systemClock } from '../../core/time.js'
import { ANALYSIS_TYPES, type AnalysisType } from '../../domains/analysis/model.js'
import type { AnalysisGenerator } from '../../ingest/datasets/analysis/generator.js'
import { rulesGenerator } from '../../ingest/datasets/analysis/rules/rules.js'
import {
  type AnalysisRequest,
  type AnalysisSummary,
  runAnalysis,
} from '../../ingest/datasets/analysis/run-analysis.js'
import { createHttpClient } from '../../platform/http-client/http-client.js'
import { interruptibleClient } from '../../platform/http-client/interruptible-client.js'
import { commandLine } from '../../platform/installation/command-line.js'
import { notedSigner } from '../../platform/installation/snapshot-keys.js'
import { createLogger, type Logger } from '../../platform/logger.js'
import { VERSION } from '../../platform/version.js'
import { type CommandRun, withDatabase } from '../command-world.js'
import { UsageError } from '../usage-error.js'

const GENERATORS = ['rules', 'llm'] as const

interface Arguments {
  readonly request: AnalysisRequest
  readonly generator: (typeof GENERATORS)[number]
  readonly isJson: boolean
}

/** Runs `analyse`, which appends snapshots of crypto assets. */
export const runAnalyse: CommandRun = async (call, world) => {
  try {
    const given = parseArguments(call.args)
    if (given === null) {
      call.out(HELP)
      return 0
    }
    const config = loadConfig(world.env)
    // The log goes to the error output, so that programs can parse the summary. It contains the reasons of dropped answers.
    const log = createLogger('warn', { write: call.err })
    const generator = given.generator === 'llm' ? await llmGenerator(config, log, call) : rulesGenerator
    const summary = await withDatabase(world, config, call.signal, async (database) => {
      const signer = await notedSigner(database, config, systemClock.now())
      return runAnalysis({ database, clock: systemClock, log, generator, signer }, given.request)
    })
    call.out(given.isJson ? `${JSON.stringify(summary, null, 2)}\n` : summaryText(summary))
    return summary.dropped + summary.failed > 0 ? 1 : 0
  } catch (error) {
    call.err(`analyse: ${explain(error)}\n`)
    return 1
  }
}

async function llmGenerator(
  { languageModel }: Config,
  log: Logger,
  { signal }: CommandCall,
): Promise<AnalysisGenerator> {
  if (languageModel === null) {
    throw new UsageError('--generator llm needs AI_BASE_URL, AI_API_KEY and AI_MODEL')
  }
  // Loaded only if needed, because loading the SDK takes longer than all rules.
  const { createLlmGenerator } = await import('../../ingest/datasets/analysis/words/llm.js')
  const client = createHttpClient({ log, userAgent: `market-data-gateway/${VERSION}` })
  const http = interruptibleClient(client, signal)
  return createLlmGenerator({ endpoint: languageModel, http, log })
}

/** Returns null for --help. */
function parseArguments(args: readonly string[]): Arguments | null {
  const values = parseOptions(args)
  if (values.help === true) return null
  const slugs = values.asset?.flatMap((list) => list.split(',')).map((slug) => slug.trim())
  if (slugs?.includes(''))
    throw new UsageError('--asset must be slugs separated by commas, such as bitcoin,ethereum')
  return {
    request: {
      slugs: slugs ?? null,
      types: values.type === undefined ? ANALYSIS_TYPES : [parseType(values.type)],
      isForced: values.force ?? false,
    },
    generator: parseGenerator(values.generator ?? 'rules'),
    isJson: values.json ?? false,
  }
}

function parseOptions(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        asset: { type: 'string', multiple: true },
        type: { type: 'string' },
        generator: { type: 'string' },
        force: { type: 'boolean' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function parseType(text: string): AnalysisType {
  const type = ANALYSIS_TYPES.find((name) => name === text)
  if (type === undefined) throw new UsageError(`--type must be one of ${ANALYSIS_TYPES.join(', ')}`)
  return type
}

function parseGenerator(text: string): (typeof GENERATORS)[number] {
  const generator = GENERATORS.find((name) => name === text)
  if (generator === undefined) throw new UsageError(`--generator must be one of ${GENERATORS.join(', ')}`)
  return generator
}

function summaryText({
  modelId,
  added,
  unchanged,
  dropped,
  failed,
  absent,
  durationMs,
}: AnalysisSummary): string {
  const rest = [
    ...(unchanged > 0 ? [`${unchanged} unchanged`] : []),
    ...(dropped > 0 ? [`${dropped} dropped`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(absent > 0 ? [`${absent} without facts`] : []),
  ]
  return `${modelId}: ${[`${added} snapshots added`, ...rest].join(', ')} (${(durationMs / 1000).toFixed(1)} s)\n`
}

const HELP = `Usage: ${commandLine('analyse')} [--asset a,b] [--type t] [--generator rules|llm] [--force] [--json]

Analyses crypto assets from the current data, and appends the snapshots.
The database is DATABASE_URL, or the embedded one in DATA_DIR (default ./.data). If a gateway runs on the embedded
database, it does the work, with its own configuration.

  --asset a,b       slugs (default: all crypto assets)
  --type t          ${ANALYSIS_TYPES.join(', ')} (default: all)
  --generator g     rules (default, needs no key), or llm, which uses AI_BASE_URL, AI_API_KEY and AI_MODEL
  --force           appends a snapshot even if the last one is equal and younger than its refresh interval
  --json            prints the summary as JSON
  --help            prints this help
`

function explain(error: unknown): string {
  if (error instanceof Interrupted) return `stopped (${error.message})`
  if (error instanceof UsageError) return `${error.message} (see --help)`
  if (error instanceof ApiError && error.cause instanceof Error) {
    return `the database is unreachable: ${error.cause.message || error.cause.name}`
  }
  return error instanceof Error ? error.message : String(error)
}
