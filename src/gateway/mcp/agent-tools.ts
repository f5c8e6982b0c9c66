import type { CallToolResult, Tool } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { shownText } from '../../core/argument-parsers.js'
import { withoutNulls } from '../rest/response/minimal.js'
import type { OperationIndex } from './operation-index.js'
import type { RouteAnswer } from './tool-call.js'
import { errorResult, jsonResult, MAX_RESULT_BYTES } from './tool-result.js'
import { hasLimit, type RouteTool } from './tools.js'

/** What the tools for agents are made from. */
export interface AgentToolDependencies {
  readonly byName: ReadonlyMap<string, RouteTool>
  readonly index: OperationIndex
}

/** Calls the route of an operation for the agent. */
export type CallOperation = (
  operation: RouteTool,
  given: Readonly<Record<string, unknown>>,
  /** Default: the largest result of a tool. */
  maxBytes?: number,
  wantsReceipt?: boolean,
) => Promise<RouteAnswer>

/** A tool of the short list. It answers a whole question, possibly by several operations. */
export interface AgentTool {
  readonly tool: Tool
  readonly run: (given: Readonly<Record<string, unknown>>, call: CallOperation) => Promise<CallToolResult>
}

type Json = Readonly<Record<string, unknown>>

/** The failure of an operation. Its text is the operation's own error. */
class OperationFailed extends Error {}

const OPERATIONS_FOUND = 5
const ASSETS_FOUND = 5

const maxBytes = z
  .int()
  .min(1_000)
  .max(MAX_RESULT_BYTES)
  .default(60_000)
  .describe('Largest result that you accept, bytes.')

