import type { RouteTool } from '../../mcp/tools.js'
import { jsonBody } from '../json-body.js'
import { CHARTS, METRICS } from './views.js'

/** Operations of an account, and those that need an identifier of one answer. */
const ACCOUNT_PATH = /^\/v1\/(?:billing|newsletter|usage|webhooks)\b/
const NO_WIDGET: ReadonlySet<string> = new Set(['ai_analysis_snapshot', 'release'])

/** Arguments that a dashboard has no use for. */
const LEFT_OUT: ReadonlySet<string> = new Set(['release', 'cursor', 'wait_seconds'])

interface Argument {
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly description?: string
}

/** A table of every operation with market data that GET reads, charts and metrics of some, and the charts of UDF. */
export function toWidgets(tools: readonly RouteTool[]) {
  const read = tools.filter(
    ({ tool, route }) =>
      route.method === 'GET' && !ACCOUNT_PATH.test(route.path) && !NO_WIDGET.has(tool.name),
  )
  const byName = new Map(read.map((one) => [one.tool.name, one]))
  const widgets = [
    ...read.map((one) => [`table_${one.tool.name}`, toWidget(one, 'table')] as const),
    ...[...CHARTS.keys()].map((name) => [`chart_${name}`, toWidget(byName.get(name), 'chart')] as const),
    ...[...METRICS.keys()].map((name) => [`metric_${name}`, toWidget(byName.get(name), 'metric')] as const),
    ['advanced_chart', ADVANCED_CHART] as const,
  ]
  return jsonBody(Object.fromEntries(widgets))
}

const SIZES = { table: { w: 20, h: 12 }, chart: { w: 20, h: 12 }, metric: { w: 10, h: 5 } } as const

function toWidget(operation: RouteTool | undefined, type: keyof typeof SIZES) {
  if (operation === undefined) throw new Error('a widget names an operation that GET does not read')
  const { tool, route, example } = operation
  const properties = (tool.inputSchema.properties ?? {}) as Readonly<Record<string, Argument>> // our own schema
  return {
    name: tool.title ?? tool.name,
    description: tool.description ?? '',
    category: 'Market data',
    subCategory: route.path.split('/')[2] ?? '',
    type,
    endpoint: `${type}/${tool.name}`,
    gridData: SIZES[type],
    source: ['Market Data Gateway'],
    params: Object.entries(properties)
      .filter(([name]) => !LEFT_OUT.has(name))
      .map(([name, argument]) => toParam(name, argument, example[name])),
    data: type === 'table' ? { table: { enableCharts: true, showAll: true } } : {},
  }
}

function toParam(paramName: string, argument: Argument, example: unknown) {
  const options = argument.enum?.map((value) => ({ label: String(value), value: String(value) }))
  return {
    paramName,
    type: typeOf(argument),
    value: textOf(argument.default ?? example ?? ''),
    label: paramName.replaceAll('_', ' '),
    description: argument.description ?? '',
    ...(options === undefined ? {} : { options }),
  }
}

/** Several values are joined by commas, as the query of an operation takes them. */
function textOf(value: unknown): unknown {
  return Array.isArray(value) ? value.join(',') : value
}

function typeOf({ type, format, enum: values }: Argument): 'text' | 'number' | 'boolean' | 'date' {
  if (values !== undefined) return 'text'
  if (type === 'boolean') return 'boolean'
  if (type === 'integer' || type === 'number') return 'number'
  return format === 'date' ? 'date' : 'text'
}

const ADVANCED_CHART = {
  name: 'Advanced chart',
  description: 'Prices of the consensus, of single exchanges, of stocks, ETFs and currencies.',
  category: 'Market data',
  subCategory: 'charts',
  type: 'advanced_charting',
  endpoint: '/udf',
  gridData: { w: 20, h: 20 },
  source: ['Market Data Gateway'],
  data: { defaultSymbol: 'BINANCE:bitcoin', updateFrequency: 60_000 },
}

const at = (
  i: string,
  x: number,
  y: number,
  { w, h }: { readonly w: number; readonly h: number },
  params = {},
) => ({
  ...{ i, x, y, w, h },
  state: { params },
})

/** One app with a page for each subject. */
export const APPS = jsonBody([
  {
    name: 'Market data',
    description: 'Prices, rates and macro series of this gateway.',
    img: '',
    img_dark: '',
    img_light: '',
    allowCustomization: true,
    groups: [],
    tabs: {
      crypto: {
        id: 'crypto',
        name: 'Crypto',
        layout: [
          at('metric_asset', 0, 0, SIZES.metric, { id: 'bitcoin' }),
          at('advanced_chart', 0, 5, ADVANCED_CHART.gridData),
          at('table_assets', 20, 0, { w: 20, h: 25 }, { asset_class: 'crypto' }),
        ],
      },
      rates: {
        id: 'rates',
        name: 'Rates',
        layout: [
          at('metric_forex', 0, 0, SIZES.metric, { quote: 'USD' }),
          at('chart_forex', 0, 5, SIZES.chart, { quote: 'USD' }),
          at('table_forex_cross', 20, 0, SIZES.table, { base: 'EUR' }),
        ],
      },
      sources: {
        id: 'sources',
        name: 'Sources',
        layout: [at('table_datasets', 0, 0, { w: 40, h: 20 })],
      },
    },
  },
])
