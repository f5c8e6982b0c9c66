/** A name and a colour (ANSI) for each level of pino. */
const LEVELS: Readonly<Record<number, readonly [string, number]>> = {
  20: ['DEBUG', 90],
  30: ['INFO ', 32],
  40: ['WARN ', 33],
  50: ['ERROR', 31],
  60: ['FATAL', 31],
}
const GREY = 90
const PLAIN = 0

/** Members that are shown at the beginning of a line. */
const SHOWN = new Set(['level', 'time', 'msg', 'err'])

/** Formats a JSON log line for people: time of day, level, message, members, and below it the stack of an error. */
export function logText({ isColoured }: { readonly isColoured: boolean }): (line: string) => string {
  const paint = (text: string, colour: number) =>
    isColoured && colour !== PLAIN ? `\u001b[${colour}m${text}\u001b[0m` : text
  return (line) => {
    const record = JSON.parse(line) as Readonly<Record<string, unknown>> // a line of our own logger is an object
    const [level, colour] = LEVELS[Number(record.level)] ?? [String(record.level), PLAIN]
    const members = Object.entries(record).filter(([name]) => !SHOWN.has(name))
    const words = [
      paint(timeOfDay(record.time), GREY),
      paint(level, colour),
      ...(typeof record.msg === 'string' ? [printable(record.msg)] : []),
      ...members.map(([name, value]) => paint(`${name}=${valueText(value)}`, GREY)),
    ]
    return `${words.join(' ')}\n${stackText(record.err)}`
  }
}

/** In the time zone of this machine. */
function timeOfDay(time: unknown): string {
  const at = new Date(String(time))
  const two = (figure: number) => String(figure).padStart(2, '0')
  const clock = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')
  return `${clock}.${String(at.getMilliseconds()).padStart(3, '0')}`
}

function valueText(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=\p{Cc}]+$/u.test(value)
    ? value
    : printable(JSON.stringify(value))
}

/** pino writes an error as its type, message and stack. */
function stackText(error: unknown): string {
  if (typeof error !== 'object' || error === null) return ''
  const { stack, message } = error as { readonly stack?: unknown; readonly message?: unknown }
  const text = typeof stack === 'string' ? stack : String(message)
  return `${text
    .split('\n')
    .map((line) => `    ${printable(line)}`)
    .join('\n')}\n`
}

/** Removes control characters: outside text must not control the terminal. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
