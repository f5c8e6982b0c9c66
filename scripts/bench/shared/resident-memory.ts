import { readFileSync } from 'node:fs'

const SAMPLE_MS = 100

/** Resident memory of a process in bytes; null if it has ended or without /proc. */
export function residentBytes(pid: number): number | null {
  try {
    const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kibibytes === undefined ? null : Number(kibibytes) * 1024
  } catch {
    return null
  }
}

/** Samples the resident memory of a process until the sampler is stopped. */
export class MemorySampler {
  readonly #pid: number
  readonly #timer: NodeJS.Timeout
  #peak = 0

  constructor(pid: number) {
    this.#pid = pid
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS)
  }

  /** The highest sample, bytes. */
  stop(): number {
    clearInterval(this.#timer)
    this.#sample()
    return this.#peak
  }

  #sample(): void {
    this.#peak = Math.max(this.#peak, residentBytes(this.#pid) ?? 0)
  }
}