/** Creates the six tools that an agent sees by default. */
export function createAgentTools({ byName, index }: AgentToolDependencies): readonly AgentTool[] {
  const operationOf = (name: string): RouteTool => {
    const found = byName.get(name)
    if (found !== undefined) return found
    const near = index.find(name.replaceAll('_', ' '), 3).map(({ tool }) => tool.name)
    const hint = near.length === 0 ? '' : ` Similar operations: ${near.join(', ')}.`
    throw new OperationFailed(
      `No operation is named ${name.slice(0, 100)}.${hint} Find operations with the tool search.`,
    )
  }
  return [
    defineTool({
      name: 'search',
      title: 'Find operations and assets',
      description:
        'Start here. Finds the operations that answer a question in plain English, and the assets it names. Then call describe or run.',
      input: {
        query: z
          .string()
          .trim()
          .min(1)
          .max(200)
          .describe('A question or words: "two years of bitcoin prices".'),
      },
      output: { operations: z.array(z.looseObject({})), assets: z.array(z.looseObject({})) },
      run: async ({ query }, call) => {
        const found = await call(operationOf('asset_search'), { q: query, limit: ASSETS_FOUND })
        const assets = found.isError
          ? []
          : (parseBody(found).data as readonly { readonly asset_class: string }[])
        return {
          operations: index.find(query, OPERATIONS_FOUND, assets[0]?.asset_class).map(summaryOf),
          assets,
          // Operations are found without a key, assets are not.
          ...(found.isError ? { assets_error: parseBody(found).message } : {}),
        }
      },
    }),
    defineTool({
      name: 'describe',
      title: 'Describe an operation',
      description:
        'Arguments as a JSON Schema, price, scope and an example of one operation. Free of charge.',
      input: { operation: z.string().max(100).describe('Name of an operation, from search.') },
      output: { operation: z.string(), arguments: z.looseObject({}), example: z.looseObject({}) },
      run: async ({ operation }) => {
        const { tool, details, example } = operationOf(operation)
        return { operation: tool.name, details, arguments: tool.inputSchema, example }
      },
    }),
    defineTool({
      name: 'run',
      title: 'Run an operation',
      description:
        'Runs an operation that search or describe named, with its arguments. With receipt: true the result is the answer as a text and its receipt, which the operation verify_receipt takes.',
      input: {
        operation: z.string().max(100).describe('Name of an operation, from search.'),
        arguments: z.looseObject({}).default({}).describe('Its arguments, as describe shows them.'),
        max_bytes: maxBytes,
        receipt: z.boolean().default(false).describe('Whether you want a signed receipt with the answer.'),
      },
      output: {},
      hasLimit: ({ operation }) => hasLimit(operationOf(operation)),
      run: async ({ operation, arguments: given, max_bytes: most, receipt: isWanted }, call) => {
        const answer = await call(operationOf(operation), given, most, isWanted)
        const body = await bodyOf(answer)
        return answer.receipt === null ? lean(body) : { answer: answer.text, receipt: answer.receipt }
      },
    }),
    defineTool({
      name: 'price',
      title: 'Price of a crypto asset and its sources',
      description:
        'The newest consensus price in USD of a crypto asset, with the price, volume and weight of every exchange behind it. For stocks, ETFs, commodities and currencies use search.',
      input: { asset: z.string().max(64).describe('Slug, from search: bitcoin.'), max_bytes: maxBytes },
      output: {},
      run: async ({ asset }, call) => {
        const hourly = await call(operationOf('consensus_inputs'), { id: asset, timeframe: '1h' })
        // Hours need a scope that days do not need, and an asset may have days only.
        const isRetried =
          hourly.isError && ['forbidden', 'not_found'].includes(String(parseBody(hourly).error))
        return lean(
          await bodyOf(
            isRetried ? call(operationOf('consensus_inputs'), { id: asset, timeframe: '1d' }) : hourly,
          ),
        )
      },
    }),
    defineTool({
      name: 'convert',
      title: 'Convert currencies',
      description:
        'Converts an amount by the euro reference rates of the European Central Bank: from one text, or from amount, from and to. Not for transactions.',
      input: {
        text: z
          .string()
          .max(200)
          .optional()
          .describe('"250 EUR in USD", "100 USD to JPY, GBP on 2024-05-31".'),
        amount: z
          .union([z.string().max(40), z.number()])
          .default('1')
          .describe('Decimal number.'),
        from: z.string().max(3).optional().describe('ISO 4217: USD.'),
        to: z
          .union([z.string().max(200), z.array(z.string().max(3)).min(1).max(40)])
          .optional()
          .describe('One or several: "GBP", ["GBP", "JPY"].'),
        date: z.string().max(10).optional().describe('Day, YYYY-MM-DD. Default: today.'),
      },
      output: {},
      run: async ({ text, ...given }, call) => {
        const conversion = text === undefined ? conversionOfArguments(given) : parseConversion(text)
        return lean(await bodyOf(call(operationOf('forex_convert'), conversion)))
      },
    }),
    defineTool({
      name: 'screen',
      title: 'Check identifiers against sanctions lists',
      description:
        'Checks companies, securities, ships and wallets by exact identifiers against the loaded sanctions lists: 1 to 100 identifiers of any kinds.',
      input: {
        leis: identifiers('LEI codes (ISO 17442).'),
        isins: identifiers('ISINs (ISO 6166).'),
        imos: identifiers('IMO numbers of ships or companies.'),
        wallets: identifiers('Addresses of crypto wallets.'),
        registrations: z
          .array(z.object({ country: z.string().max(2), number: z.string().max(130) }))
          .max(100)
          .optional()
          .describe('Registration or tax numbers, each with its country (ISO 3166-1 alpha-2).'),
        on: z.string().max(10).optional().describe('Past day, YYYY-MM-DD. Default: now.'),
      },
      output: { caveat: z.string() },
      run: async (given, call) => ({
        caveat:
          'not_found is not an all-clear: no loaded list has this identifier, but lists name many subjects without one. Names are never compared. Tell this to your user.',
        ...lean(await bodyOf(call(operationOf('check_sanctions'), given))),
      }),
    }),
  ]
}

const identifiers = (description: string) =>
  z.array(z.string().max(130)).max(100).optional().describe(description)

