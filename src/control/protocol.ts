import { join } from 'node:path'
import { z } from 'zod'

/** Increased when a message changes its meaning. A command and a gateway with different versions report that and stop. */
export const PROTOCOL = 1

/** The commands that a running gateway does for another process. */
export const COMMAND_NAMES = ['ingest', 'analyse', 'key', 'admin', 'verify', 'release'] as const

export type CommandName = (typeof COMMAND_NAMES)[number]

/** A request has some arguments and paths; no line from a command is longer. */
export const MAX_REQUEST_BYTES = 256 * 1024

/** Text is sent in pieces of at most so many characters. */
export const MAX_PIECE_LENGTH = 64 * 1024

/** No line from a gateway is longer: a piece of text whose characters are all written as escapes. */
export const MAX_REPLY_BYTES = 8 * MAX_PIECE_LENGTH

const text = z.string().max(8_192)

/** The first line that a command sends. */
export const CommandRequest = z.strictObject({
  protocol: z.literal(PROTOCOL, `must be ${PROTOCOL}: use the command of the gateway's own version`),
  command: z.enum(COMMAND_NAMES),
  args: z.array(text).max(1_000),
  /** The directory to which paths in `args` are relative. */
  directory: text,
  /** Whether progress is shown. */
  isTerminal: z.boolean(),
})

export type CommandRequest = z.infer<typeof CommandRequest>

/** Any further line: stop the running command. */
export const Abort = z.strictObject({ abort: z.literal(true) })

/** A line from the gateway: text for an output, the exit code, or the reason of a refusal. */
export const ControlReply = z.union([
  z.strictObject({ out: z.string() }),
  z.strictObject({ err: z.string() }),
  z.strictObject({ exit: z.int().min(0).max(255) }),
  z.strictObject({ refused: z.string() }),
])

export type ControlReply = z.infer<typeof ControlReply>

export function encodeLine(message: CommandRequest | z.infer<typeof Abort> | ControlReply): string {
  return `${JSON.stringify(message)}\n`
}

/** Paths of sockets are cut at this length by the systems that have the least (macOS: 104 bytes with the end mark). */
const MAX_PATH_BYTES = 103

/** The socket of the gateway that holds this embedded directory; null if the path is too long for a socket. */
export function toControlPath(dataDir: string): string | null {
  const path = join(dataDir, 'control.sock')
  return Buffer.byteLength(path) > MAX_PATH_BYTES ? null : path
}
