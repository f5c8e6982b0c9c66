import type { CompatBody } from '../compat-interface.js'
import type { SdmxFlow, SdmxObservation } from './sdmx-flows.js'

/** Observations of one series, oldest first. */
export interface SdmxAnswer {
  readonly flow: SdmxFlow
  readonly key: readonly string[]
  readonly observations: readonly SdmxObservation[]
  /** Whether each observation shows its unit. */
  readonly hasUnits: boolean
  /** The message says that it was prepared then, so that equal data make equal messages. */
  readonly updatedAt: string
}

/** A data message of SDMX-JSON 1.0 with one series. The unit is an attribute of observations, which every reader keeps. */
export function toJsonMessage({ flow, key, observations, hasUnits, updatedAt }: SdmxAnswer): CompatBody {
  const units = hasUnits ? unitsOf(observations) : []
  const dimensions = flow.dimensions.map((id, keyPosition) => ({
    ...{ id, name: id, keyPosition },
    values: [code(key[keyPosition] ?? '')],
  }))
  const time = { id: 'TIME_PERIOD', name: 'TIME_PERIOD', role: 'TIME_PERIOD' }
  const unit = { id: 'UNIT', name: 'Unit of the observation', values: units.map(code) }
  const values = observations.map(({ value, unit: own }, at) => [
    String(at),
    units.length === 0 ? [value] : [value, own === null ? null : units.indexOf(own)],
  ])
  const message = {
    header: {
      id: `${flow.id}/${key.join('.')}`,
      prepared: updatedAt,
      sender: { id: 'MARKET_DATA_GATEWAY', name: 'Market Data Gateway' },
    },
    structure: {
      name: flow.id,
      dimensions: {
        dataSet: [],
        series: dimensions,
        observation: [{ ...time, values: observations.map(({ period }) => code(period)) }],
      },
      attributes: { dataSet: [], series: [], observation: units.length === 0 ? [] : [unit] },
    },
    dataSets: [
      {
        action: 'Replace',
        series: {
          [key.map(() => '0').join(':')]: { attributes: [], observations: Object.fromEntries(values) },
        },
      },
    ],
  }
  return { type: 'application/vnd.sdmx.data+json;version=1.0.0', text: JSON.stringify(message) }
}

function unitsOf(observations: readonly SdmxObservation[]): readonly string[] {
  return [...new Set(observations.flatMap(({ unit }) => (unit === null ? [] : [unit])))]
}

function code(id: string) {
  return { id, name: id }
}

/** A data message of SDMX-CSV 1.0. */
export function toCsvMessage({ flow, key, observations, hasUnits }: SdmxAnswer): CompatBody {
  const unitColumn = hasUnits ? ['UNIT'] : []
  const lines = observations.map(({ period, value, unit }) => [
    ...[`${flow.agency}:${flow.id}(1.0)`, ...key, period, value === null ? '' : String(value)],
    ...(hasUnits ? [unit ?? ''] : []),
  ])
  const header = ['DATAFLOW', ...flow.dimensions, 'TIME_PERIOD', 'OBS_VALUE', ...unitColumn]
  return {
    type: 'application/vnd.sdmx.data+csv;version=1.0.0;charset=utf-8',
    text: [header, ...lines].map((cells) => `${cells.map(quote).join(',')}\n`).join(''),
  }
}

function quote(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
