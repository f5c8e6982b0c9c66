import { invalid, notFound } from '../../../core/errors.js'
import { isObject } from '../../../core/is-object.js'
import type { CompatBody, CompatInterface, CompatRequest, TranslatedCall } from '../compat-interface.js'
import { toOperationCall } from '../operation-call.js'

const TEXT_TYPE = 'text/plain; charset=utf-8'

/** One value of an operation's answer as text, for cells of spreadsheets and for shells. */
export const CELL: CompatInterface = {
  title: 'Cells',
  summary: 'One value as text, for WEBSERVICE, IMPORTDATA and shells.',
  routes: [
    {
      path: '/{operation}/{member}',
      translate: (request) => ({ ...toOperationCall(request), ...readMember(request) }),
    },
    {
      path: '/{operation}/{member}/age',
      translate: (request) => ({ ...toOperationCall(request), toBody: toAge, isVolatile: true }),
    },
  ],
  toError: ({ error, message }) => ({ status: error.status, ...textBody(message) }),
  uses: [
    {
      client: 'Excel and LibreOffice',
      text: '=VALUE(WEBSERVICE("{base}/forex/data.last.rate?quote=USD&token={key}"))',
    },
    { client: 'Google Sheets', text: '=IMPORTDATA("{base}/forex/data.last.rate?quote=USD&token={key}")' },
    { client: 'Shell', text: "curl -s '{base}/asset/data.price_consensus_usd?id=bitcoin&token={key}'" },
  ],
}

function textBody(text: string): CompatBody {
  return { type: TEXT_TYPE, text }
}

function readMember({ path }: CompatRequest): Pick<TranslatedCall, 'toBody'> {
  const names = (path.member ?? '').split('.')
  return { toBody: (answer) => textBody(textAt(answer, names)) }
}

/** The text of the value at a path. `first` and `last` name elements of a list, and so does a number from 0. */
function textAt(answer: unknown, names: readonly string[]): string {
  let value = answer
  for (const [at, name] of names.entries()) {
    const next = memberOf(value, name)
    if (next === undefined)
      throw notFound(`${names.slice(0, at + 1).join('.')} does not exist${membersText(value)}.`)
    value = next
  }
  const shown = names.join('.')
  if (value === null) throw notFound(`${shown} is null: the answer has no value there.`)
  if (typeof value === 'object')
    throw invalid({ field: shown, message: `is not one value${membersText(value)}` })
  return String(value)
}

function memberOf(value: unknown, name: string): unknown {
  if (Array.isArray(value)) {
    if (name === 'last') return value.at(-1)
    return /^\d{1,6}$/.test(name) ? value[Number(name)] : name === 'first' ? value[0] : undefined
  }
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

function membersText(value: unknown): string {
  if (Array.isArray(value))
    return value.length === 0
      ? '; the list is empty'
      : `; name an element: first, last, or 0 to ${value.length - 1}`
  return isObject(value) ? `; its members are ${Object.keys(value).join(', ')}` : ''
}

/** Seconds since the newest data of the answer were published or observed. */
function toAge(answer: unknown): CompatBody {
  const age = memberOf(memberOf(answer, '_meta'), 'data_freshness_seconds')
  if (typeof age !== 'number') throw notFound('The answer has no age.')
  return textBody(String(age))
}
