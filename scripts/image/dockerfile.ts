/** One instruction of a Dockerfile, with its lines joined. */
export interface Instruction {
  readonly name: string
  readonly text: string
  /** Words of the text, or of its JSON form. */
  readonly words: readonly string[]
}

/** The instructions of one stage, after its FROM. */
export interface Stage {
  /** Null for the last stage, which is the image. */
  readonly name: string | null
  readonly instructions: readonly Instruction[]
}

/** Parses the stages. Throws for an instruction before the first FROM. */
export function parseStages(dockerfile: string): readonly Stage[] {
  const stages: { name: string | null; instructions: Instruction[] }[] = []
  for (const instruction of readInstructions(dockerfile)) {
    if (instruction.name === 'FROM') {
      stages.push({ name: / AS (\S+)$/i.exec(instruction.text)?.[1] ?? null, instructions: [] })
      continue
    }
    const stage = stages.at(-1)
    if (stage === undefined) throw new Error(`${instruction.name} before the first FROM`)
    stage.instructions.push(instruction)
  }
  return stages
}

function readInstructions(dockerfile: string): readonly Instruction[] {
  const lines = dockerfile.split('\n').filter((line) => !line.startsWith('#'))
  const joined = lines
    .join('\n')
    .replace(/\\\n\s*/g, '')
    .split('\n')
  return joined.flatMap((line) => {
    const [, name, text] = /^([A-Z]+)\s+(.*)$/.exec(line.trim()) ?? []
    return name === undefined || text === undefined ? [] : [{ name, text, words: wordsOf(text) }]
  })
}

function wordsOf(text: string): readonly string[] {
  return text.startsWith('[') ? (JSON.parse(text) as string[]) : text.split(/\s+/) // Docker's JSON form is of strings
}
