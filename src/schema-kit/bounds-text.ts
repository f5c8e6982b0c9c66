import { type GraphQLArgument, type GraphQLField, getNullableType, isListType } from 'graphql'
import { hintsOf } from './endpoint.js'

/** Writes the bounds and the computed default of an argument as sentences; '' if its description already says them. */
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

/** The sentence about a default that is computed per request. */
export function defaultSentence(defaultText: string): string {
  return `Default: ${defaultText}.`
}

/** Adds the bounds of each argument's hints to its description. */
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

/** Whether the text contains the value as a whole word. */
function says(description: string, value: number | string): boolean {
  return ` ${description} `.split(/[^\w]+/).includes(String(value))
}
