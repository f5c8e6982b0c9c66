import { parseArgs } from 'node:util'
import type { CommandCall } from '../../control/command-call.js'
import { createAsOf } from '../../core/as-of.js'
import { METHODOLOGY_VERSION, toAssetTier } from '../../core/consensus/consensus.js'
import { recomputePublishedPrice } from '../../core/consensus/published-price.js'
import { parseIsoDate } from '../../core/time.js'
import { loadAssetsBySlug } from '../../domains/assets/store.js'
import { loadCandleInputs } from '../../domains/market/inputs-store.js'
import { type StoredSource, TIMEFRAMES, type Timeframe } from '../../domains/market/model.js'
import type { Queries } from '../../platform/database/database.js'
import { commandLine } from '../../platform/installation/command-line.js'
import { type CommandWorld, withStoredData } from '../command-world.js'

export const CONSENSUS_HELP = `Usage: ${commandLine('verify')} consensus ASSET TS [options]

  ASSET        slug, e.g. bitcoin
  TS           start of the window, e.g. 2026-11-19 or 2026-11-19T13:00:00Z
  --timeframe  ${TIMEFRAMES.join(' or ')} (default: 1d)
  --as-of      the candle as it was known at this instant
  --url        URL of a gateway; needs --key with the scope history:full (default: the configured database)
  --json       prints JSON

To check analysis snapshots: ${commandLine('verify')} snapshot --help
`

/** The command line is invalid, or the inputs are not available. */
class NotChecked extends Error {}

interface ConsensusQuestion {
  readonly asset: string
  readonly timeframe: Timeframe
  readonly ts: Date
  readonly asOf: Date | null
  readonly gateway: { readonly url: string; readonly key: string } | null
  readonly isJson: boolean
}

/** A candle with its inputs, from the database or from a gateway. */
interface Inputs {
  /** Null means tier 3, which has the widest band. */
  readonly tier: number | null
  readonly methodologyVersion: string
  readonly vwapUsd: string | null
  readonly sources: readonly StoredSource[]
}

/** Runs `verify consensus`, which recalculates the price of a candle from its inputs. Returns 0 if it is equal, else 1. */
export async function verifyConsensus(call: CommandCall, world: CommandWorld): Promise<number> {
  const question = parseArguments(call.args)
  if (question === null) {
    call.out(CONSENSUS_HELP)
    return 0
  }
  const { gateway } = question
  const inputs =
    gateway === null
      ? await withStoredData(world, (database) => loadInputs(database, question))
      : await fetchInputs(question, gateway)
  const report = check(question, inputs)
  call.out(question.isJson ? `${JSON.stringify(report)}\n` : textOf(report, inputs.sources))
  return report.match ? 0 : 1
}

/** Returns null for --help. */
function parseArguments(args: readonly string[]): ConsensusQuestion | null {
  const { values, positionals } = parseOptions(args)
  if (values.help) return null
  const [command, asset, ts, ...rest] = positionals
  if (command !== 'consensus' || asset === undefined || ts === undefined || rest.length > 0) {
    throw new NotChecked(`give consensus, an asset and the start of a window\n\n${CONSENSUS_HELP}`)
  }
  const timeframe = TIMEFRAMES.find((known) => known === (values.timeframe ?? '1d'))
  if (timeframe === undefined) throw new NotChecked(`--timeframe must be ${TIMEFRAMES.join(' or ')}`)
  if ((values.url === undefined) !== (values.key === undefined)) {
    throw new NotChecked('give both --url and --key, or neither')
  }
  const { url, key } = values
  return {
    asset,
    timeframe,
    ts: parseZonedInstant('TS', ts),
    asOf: values['as-of'] === undefined ? null : parseZonedInstant('--as-of', values['as-of']),
    gateway: url === undefined || key === undefined ? null : { url, key },
    isJson: values.json ?? false,
  }
}

function parseOptions(args: readonly string[]) {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const options = { timeframe: text, 'as-of': text, url: text, key: text, json: flag, help: flag }
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    throw new NotChecked(`${error instanceof Error ? error.message : String(error)}\n\n${CONSENSUS_HELP}`)
  }
}

function parseZonedInstant(name: string, text: string): Date {
  const instant = new Date(parseIsoDate(text) === null ? text : `${text}T00:00:00Z`)
  const isZoned = parseIsoDate(text) !== null || /(Z|[+-]\d{2}:\d{2})$/.test(text)
  if (Number.isNaN(instant.getTime()) || !isZoned) {
    throw new NotChecked(`${name} must be a day or an instant with its zone; got ${JSON.stringify(text)}`)
  }
  return instant
}

