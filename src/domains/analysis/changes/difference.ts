import { type AaoifiContent, CHANGE_TYPES, type ChangeType, type Signal, type Snapshot } from '../model.js'
import { tokenSetRatio } from './text-similarity.js'

/** Below this similarity a text counts as rewritten. */
export const MAJOR_SHIFT_BELOW = 0.7

/** Decimals of stored and served similarities. */
const SIMILARITY_DECIMALS = 6

export type FieldValue = number | boolean | string | null

/** One field that differs: a figure or version, never the text of an analysis. */
export interface FieldChange {
  /** sentiment_score, signals.<name>.value, signals.<name>.threshold, aaoifi.<ratio>, methodology_version, model_id or prompt_version. */
  readonly field: string
  readonly before: FieldValue
  readonly after: FieldValue
  readonly change_type: ChangeType
}

/** The differences between two snapshots of one asset and type. */
export interface Difference {
  /** The dominant reason. */
  readonly changeType: ChangeType
  readonly changes: readonly FieldChange[]
  readonly textChanged: boolean
  /** Token-set ratio of the summaries, six decimals; null when the text is unchanged. */
  readonly similarity: number | null
}

/** The parts of a snapshot that are compared. */
export type Comparable = Pick<
  Snapshot,
  | 'snapshotId'
  | 'supersedes'
  | 'generatedAt'
  | 'sequence'
  | 'content'
  | 'methodologyVersion'
  | 'modelId'
  | 'promptVersion'
>

/** Sorts by generation time, then by arrival. */
export function inOrder<Of extends Pick<Snapshot, 'generatedAt' | 'sequence'>>(one: Of, other: Of): [Of, Of] {
  const byGeneration = one.generatedAt.getTime() - other.generatedAt.getTime()
  const isInOrder = byGeneration === 0 ? one.sequence <= other.sequence : byGeneration < 0
  return isInOrder ? [one, other] : [other, one]
}

/**
 * Compares two snapshots in either order of the arguments. The reason of every figure that differs is RESTATEMENT
 * if the later snapshot supersedes the earlier one, directly or through others (`restates`). Otherwise the reason
 * is METHODOLOGY_CHANGE if the methodology version differs, MODEL_UPGRADE if the model or prompt version differs,
 * or DATA_REFRESH. A changed version has its own reason.
 */
export function compareSnapshots(one: Comparable, other: Comparable, restates = false): Difference {
  const [earlier, later] = inOrder(one, other)
  const isRestatement = restates || later.supersedes === earlier.snapshotId
  const figures = figureChanges(earlier, later, isRestatement ? 'RESTATEMENT' : 'DATA_REFRESH')
  const changes = [...figures, ...versionChanges(earlier, later)]
  const reasons = changes.map((change) => change.change_type)
  const textChanged = earlier.content.summary !== later.content.summary
  return {
    changeType: dominant([...reasons, isRestatement ? 'RESTATEMENT' : 'DATA_REFRESH']),
    changes,
    textChanged,
    similarity: textChanged ? rounded(tokenSetRatio(earlier.content.summary, later.content.summary)) : null,
  }
}

/** Whether the text was rewritten; null if it is unchanged. */
export function isMajorShift(similarity: number | null): boolean | null {
  return similarity === null ? null : similarity < MAJOR_SHIFT_BELOW
}

export function dominant(reasons: readonly ChangeType[]): ChangeType {
  return CHANGE_TYPES.find((type) => reasons.includes(type)) ?? 'DATA_REFRESH'
}

function rounded(similarity: number): number {
  return Number(similarity.toFixed(SIMILARITY_DECIMALS))
}

function figureChanges(earlier: Comparable, later: Comparable, reason: ChangeType): readonly FieldChange[] {
  const before = figuresOf(earlier)
  const after = figuresOf(later)
  // A missing figure counts like one that could not be computed.
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((field) =>
    changeOf(field, before.get(field) ?? null, after.get(field) ?? null, reason),
  )
}

function versionChanges(earlier: Comparable, later: Comparable): readonly FieldChange[] {
  return [
    ...changeOf(
      'methodology_version',
      earlier.methodologyVersion,
      later.methodologyVersion,
      'METHODOLOGY_CHANGE',
    ),
    ...changeOf('model_id', earlier.modelId, later.modelId, 'MODEL_UPGRADE'),
    ...changeOf('prompt_version', earlier.promptVersion, later.promptVersion, 'MODEL_UPGRADE'),
  ]
}

function changeOf(
  field: string,
  before: FieldValue,
  after: FieldValue,
  reason: ChangeType,
): readonly FieldChange[] {
  return before === after ? [] : [{ field, before, after, change_type: reason }]
}

function figuresOf({ content }: Comparable): ReadonlyMap<string, number | boolean | null> {
  return new Map([
    ['sentiment_score', content.sentiment_score] as const,
    ...content.signals.flatMap(signalFigures),
    ...ratioFigures(content.aaoifi),
  ])
}

function signalFigures({ name, value, threshold }: Signal) {
  return [[`signals.${name}.value`, value] as const, [`signals.${name}.threshold`, threshold] as const]
}

function ratioFigures(aaoifi: AaoifiContent | undefined) {
  if (aaoifi === undefined) return []
  return [
    ['aaoifi.debt_to_market_cap', aaoifi.debt_to_market_cap] as const,
    ['aaoifi.cash_to_market_cap', aaoifi.cash_to_market_cap] as const,
    ['aaoifi.interest_income_to_revenue', aaoifi.interest_income_to_revenue] as const,
    ['aaoifi.below_thresholds', aaoifi.below_thresholds ?? null] as const,
  ]
}