const CONVERSION =
  /^(?:[a-z ]+ )?(?<amount>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?) ?(?<from>[a-z]{3}) (?:in|to|into) (?<to>[a-z]{3}(?:(?:, ?| and )[a-z]{3})*)(?: on (?<date>\d{4}-\d{2}-\d{2}))?\??$/i

/** The arguments of the conversion that a text asks for. Throws for a text of another form. */
function parseConversion(text: string): Json {
  const { amount, from, to, date } = CONVERSION.exec(text.replace(/\s+/g, ' ').trim())?.groups ?? {}
  if (amount === undefined || from === undefined || to === undefined)
    throw new OperationFailed(
      `text: must be an amount, a currency code, in or to, and other codes, such as "250 EUR in USD"; got ${shownText(text)}`,
    )
  return {
    amount: amount.replaceAll(',', ''),
    from: from.toUpperCase(),
    to: to.toUpperCase().split(/, ?| AND /),
    ...(date === undefined ? {} : { date }),
  }
}

function conversionOfArguments({
  amount,
  from,
  to,
  date,
}: {
  readonly amount: string | number
  readonly from?: string | undefined
  readonly to?: string | readonly string[] | undefined
  readonly date?: string | undefined
}): Json {
  if (from === undefined || to === undefined)
    throw new OperationFailed('from and to: are required without text, such as "250 EUR in USD"')
  return { amount: String(amount), from, to, ...(date === undefined ? {} : { date }) }
}

function defineTool<Input extends z.ZodRawShape>(options: {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Input
  readonly output: z.ZodRawShape
  /** Whether the result has fewer rows with a smaller limit. Default: no. */
  readonly hasLimit?: (given: z.output<z.ZodObject<Input>>) => boolean
  readonly run: (given: z.output<z.ZodObject<Input>>, call: CallOperation) => Promise<Json>
}): AgentTool {
  const { name, title, description } = options
  const input = z.strictObject(options.input)
  return {
    tool: {
      name,
      title,
      description,
      inputSchema: toJsonSchema(input, 'input'),
      outputSchema: toJsonSchema(z.looseObject(options.output), 'output'),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    run: async (given, call) => {
      const parsed = input.safeParse(given)
      if (!parsed.success) return errorResult(problemsText(parsed.error))
      const accepted = 'max_bytes' in parsed.data ? Number(parsed.data.max_bytes) : MAX_RESULT_BYTES
      try {
        const result = JSON.stringify(await options.run(parsed.data, call))
        return jsonResult(result, accepted, { hasLimit: options.hasLimit?.(parsed.data) ?? false })
      } catch (error) {
        if (error instanceof OperationFailed) return errorResult(error.message)
        throw error
      }
    },
  }
}

function toJsonSchema(schema: z.ZodObject, io: 'input' | 'output'): Tool['inputSchema'] {
  const { $schema: _dialect, ...members } = z.toJSONSchema(schema, { io })
  return { ...members, type: 'object' } as Tool['inputSchema'] // properties are objects: no shape here is a boolean schema
}

function problemsText({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => [...path.map(String), message].join(': ')).join('; ')
}

function summaryOf({ tool }: RouteTool): Json {
  const { properties = {}, required = [] } = tool.inputSchema
  const optional = Object.keys(properties).filter((name) => !required.includes(name))
  return { operation: tool.name, title: tool.title, description: tool.description, required, optional }
}

async function bodyOf(answer: RouteAnswer | Promise<RouteAnswer>): Promise<Json> {
  const settled = await answer
  if (settled.isError) throw new OperationFailed(settled.text)
  return parseBody(settled)
}

/** The body of a route. Only a missing path argument gives a text that is no JSON, and these tools check their arguments before. */
function parseBody({ text }: RouteAnswer): Json {
  return JSON.parse(text)
}

/** A body without the members of `meta` and `_meta` that are null, and without the translations of the disclaimer. */
function lean(body: Json): Json {
  const present = withoutNulls(body) ?? body
  const { meta } = present
  if (typeof meta !== 'object' || meta === null) return present
  const { disclaimer_translations: _translations, ...members } = meta as Json
  return { ...present, meta: members }
}