async function loadInputs(sql: Queries, { asset, timeframe, ts, asOf }: ConsensusQuestion): Promise<Inputs> {
  const known = (await loadAssetsBySlug(sql, [asset])).get(asset)
  if (known === undefined) throw new NotChecked(`unknown asset ${JSON.stringify(asset)}`)
  const { assetId } = known
  const inputs =
    (await loadCandleInputs(sql, [assetId], { timeframe, ts, asOf: createAsOf(asOf) })).get(assetId) ?? null
  if (inputs === null)
    throw new NotChecked(`the candle of ${asset}, ${timeframe}, ${ts.toISOString()} is not stored`)
  return { ...inputs, tier: known.tier }
}

const QUERY = `query ($id: String!, $timeframe: Timeframe, $ts: DateTime!, $asOf: DateTime) {
  consensus_inputs(id: $id, timeframe: $timeframe, ts: $ts, as_of: $asOf) {
    tier methodologyVersion: methodology_version vwapUsd: vwap_usd_text
    sources { venue vwapUsd: vwap_usd volumeUsd: volume_usd weight exclusion deviation }
  }
}`

interface GatewayAnswer {
  readonly data?: { readonly consensus_inputs: Inputs | null } | null
  readonly errors?: readonly { readonly message: string }[]
}

async function fetchInputs(
  question: ConsensusQuestion,
  gateway: { url: string; key: string },
): Promise<Inputs> {
  const { asset: id, timeframe, ts, asOf } = question
  const response = await fetch(new URL('/graphql', gateway.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': gateway.key },
    body: JSON.stringify({ query: QUERY, variables: { id, timeframe, ts, asOf } }),
  })
  const answer = (await response.json()) as GatewayAnswer // the aliases of QUERY are the names of Inputs
  const inputs = answer.data?.consensus_inputs
  if (inputs) return inputs
  throw new NotChecked(answer.errors?.[0]?.message ?? `the gateway responded with status ${response.status}`)
}

interface Report {
  readonly asset: string
  readonly timeframe: Timeframe
  readonly ts: string
  readonly methodology_version: string
  readonly published_usd: string | null
  /** Price from the venues that are published as used. */
  readonly recomputed_usd: string | null
  /** Price from all venues, with exclusions by the rules. */
  readonly consensus_usd: string | null
  /** Venues whose published exclusion or weight differs from the rules. */
  readonly differing_venues: readonly string[]
  readonly match: boolean
}

function check({ asset, timeframe, ts }: ConsensusQuestion, inputs: Inputs): Report {
  const { recomputed, byTheRules, differingVenues } = recomputePublishedPrice(
    inputs.sources,
    toAssetTier(inputs.tier),
  )
  const isSamePrice = recomputed === inputs.vwapUsd && byTheRules === inputs.vwapUsd
  return {
    asset,
    timeframe,
    ts: ts.toISOString(),
    methodology_version: inputs.methodologyVersion,
    published_usd: inputs.vwapUsd,
    recomputed_usd: recomputed,
    consensus_usd: byTheRules,
    differing_venues: differingVenues,
    match: isSamePrice && differingVenues.length === 0,
  }
}

function textOf(report: Report, sources: readonly StoredSource[]): string {
  const other =
    report.methodology_version === METHODOLOGY_VERSION ? '' : `, recalculated by ${METHODOLOGY_VERSION}`
  const cell = (text: string | null, width: number) => (text ?? '-').padEnd(width)
  const table = sources.map(
    ({ venue, vwapUsd, volumeUsd, weight, exclusion }) =>
      `  ${cell(venue, 10)} ${cell(vwapUsd, 20)} ${cell(volumeUsd, 20)} ${cell(weight, 12)} ${exclusion ?? 'used'}`,
  )
  return `${[
    `${report.asset} ${report.timeframe} ${report.ts} (${report.methodology_version}${other})`,
    `  ${cell('venue', 10)} ${cell('vwap USD', 20)} ${cell('volume USD', 20)} ${cell('weight', 12)} rule`,
    ...table,
    `published   ${report.published_usd ?? 'no price'}`,
    `recomputed  ${report.recomputed_usd ?? 'no price'}  from the venues used`,
    `consensus   ${report.consensus_usd ?? 'no price'}  from all venues by the rules`,
    ...report.differing_venues.map((venue) => `by the rules, ${venue} has another weight or exclusion`),
    report.match ? 'match' : 'MISMATCH',
  ].join('\n')}\n`
}
