import {
  distinctIdentifiers,
  type IdentifierKind,
  type ListIdentifier,
  parseIdentifier,
} from '../../../domains/screening/identifiers-model.js'
import type { ListBody, SubjectRow } from '../../../domains/screening/model.js'
import { quoted } from '../../feed.js'
import { toCountryCode } from '../countries/country-names.js'

/** A number as a list writes it. */
export interface WrittenIdentifier {
  readonly kind: IdentifierKind
  readonly text: string
  /** What the list calls it. */
  readonly label: string
  /** The same for a reason, if it is another text. */
  readonly name?: string
  /** Name of the country that issued it; null without one. */
  readonly countryName?: string | null
}

/** The identifier, or none with the reason in `refused`. A country that is not known is left out, with its reason. */
export function readListedIdentifier(
  { kind, text, label, name = label, countryName = null }: WrittenIdentifier,
  refused: string[],
): readonly ListIdentifier[] {
  const country = toCountryCode(countryName)
  const identifier = parseIdentifier(kind, text, country)
  if ('problem' in identifier) {
    refused.push(`the ${name} ${quoted(text)} ${identifier.problem}`)
    return []
  }
  if (countryName !== null && country === null)
    refused.push(
      `the ${name} ${quoted(text)} is stored without its country, because ${quoted(countryName)} is not a known one`,
    )
  return [{ ...identifier, label }]
}

/** A subject that a list without sections sanctions by naming it. */
export function toListedSubject(
  body: ListBody,
  {
    subjectId,
    identifiers,
    name,
    programs,
    listedOn,
  }: Pick<SubjectRow, 'subjectId' | 'identifiers' | 'name' | 'programs' | 'listedOn'>,
): SubjectRow {
  return {
    kind: 'subject',
    body,
    section: '',
    subjectId,
    identifiers: distinctIdentifiers(identifiers),
    name,
    isListed: true,
    lists: [body.list],
    programs,
    listedOn,
    referents: [],
    observedAt: null,
  }
}
