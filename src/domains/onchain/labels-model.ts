import { evmAddress } from '../../core/identifiers.js'
import LABELS from './labels.json' with { type: 'json' }
import { type AddressKey, CHAINS } from './model.js'

/** An address of the catalogue. */
export interface LabelledAddress extends AddressKey {
  readonly label: string
}

/**
 * The catalogue, sorted by chain. Addresses are published by their projects and written in EIP-55 form, which a test checks;
 * uncertain ones are not listed. A label without a chain is the same on every chain: conventional addresses, and contracts whose
 * address does not depend on the chain.
 */
export const LABELLED_ADDRESSES: readonly LabelledAddress[] = CHAINS.flatMap(({ chainId }) =>
  LABELS.filter((label) => label.chainId === chainId || label.chainId === null).map(({ address, label }) => ({
    chainId,
    address: evmAddress(address),
    label,
  })),
)

const BY_KEY: ReadonlyMap<string, string> = new Map(
  LABELLED_ADDRESSES.map(({ chainId, address, label }) => [`${chainId} ${address}`, label]),
)

/** The label of an address, or null if it is not in the catalogue. */
export function addressLabel({ chainId, address }: AddressKey): string | null {
  return BY_KEY.get(`${chainId} ${address}`) ?? null
}
