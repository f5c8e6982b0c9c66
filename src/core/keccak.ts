const LANES = 25
const ROUNDS = 24
const RATE_BYTES = 136
const MASK = (1n << 64n) - 1n

/** FIPS 202, 3.2.2: rotations of the lanes in the order in which pi takes them, and where pi puts each. */
const ROTATIONS = [1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44]
const PLACES = [10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1]

const ROUND_CONSTANTS = roundConstants()

/**
 * Keccak-256 of a text in UTF-8, as hexadecimal: the hash of Ethereum, which is not SHA3-256 (other padding), so that
 * node:crypto has none. For short texts: it is not fast.
 */
export function keccak256Hex(text: string): string {
  const message = new TextEncoder().encode(text)
  const blocks = Math.floor(message.length / RATE_BYTES) + 1
  const padded = new Uint8Array(blocks * RATE_BYTES)
  padded.set(message)
  padded[message.length] = 0x01
  padded[padded.length - 1] = (padded[padded.length - 1] ?? 0) | 0x80
  const view = new DataView(padded.buffer)
  const state = new BigUint64Array(LANES)
  for (let start = 0; start < padded.length; start += RATE_BYTES) {
    for (let lane = 0; lane < RATE_BYTES / 8; lane++) {
      state[lane] = at(state, lane) ^ view.getBigUint64(start + lane * 8, true)
    }
    permute(state)
  }
  return Buffer.from(state.buffer, 0, 32).toString('hex')
}

function permute(state: BigUint64Array): void {
  for (const constant of ROUND_CONSTANTS) {
    theta(state)
    rhoAndPi(state)
    chi(state)
    state[0] = at(state, 0) ^ constant
  }
}

function theta(state: BigUint64Array): void {
  const columns = [0, 1, 2, 3, 4].map((x) =>
    [0, 5, 10, 15, 20].reduce((sum, row) => sum ^ at(state, row + x), 0n),
  )
  for (let lane = 0; lane < LANES; lane++) {
    const left = columns[(lane + 4) % 5] ?? 0n
    const right = columns[(lane + 1) % 5] ?? 0n
    state[lane] = at(state, lane) ^ left ^ rotated(right, 1)
  }
}

function rhoAndPi(state: BigUint64Array): void {
  let moved = at(state, 1)
  for (const [step, place] of PLACES.entries()) {
    const replaced = at(state, place)
    state[place] = rotated(moved, ROTATIONS[step] ?? 0)
    moved = replaced
  }
}

function chi(state: BigUint64Array): void {
  for (let row = 0; row < LANES; row += 5) {
    const lanes = state.slice(row, row + 5)
    for (let x = 0; x < 5; x++) {
      state[row + x] = at(lanes, x) ^ (~at(lanes, (x + 1) % 5) & at(lanes, (x + 2) % 5))
    }
  }
}

function at(lanes: BigUint64Array, index: number): bigint {
  return lanes[index] ?? 0n
}

function rotated(lane: bigint, by: number): bigint {
  return ((lane << BigInt(by)) | (lane >> BigInt(64 - by))) & MASK
}

/** FIPS 202, 3.2.5: bit 2^j - 1 of each constant comes from a linear feedback shift register. */
function roundConstants(): readonly bigint[] {
  let register = 1
  return Array.from({ length: ROUNDS }, () => {
    let constant = 0n
    for (let j = 0; j <= 6; j++) {
      if ((register & 1) === 1) constant |= 1n << ((1n << BigInt(j)) - 1n)
      register = (register << 1) ^ ((register >> 7) * 0x171)
    }
    return constant
  })
}
