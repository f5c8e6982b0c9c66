import { type GraphQLArgument, type GraphQLField, getNullableType, isListType } from 'graphql'
import { hintsOf } from './endpoint.js'

/** Bounds and the computed default of an argument as sentences; empty where its description or type says them all. */
export function boundsText(argument: GraphQLArgument): string {
  const { maxLength, defaultText } = hintsOf(argument)
  const isList = isListType(getNullableType(argument.type))
  const description = argument.description ?? ''
  const sentences = [
    rangeText(argument, isList),
    maxLength !== undefined && !says(description, maxLength)
      ? `${isList ? 'Each at' : 'At'} most ${maxLength} characters.`
      : null,
    defaultText === undefined ? null : defaultSentence(defaultText),
  ]
  return sentences.filter((sentence) => sentence !== null).join(' ')
}

/** A default that is computed when asked. */
export function defaultSentence(defaultText: string): string {
  return `Default: ${defaultText}.`
}

/** Adds to the description of each argument what only its hints say. */
export function describeBounds({ args }: GraphQLField<unknown, unknown>): void {
  for (const argument of args) {
    argument.description = [argument.description, boundsText(argument)].filter(Boolean).join(' ')
  }
}

function rangeText(argument: GraphQLArgument, isList: boolean): string | null {
  const { minimum, maximum } = hintsOf(argument)
  const bounds = [minimum, maximum].filter((bound) => bound !== undefined)
  if (bounds.every((bound) => says(argument.description ?? '', bound))) return null
  const things = isList ? ' values' : ''
  if (minimum === undefined) return `At most ${maximum}${things}.`
  return maximum === undefined ? `At least ${minimum}${things}.` : `From ${minimum} to ${maximum}${things}.`
}

/** Whether the text has the value as a word of its own. */
function says(description: string, value: number | string): boolean {
  return ` ${description} `.split(/[^\w]+/).includes(String(value))
}
