import fc from 'fast-check'
import { bytesOf } from './rewritten.ts'

/** A value of any depth: written once with the old address and once with the new one. */
export type Written = (host: string) => string

const SLASHES = ['/', '\\/', '%2F', '%2f', '&#x2F;'] as const
const STARTS = ['https:', 'http:', ''] as const
/** None of them is a part of a name, or starts a serialised string. */
const NOISE = [
  'a',
  ' ',
  'é',
  '😀',
  '"',
  "'",
  '\\',
  '\n',
  ':',
  ';',
  '{',
  '}',
  '<',
  '%',
  '&',
  '\u0001',
]
const KEPT = [' ann@old.example ', ' //cdn.old.example ', ' //old.example.org ', ' notold.example ']

const noise = fc
  .array(fc.constantFrom(...NOISE), { maxLength: 8 })
  .map((all) => bytesOf(all.join('')))

const address: fc.Arbitrary<Written> = fc
  .tuple(
    fc.constantFrom(...SLASHES),
    fc.constantFrom(...STARTS),
    fc.constantFrom(' ', '"', '<', '?'),
  )
  .map(([slash, start, end]) => {
    const colon = slash.startsWith('%') ? slash.replace('2F', '3A').replace('2f', '3a') : ':'
    return (host) => ` ${start.replace(':', colon)}${slash}${slash}${host}${end}`
  })

const piece = fc.oneof(
  noise.map(
    (text): Written =>
      () =>
        text,
  ),
  fc.constantFrom(...KEPT).map(
    (text): Written =>
      () =>
        text,
  ),
  address,
)

const text = fc.array(piece, { maxLength: 5 }).map(
  (pieces): Written =>
    (host) =>
      pieces.map((one) => one(host)).join(''),
)

/** Characters are bytes here. */
const string = (content: string) => `s:${content.length}:"${content}";`

/** JSON.stringify works on characters: the bytes are read as UTF-8 before. */
function json(content: string, escapesSlashes: boolean, escapesUnicode: boolean): string {
  const characters = Buffer.from(content, 'latin1').toString()
  const plain = JSON.stringify(characters)
  const slashed = escapesSlashes ? plain.replaceAll('/', '\\/') : plain
  const unicode = (one: string) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`
  return bytesOf(escapesUnicode ? slashed.replace(/[^\0-\x7f]/g, unicode) : slashed)
}

const url = (content: string) =>
  content.replace(
    /[^\w.-]/g,
    (one) => `%${Buffer.from(one, 'latin1').toString('hex').toUpperCase()}`,
  )

/** Serialised text, and JSON that may contain it, in one another; then in a URL or in HTML. */
export const anyValue: fc.Arbitrary<Written> = fc.letrec<{ value: Written; inner: Written }>(
  (tie) => ({
    inner: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      text,
      fc.array(tie('inner'), { maxLength: 3 }).map((all): Written => {
        const fields = (host: string) =>
          all.map((one, at) => `i:${at};${string(one(host))}`).join('')
        return (host) => `a:${all.length}:{${fields(host)}}`
      }),
      tie('inner').map((one): Written => {
        return (host) => `O:1:"A":2:{s:4:"\0A\0b";${string(one(host))}s:1:"c";R:2;}`
      }),
      tie('inner').map(
        (one): Written =>
          (host) => {
            const content = `x:i:0;${string(one(host))};m:a:0:{}`
            return `C:11:"ArrayObject":${content.length}:{${content}}`
          },
      ),
      fc.tuple(tie('inner'), fc.boolean(), fc.boolean()).map(([one, slashes, unicode]): Written => {
        return (host) => `{"a":${json(one(host), slashes, unicode)},"b":[1,"\\/"]}`
      }),
    ),
    value: fc.oneof(
      { weight: 8, arbitrary: tie('inner') },
      text.map(
        (one): Written =>
          (host) =>
            url(string(one(host))),
      ),
      text.map(
        (one): Written =>
          (host) => {
            return string(one(host)).replaceAll('&', '&amp;').replaceAll('"', '&quot;')
          },
      ),
    ),
  }),
).value
