import { type Lei, parseLei } from '../../../core/identifiers.js'

/** A synthetic legal entity. */
export interface SeedEntity {
  readonly number: number
  readonly lei: Lei
  readonly name: string
}

const ENTITIES = 300

/** No LEI issuer has the prefix DEVX. */
const PREFIX = 'DEVX00'

/** Three hundred entities with LEIs whose check digits are right. */
export const SEED_ENTITIES: readonly SeedEntity[] = Array.from({ length: ENTITIES }, (_, number) => {
  const stem = `${PREFIX}${String(number + 1).padStart(12, '0')}`
  return {
    number,
    lei: withCheckDigits(stem),
    name: `Made-up Entity ${String(number + 1).padStart(3, '0')} Ltd`,
  }
})

/** ISO/IEC 7064 MOD 97-10: the two digits that give the remainder 1. */
function withCheckDigits(stem: string): Lei {
  const digits = Array.from(`${stem}00`, (character) => Number.parseInt(character, 36)).join('')
  const check = 98n - (BigInt(digits) % 97n)
  const lei = parseLei(`${stem}${String(check).padStart(2, '0')}`)
  if (lei === null) throw new Error(`${stem} does not give an LEI`)
  return lei
}
