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

/** An EVM chain that addresses are read on. */
export interface Chain {
  /** EIP-155. */
  readonly chainId: number
  readonly name: string
  /** What balances are in; 18 decimals on all of them. */
  readonly nativeCurrency: string
}

/** Of the known chains those that addresses are read on. */
const SERVED_SLUGS = ['ethereum', 'bsc', 'polygon', 'arbitrum', 'optimism', 'base'] as const

/** The chains that are served. */
export const CHAINS: readonly Chain[] = SERVED_SLUGS.flatMap((served) =>
  KNOWN_CHAINS.flatMap(({ slug, evmChainId, name, nativeSymbol }) =>
    slug === served && evmChainId !== null ? { chainId: evmChainId, name, nativeCurrency: nativeSymbol } : [],
  ),
)

/** Decimals of the native currency: 1 ETH is 10^18 wei. */
export const NATIVE_DECIMALS = 18

/** Above this the number of transactions is not given. */
export const MAX_SHOWN_TRANSACTIONS = 10_000

/** Provider id of what the nodes of chains say. */
export const CHAIN_SOURCE = 'evm'

/** An address on a chain. */
export interface AddressKey {
  readonly chainId: number
  readonly address: EvmAddress
}

/** What a chain says of an address at one block. */
export interface AddressState extends AddressKey {
  /** Whole number as text: up to 78 digits. */
  readonly balanceWei: string
  /** The nonce: transactions sent by an account, contracts made by a contract. */
  readonly transactionCount: number
  /** False for an account that delegates to a contract (EIP-7702). */
  readonly isContract: boolean
  /** The contract that an account delegates to; null: none. */
  readonly delegatedTo: EvmAddress | null
  readonly blockNumber: number
  /** Time of the block. */
  readonly observedAt: Date
}

/** Under which name the source code of a contract was published. */
export interface ContractName {
  /** Null: the source code is not published. */
  readonly name: string | null
  /** Provider that said so. */
  readonly source: string
}

/** As compilers and publishers write names; anything else is no name that is shown. */
const CONTRACT_NAME = /^[\w$][\w$.\- ]{0,127}$/

/** A name from outside; null where it is none. */
export function parseContractName(text: string): string | null {
  return CONTRACT_NAME.test(text) ? text : null
}

/** What was read of an address: its state and its name. */
export interface AddressReading extends AddressState {
  /** Null where it is no contract, or nobody could say. */
  readonly contractName: ContractName | null
}

/** A reading as it is kept: one per address and day. */
export interface AddressSnapshot extends AddressReading {
  /** The UTC day on which it was asked for. */
  readonly snapshotDate: IsoDate
  readonly fetchedAt: Date
  /** Provider of the state, or seed. */
  readonly source: string
}

/** Addresses of one question; nodes that are open to all refuse large batches. */
export const MAX_ADDRESSES = 20

/** Time that a caller waits for a chain at most, names of contracts included. */
export const CHAIN_BUDGET_MS = 6_000

/** Reads addresses at the nodes of their chain. */
export interface ChainReader {
  /** Ids of the chains that nodes are configured for. */
  readonly chainIds: ReadonlySet<number>
  /**
   * A reading of each address, all at one block; up to `MAX_ADDRESSES` different ones. Settles within `CHAIN_BUDGET_MS`;
   * throws ChainDown when no node gave a usable answer by then.
   */
  read(chainId: number, addresses: readonly EvmAddress[], now: Date): Promise<readonly AddressReading[]>
}

export const chainReaderPort = definePort<ChainReader>('chain-reader')

/** No node of a chain gave a usable answer. */
export class ChainDown extends Error {
  override readonly name = 'ChainDown'
  /** False: all nodes were left alone, since they failed repeatedly before. */
  readonly wasAsked: boolean

  constructor(message: string, { wasAsked }: { readonly wasAsked: boolean }) {
    super(message)
    this.wasAsked = wasAsked
  }
}

/** Advice to callers after a failure of all nodes: their circuits are open for as long. */
export const RETRY_AFTER_DOWN_S = 30

/** Advice to callers where an operator has to act first. */
export const RETRY_AFTER_UNCONFIGURED_S = 3_600

/** Advice to callers where too much is asked at once: a question takes about as long. */
export const RETRY_AFTER_BUSY_S = 2

/**
 * Questions to chains, and requests that wait for one, in a process: half of the places that requests have
 * (`Admission`), so that a silent chain leaves the others free. And of them for one account.
 */
export const MAX_WAITING = 16
export const MAX_WAITING_PER_ACCOUNT = 8

/** New addresses an account may ask of the chains per clock hour, answered or not; what is kept is not counted. */
export const ADDRESSES_PER_HOUR = 600

/** Snapshots of addresses without a label that are kept per day, by all callers together; further ones are answered and forgotten. */
export const KEPT_PER_DAY = 50_000

/** How long they are kept: at most some 1.5 GB with the figure above. Labelled addresses are kept for ever. */
export const SNAPSHOT_RETENTION_DAYS = 90

/** A snapshot that lacks the name of its contract is good for that long. */
export const UNNAMED_KEPT_MS = 600_000

/** Why there is no snapshot. Not the error itself: loaders and executors throw values that are errors. */
export interface Missing {
  readonly error: ApiError
}

/** Whether everything that there is to say of the address was found out. */
export function isComplete({ isContract, contractName }: AddressReading): boolean {
  return !isContract || contractName !== null
}
