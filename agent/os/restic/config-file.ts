import { createHash } from 'node:crypto'
import type { Random } from '#agent/host/ports.ts'
import { type CipherKeys, sealed } from './cipher.ts'

const VERSION = 2
const DEGREE = 53n
const SEED = 64

/** The file `config` of a new repository, as `restic init` makes it for the key that it stored before. */
export function configFor(keys: CipherKeys, random: Pick<Random, 'text'>): Buffer {
  const bytes = bytesOf(random.text(SEED))
  const config = {
    version: VERSION,
    id: bytes(32).toString('hex'),
    chunker_polynomial: polynomialOf(() => BigInt(`0x${bytes(8).toString('hex')}`)).toString(16),
  }
  return sealed(keys, bytes(16), Buffer.from(JSON.stringify(config)))
}

/** Other ones at each call. */
function bytesOf(seed: string): (length: number) => Buffer {
  let count = 0
  return (outputLength) => {
    count += 1
    return createHash('shake256', { outputLength }).update(`${count} ${seed}`).digest()
  }
}

/** restic splits files at the remainders of an irreducible polynomial, which is secret. */
function polynomialOf(random: () => bigint): bigint {
  for (;;) {
    const candidate = BigInt.asUintN(Number(DEGREE), random()) | (1n << DEGREE) | 1n
    if (isIrreducible(candidate)) return candidate
  }
}

/** Rabin's test over GF(2), for a degree that is prime: `x` is its own 2^53th power, and 1 no root. */
export function isIrreducible(polynomial: bigint): boolean {
  if (polynomial.toString(2).replaceAll('0', '').length % 2 === 0) return false
  let power = 2n
  for (let count = 0n; count < DEGREE; count += 1n) power = squareOf(power, polynomial)
  return power === 2n
}

function squareOf(number: bigint, polynomial: bigint): bigint {
  let [product, shifted] = [0n, number]
  for (let rest = number; rest > 0n; rest >>= 1n) {
    if (rest & 1n) product ^= shifted
    shifted <<= 1n
    if (shifted >> DEGREE) shifted ^= polynomial
  }
  return product
}
