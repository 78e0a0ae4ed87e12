/** Words of a version in their order; `#` stands for a number. Any other word comes before all. */
const ORDER: readonly [string, number][] = [
  ['dev', 0],
  ['alpha', 1],
  ['a', 1],
  ['beta', 2],
  ['b', 2],
  ['RC', 3],
  ['rc', 3],
  ['#', 4],
  ['pl', 5],
  ['p', 5],
]

/**
 * Below 0, 0 or above 0, like PHP's version_compare(), with which WordPress compares versions.
 * Source: php-src ext/standard/versioning.c.
 */
export function compareVersions(one: string, other: string): number {
  if (one === '' || other === '') return Math.sign(one.length - other.length)
  const [left, right] = [partsOf(one), partsOf(other)]
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const order = compareParts(left[index] ?? '', right[index] ?? '')
    if (order !== 0) return order
  }
  return compareRest(left, right)
}

/** `1.0rc1` is 1, 0, rc, 1: split at separators and between digits and letters. */
function partsOf(version: string): string[] {
  return version
    .slice(0, 255)
    .replace(/[^\p{ASCII}]/gu, '.')
    .replace(/(\d)(?=[a-z])|([a-z])(?=\d)/gi, '$1$2.')
    .split(/[^a-z0-9]+/i)
    .filter((part) => part !== '')
}

function compareParts(one: string, other: string): number {
  const [isNumber, isOther] = [/^\d/.test(one), /^\d/.test(other)]
  if (isNumber && isOther) return Math.sign(Number(one) - Number(other))
  return Math.sign(rank(isNumber ? '#' : one) - rank(isOther ? '#' : other))
}

/** A further number is newer; a further word compares as with a number: 1.0-rc1 < 1.0 < 1.0pl1. */
function compareRest(left: string[], right: string[]): number {
  const [further] = left.slice(right.length)
  if (further !== undefined) return /^\d/.test(further) ? 1 : compareParts(further, '#')
  const [missing] = right.slice(left.length)
  if (missing === undefined) return 0
  return /^\d/.test(missing) ? -1 : compareParts('#', missing)
}

function rank(word: string): number {
  return ORDER.find(([name]) => word.startsWith(name))?.[1] ?? -1
}
