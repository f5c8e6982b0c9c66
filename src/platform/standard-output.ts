import sonicBoom from 'sonic-boom'

/** Bytes that may wait until standard output is read; further text is lost. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024

/** How long the process waits at its end for the rest to be read. */
const LAST_WRITE_MS = 1_000

export interface StandardOutput {
  /** Never waits for the reader. Text is lost when too much is unread or the reader is gone. */
  write(text: string): void
  /** Writes waiting text, as far as it is read within a second; for the end of the process. */
  end(): void
}

export interface StandardOutputOptions {
  /** Called once the rest is read, with how many lines were lost before. */
  readonly onLost: (lines: number) => void
  readonly maxUnreadBytes?: number
}

/** Standard output whose reader may stop or disappear without filling the memory or blocking the process. */
export function openStandardOutput({
  onLost,
  maxUnreadBytes = MAX_UNREAD_BYTES,
}: StandardOutputOptions): StandardOutput {
  let triesUntilMs = Number.POSITIVE_INFINITY
  let isBroken = false
  let lostLines = 0
  const output = new sonicBoom.SonicBoom({
    fd: process.stdout.fd, // reading this property makes a pipe non-blocking
    sync: false,
    maxLength: maxUnreadBytes,
    retryEAGAIN: () => performance.now() < triesUntilMs,
  })
  // There is nowhere to report this. After a full disk writing may work again; without a reader it never will.
  output.on('error', ({ code }: NodeJS.ErrnoException) => {
    isBroken = code === 'EPIPE'
  })
  output.on('drop', (text: string) => {
    lostLines += linesIn(text)
  })
  output.on('drain', () => {
    if (lostLines === 0) return
    const lines = lostLines
    lostLines = 0
    onLost(lines)
  })
  return {
    write: (text) => {
      if (!isBroken) output.write(text)
    },
    end: () => {
      if (isBroken) return
      triesUntilMs = performance.now() + LAST_WRITE_MS
      try {
        output.flushSync()
      } catch {
        // The reader has stopped or is gone, or the disk is full.
      }
    },
  }
}

function linesIn(text: string): number {
  return text.split('\n').length - 1
}
