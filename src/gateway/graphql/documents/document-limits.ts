import { specifiedRules, type ValidationRule, validate } from 'graphql'
import { ApiError } from '../../../core/errors.js'
import type { GatewayPlugin, IsAnonymous } from '../operation-context.js'
import { DOCUMENT_RULES } from './document-rules.js'
import { MAX_ERRORS, parseDocument } from './read-document.js'

/** The introspection query of GraphiQL has 2,000 characters; longer documents need a key. */
const MAX_ANONYMOUS_CHARS = 8 * 1024

const RULES_OF_GRAPHQL: ReadonlySet<unknown> = new Set(specifiedRules)

/** Limits the text, tokens and repetitions of a document when it is parsed, and its depth and aliases when it is validated. */
export function useDocumentLimits(isAnonymous: IsAnonymous): GatewayPlugin {
  return {
    onParse: ({ params: { source }, context, setParseFn }) => {
      if (isAnonymous(context) && String(source).length > MAX_ANONYMOUS_CHARS) {
        const message = `Without a key an operation may have at most ${MAX_ANONYMOUS_CHARS} characters. Shorten it or send a key.`
        throw new ApiError('payload_too_large', { message })
      }
      setParseFn((text: unknown) => parseDocument(String(text)))
    },
    onValidate: ({ setValidationFn }) => {
      setValidationFn((schema, document, rules: readonly ValidationRule[] = []) => {
        // The gateway's rules replace those of graphql; rules of other plugins stay.
        const others = rules.filter((rule) => !RULES_OF_GRAPHQL.has(rule))
        return validate(schema, document, [...DOCUMENT_RULES, ...others], { maxErrors: MAX_ERRORS })
      })
    },
  }
}
