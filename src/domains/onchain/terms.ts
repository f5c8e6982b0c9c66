import { licencePort } from '../../platform/request/commercial-use.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import type { AddressSnapshot } from './model.js'

/** Part of every snapshot. The English text is binding. */
export const ONCHAIN_DISCLAIMER =
  'For information only, not financial advice. The state of one block, read from a node of the chain; labels and contract names are no statement about who controls an address.'

export const ONCHAIN_DISCLAIMER_FR =
  'Traduction non officielle : à titre d’information uniquement, ceci n’est pas un conseil financier. État d’un seul bloc, lu auprès d’un nœud de la chaîne ; les libellés et noms de contrats ne disent rien de qui contrôle une adresse.'

/** The providers of the state and of the contract's name. */
export function sourcesOfSnapshot({ source, contractName }: AddressSnapshot): readonly string[] {
  return [...new Set([source, ...(contractName === null ? [] : [contractName.source])])]
}

/** Terms of use of a snapshot: those of its providers. */
export function licenceOfSnapshot(snapshot: AddressSnapshot, { ports }: RequestContext): string {
  const licence = ports.get(licencePort)
  return sourcesOfSnapshot(snapshot)
    .map((source) => licence(source) ?? `${source}: not known`)
    .join('; ')
}
