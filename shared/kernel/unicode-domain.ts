const BASE = 36
const T_MIN = 1
const T_MAX = 26
const SKEW = 38
const DAMP = 700

/** Returns a domain name in readable letters (RFC 3492); an invalid one unchanged. */
export function unicodeOf(domain: string): string {
  if (!domain.includes('xn--')) return domain
  const labels = domain.split('.').map((label) => (isEncoded(label) ? decode(label) : label))
  const spelled = labels.join('.')
  const url = labels.includes(undefined) ? undefined : URL.parse(`http://${spelled}/`)
  return url?.hostname === domain ? spelled : domain
}

/** Returns a text with each domain name in it in readable letters. */
export const unicodeIn = (text: string): string =>
  text.replace(/(?:[a-z0-9-]+\.)*xn--[a-z0-9-]+(?:\.[a-z0-9-]+)*/g, unicodeOf)

const isEncoded = (label: string) => label.startsWith('xn--')

/** Returns the Unicode text of an encoded label (`xn--…`); undefined for invalid input. */
function decode(label: string): string | undefined {
  const text = label.slice('xn--'.length)
  const split = text.lastIndexOf('-')
  const output = [...text.slice(0, Math.max(0, split))].map((letter) => letter.codePointAt(0) ?? 0)
  const digits = [...text.slice(split + 1)].map(digitOf)
  let [code, bias, index, position] = [128, 72, 0, 0]
  while (position < digits.length) {
    const before = index
    let weight = 1
    for (let k = BASE; ; k += BASE) {
      const digit = digits[position++]
      if (digit === undefined) return undefined
      index += digit * weight
      const least = Math.min(Math.max(k - bias, T_MIN), T_MAX)
      if (digit < least) break
      weight *= BASE - least
    }
    const length = output.length + 1
    bias = adapt(index - before, length, before === 0)
    code += Math.floor(index / length)
    if (code > 0x10ffff) return undefined
    index %= length
    output.splice(index++, 0, code)
  }
  return String.fromCodePoint(...output)
}

function digitOf(letter: string): number | undefined {
  const digit = Number.parseInt(letter, BASE)
  if (Number.isNaN(digit)) return undefined
  return digit < 10 ? digit + 26 : digit - 10
}

function adapt(delta: number, length: number, isFirst: boolean): number {
  let left = Math.floor(isFirst ? delta / DAMP : delta / 2)
  left += Math.floor(left / length)
  let k = 0
  for (; left > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) left = Math.floor(left / (BASE - T_MIN))
  return k + Math.floor(((BASE - T_MIN + 1) * left) / (left + SKEW))
}
