import { randomInt } from 'node:crypto'
import type { Random } from '#agent/kernel/host/ports.ts'

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const DIGITS = '0123456789'

export const random: Random = {
  text: (length) => pick(LOWER + LOWER.toUpperCase() + DIGITS, length),
  name: (length) => pick(LOWER, 1) + pick(LOWER + DIGITS, length - 1),
  integer: (below) => randomInt(below),
}

function pick(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
}
