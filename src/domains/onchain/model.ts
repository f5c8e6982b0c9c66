import { type Registered, registerDatasets } from '../../core/datasets.js'
import type { ApiError } from '../../core/errors.js'
import type { EvmAddress } from '../../core/identifiers.js'
import type { IsoDate } from '../../core/time.js'
import { definePort } from '../../platform/request/ports.js'
import { KNOWN_CHAINS } from './known-chains-model.js'

const DATASETS = registerDatasets({ onchain: 'onchain' })

declare module '../../core/datasets.js' {
  interface Datasets extends Registered<typeof DATASETS> {}
}

/** An EVM chain on which addresses are read. */
export interface Chain {
  /** EIP-155 chain id. */
  readonly chainId: number
  readonly name: string
  /** The currency of balances. It has 18 decimals on all served chains. */
  readonly nativeCurrency: string
}

/** The known chains on which addresses are read. */
const SERVED_SLUGS = ['ethereum', 'bsc', 'polygon', 'arbitrum', 'optimism', 'base'] as const

export const CHAINS: readonly Chain[] = SERVED_SLUGS.flatMap((served) =>
  KNOWN_CHAINS.flatMap(({ slug, evmChainId, name, nativeSymbol }) =>
    slug === served && evmChainId !== null ? { chainId: evmChainId, name, nativeCurrency: nativeSymbol } : [],
  ),
)

/** Decimals of the native currency: 1 ETH is 10^18 wei. */
export const NATIVE_DECIMALS = 18

/** A higher number of transactions is served as null. From the API contract. */
export const MAX_SHOWN_TRANSACTIONS = 10_000

/** Provider id of data from the nodes of a chain. */
export const CHAIN_SOURCE = 'evm'

/** An address on a chain. */
export interface AddressKey {
  readonly chainId: number
  readonly address: EvmAddress
}

/** The state of an address at one block. */
export interface AddressState extends AddressKey {
  /** Whole number as text: up to 78 digits. */
  readonly balanceWei: string
  /** The nonce: transactions sent by an account, or contracts created by a contract. */
  readonly transactionCount: number
  /** False for an account that delegates to a contract (EIP-7702). */
  readonly isContract: boolean
  /** The contract that an account delegates to, or null. */
  readonly delegatedTo: EvmAddress | null
  readonly blockNumber: number
  /** Time of the block. */
  readonly observedAt: Date
}

/** The name under which the source code of a contract was published. */
export interface ContractName {
  /** Null if the source code is not published. */
  readonly name: string | null
  /** Provider of this information. */
  readonly source: string
}

/** The form in which compilers and publishers write names. Other texts are not shown. */
const CONTRACT_NAME = /^[\w$][\w$.\- ]{0,127}$/

/** Checks a name from outside. Null if it is malformed. */
export function parseContractName(text: string): string | null {
  return CONTRACT_NAME.test(text) ? text : null
}

/** The state of an address with the name of its contract. */
export interface AddressReading extends AddressState {
  /** Null if the address is not a contract, or if no provider answered. */
  readonly contractName: ContractName | null
}

/** A stored reading, one per address and day. */
export interface AddressSnapshot extends AddressReading {
  /** The UTC day of the request. */
  readonly snapshotDate: IsoDate
  readonly fetchedAt: Date
  /** Provider of the state, or `seed` for a synthetic one. */
  readonly source: string
}

/** Maximum of addresses per read. Public nodes reject large batches. */
export const MAX_ADDRESSES = 20

/** Maximum time that a request waits for a chain, including the names of contracts. */
export const CHAIN_BUDGET_MS = 6_000

/** Reads addresses from the nodes of their chain. */
export interface ChainReader {
  /** Ids of the chains with configured nodes. */
  readonly chainIds: ReadonlySet<number>
  /**
   * Reads up to `MAX_ADDRESSES` distinct addresses, all at one block. Settles within `CHAIN_BUDGET_MS`. Throws ChainDown if no
   * node gave a usable answer by then.
   */
  read(chainId: number, addresses: readonly EvmAddress[], now: Date): Promise<readonly AddressReading[]>
}

export const chainReaderPort = definePort<ChainReader>('chain-reader')

/** No node of a chain gave a usable answer. */
export class ChainDown extends Error {
  override readonly name = 'ChainDown'
  /** False if no request was sent because all nodes had failed repeatedly before. */
  readonly wasAsked: boolean

  constructor(message: string, { wasAsked }: { readonly wasAsked: boolean }) {
    super(message)
    this.wasAsked = wasAsked
  }
}

/** Retry delay for callers after all nodes failed. Their circuits stay open this long. */
export const RETRY_AFTER_DOWN_S = 30

/** Retry delay for callers if an operator has to act first. */
export const RETRY_AFTER_UNCONFIGURED_S = 3_600

/** Retry delay for callers if too many reads run at once. A read takes about this long. */
export const RETRY_AFTER_BUSY_S = 2

/**
 * Maximum of requests per process that wait for a chain, in total and per account. The total is half of the permits of
 * `Admission`, so that a silent chain does not block other requests.
 */
export const MAX_WAITING = 16
export const MAX_WAITING_PER_ACCOUNT = 8

/** Maximum of new addresses per account and clock hour that are read from the chains, answered or not. Stored ones do not count. */
export const ADDRESSES_PER_HOUR = 600

/** Maximum of stored snapshots of addresses without a label per day, for all callers together. Further ones are served but not stored. */
export const KEPT_PER_DAY = 50_000

/** Retention of snapshots without a label: at most about 1.5 GB with the limit above. Labelled addresses are kept forever. */
export const SNAPSHOT_RETENTION_DAYS = 90

/** A snapshot without the name of its contract is used this long before the chain is read again. */
export const UNNAMED_KEPT_MS = 600_000

/** The reason why a snapshot is missing. It wraps the error because loaders and executors throw values that are errors. */
export interface Missing {
  readonly error: ApiError
}

/** Whether a reading has everything, including the name of a contract. */
export function isComplete({ isContract, contractName }: AddressReading): boolean {
  return !isContract || contractName !== null
}
