import { invalid, notFound } from '../../core/errors.js'
import { findDataPath } from '../../core/operation-names.js'
import type { CompatRequest, TranslatedCall } from './compat-interface.js'

/** The call of the operation in the path. Its arguments are the parameters of the query. */
export function toOperationCall({
  path,
  query,
}: Pick<CompatRequest, 'path' | 'query'>): Pick<TranslatedCall, 'operation' | 'args'> {
  const operation = path.operation ?? ''
  const route = findDataPath(operation)
  if (route === null)
    throw notFound(`No operation ${operation.slice(0, 64)} is read by GET. /v1/operations lists them.`)
  const args = Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const [first = '', ...others] = query.getAll(name)
      return [name, others.length === 0 ? first : [first, ...others]]
    }),
  )
  for (const [, name = ''] of route.matchAll(/\{(\w+)\}/g))
    if (!query.get(name)) throw invalid({ field: name, message: 'is required' })
  return { operation, args }
}
