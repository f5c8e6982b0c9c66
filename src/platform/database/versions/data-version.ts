import type { DatasetName } from '../../../core/datasets.js'
import { type DataPart, datasetOf, datasetsOf, grainNameOf } from './data-parts.js'
import type { GrainMap } from './grain-map.js'

/** The terms of use of a part's rows; null if unknown. */
export interface Terms {
  readonly licence: string | null
  /** The credit line that the licence asks for. */
  readonly attribution: string | null
  readonly licensedForCommercialUse: boolean | null
}

/** The part of a dataset from one provider, e.g. one of several lists. */
export interface DatasetPart extends Terms {
  /** Unique within the dataset; the provider's id if it provides one part only. */
  readonly part: string
  /** Rises by one with each committed change of the part. */
  readonly version: number
  readonly source: string
  readonly isDevDataset: boolean
  readonly observedAt: Date
  readonly changedAt: Date
}

/** State of a dataset: its version, the source of its rows and the age of the newest fact. */
export interface DatasetState {
  readonly dataset: DatasetName
  /** Rises by one with each committed change. */
  readonly version: number
  /** Provider id of the part with the newest fact, or seed. */
  readonly source: string
  /** Whether any part is synthetic. */
  readonly isDevDataset: boolean
  /** Instant of the newest fact (publication, not arrival). */
  readonly observedAt: Date
  /** When the last change was committed. */
  readonly changedAt: Date
  /** By name. */
  readonly parts: readonly DatasetPart[]
  /** UUID of the last committed change, unique across databases. */
  readonly commitId: string
  /** The versions of its grains. Omitted if the last commit may have changed every grain. */
  readonly grains?: GrainMap
}

/** What an answer was read from: a dataset, or the used parts of it. */
export interface UsedState extends DatasetState {
  /** Providers of the used parts, newest first; absent for a whole dataset, which has `source`. */
  readonly sources?: readonly string[]
}

export type DatasetStates = ReadonlyMap<DatasetName, DatasetState>

/** The version of a dataset; 0 before the first ingestion. */
export function versionIn(states: DatasetStates, dataset: DatasetName): number {
  return states.get(dataset)?.version ?? 0
}

/** The versions of the datasets of several parts as text: `candles=17, instruments=3`. Empty without parts. */
export function versionsText(states: DatasetStates, reads: readonly DataPart[]): string {
  let text = ''
  for (const name of datasetsOf(reads)) text += `${text === '' ? '' : ', '}${name}=${versionIn(states, name)}`
  return text
}

/** Whether any of the datasets of several parts is synthetic. */
export function isDevIn(states: DatasetStates, reads: readonly DataPart[]): boolean {
  return reads.some((part) => states.get(datasetOf(part))?.isDevDataset === true)
}

/**
 * Identifies one state of a dataset, or of a grain, across databases: a restored database, or another one, counts its
 * versions from the start.
 */
export function stampIn(states: DatasetStates, part: DataPart): string {
  const last = lastChangeOf(states, part)
  return last === null ? '0' : `${last.version}@${last.commitId}`
}

/** Whether both have the same states of these parts. */
export function haveSameStates(
  reads: readonly DataPart[],
  one: DatasetStates,
  other: DatasetStates,
): boolean {
  return one === other || reads.every((part) => stampIn(one, part) === stampIn(other, part))
}

/** The version of the dataset at which a part last changed; 0 before the first ingestion. */
export function partVersionIn(states: DatasetStates, part: DataPart): number {
  return lastChangeOf(states, part)?.version ?? 0
}

function lastChangeOf(
  states: DatasetStates,
  part: DataPart,
): Pick<DatasetState, 'version' | 'commitId'> | null {
  const state = states.get(datasetOf(part))
  if (state === undefined) return null
  const grain = grainNameOf(part)
  return (grain === null ? null : state.grains?.find(grain)) ?? state
}

/**
 * A dataset with the age of the newest of some of its grains. The age of the whole dataset for no grains, and if that of a
 * grain is unknown.
 */
export function newestOfGrains(state: DatasetState, grains: readonly DataPart[]): DatasetState {
  const found = grains.map((grain) => state.grains?.find(grainNameOf(grain) ?? '') ?? null)
  const known = found.filter((grain) => grain !== null)
  if (known.length === 0 || known.length < found.length) return state
  return {
    ...state,
    observedAt: new Date(Math.max(...known.map(({ observedMs }) => observedMs))),
    changedAt: new Date(Math.max(...known.map(({ changedMs }) => changedMs))),
  }
}

/**
 * The state of these parts only: the age and sources that an answer from them shows. If none of the parts exists, the state
 * of the whole dataset.
 */
export function stateOfParts(state: DatasetState, names: ReadonlySet<string>): UsedState {
  const parts = state.parts.filter(({ part }) => names.has(part))
  const newestFirst = parts.toSorted((a, b) => b.observedAt.getTime() - a.observedAt.getTime())
  const [newest] = newestFirst
  if (newest === undefined) return state
  return {
    ...state,
    parts,
    source: newest.source,
    sources: [...new Set(newestFirst.map(({ source }) => source))],
    observedAt: newest.observedAt,
    isDevDataset: parts.some(({ isDevDataset }) => isDevDataset),
  }
}

/** A state whose sources are also those of other states. */
export function withSources(state: UsedState, used: readonly UsedState[]): UsedState {
  const { sources = [state.source] } = state
  return {
    ...state,
    sources: [...new Set([...sources, ...used.map(({ source }) => source)])],
    isDevDataset: [state, ...used].some(({ isDevDataset }) => isDevDataset),
  }
}

/** The states as a caller with a clock sees them: every age is that of the instant, and no part is newer than another. */
export function statesAt(states: DatasetStates, instant: Date): DatasetStates {
  const age = { observedAt: instant, changedAt: instant }
  return new Map(
    [...states].map(([name, { grains: _grains, ...state }]) => {
      const parts = state.parts.map((part) => ({ ...part, ...age }))
      return [name, { ...state, ...age, source: parts[0]?.source ?? state.source, parts }] as const
    }),
  )
}
