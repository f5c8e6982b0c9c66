/** Consecutive failures that open the circuit of a host. */
const FAILURES_TO_OPEN = 5

/** How long the circuit stays open before one call may try again. */
const OPEN_MS = 30_000

interface Circuit {
  failures: number
  /** The cause of the first of these failures; null without a failure. */
  firstCause: string | null
  /** When it opened, by `nowMs`; null while closed. */
  openedAtMs: number | null
  isProbing: boolean
}

/** Permission for one call. Exactly one of the three functions must be called with the outcome. */
export interface Permit {
  succeed(): void
  fail(cause: string): void
  /** The call ended without information about the host, e.g. the caller cancelled it. */
  abandon(): void
}

/**
 * One circuit per name: closed at first, open for 30 s after 5 failures in a row, then one probe at a time decides
 * whether it closes or stays open for another 30 s.
 */
export class CircuitBreaker {
  readonly #circuits = new Map<string, Circuit>()
  readonly #nowMs: () => number

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** Null if the circuit is open or a probe is already running. */
  acquire(name: string): Permit | null {
    const circuit = this.#circuits.get(name) ?? {
      failures: 0,
      firstCause: null,
      openedAtMs: null,
      isProbing: false,
    }
    this.#circuits.set(name, circuit)
    const isProbe = circuit.openedAtMs !== null
    if (isProbe && (circuit.isProbing || this.remainingMs(name) > 0)) return null
    if (isProbe) circuit.isProbing = true
    return this.#passage(circuit, isProbe)
  }

  /** Milliseconds until an open circuit lets a probe through; 0 when it lets calls through. */
  remainingMs(name: string): number {
    const openedAtMs = this.#circuits.get(name)?.openedAtMs ?? null
    return openedAtMs === null ? 0 : Math.max(0, openedAtMs + OPEN_MS - this.#nowMs())
  }

  /** Why the circuit opened: the cause of the first failure. */
  firstCause(name: string): string {
    return this.#circuits.get(name)?.firstCause ?? 'unknown'
  }

  #passage(circuit: Circuit, isProbe: boolean): Permit {
    return {
      succeed: () => {
        circuit.failures = 0
        circuit.firstCause = null
        circuit.openedAtMs = null
        circuit.isProbing = false
      },
      fail: (cause) => {
        circuit.failures += 1
        circuit.firstCause ??= cause
        if (isProbe) circuit.isProbing = false
        if (isProbe || circuit.failures >= FAILURES_TO_OPEN) circuit.openedAtMs = this.#nowMs()
      },
      abandon: () => {
        if (isProbe) circuit.isProbing = false
      },
    }
  }
}
