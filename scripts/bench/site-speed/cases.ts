import { poll } from '#tests/support/lab/wait.ts'
import { type Bench, BY_HAND, PRODUCT } from './host.ts'

export type Side = 'product' | 'hand'

export const DOMAINS: Record<Side, string> = { product: PRODUCT, hand: BY_HAND }

/** A header that bypasses the page cache, like the cart of a shop. */
const SHOPPER = 'Cookie: edd_bench=1'
const FONT =
  '/wp-content/themes/twentytwentyfive/assets/fonts/fira-code/FiraCode-VariableFont_wght.woff2'

/** The request, as from a browser: compressed if the server supports it. */
export interface Case {
  name: string
  path: string
  header: string
  /** The minimum ratio of the product's requests per second to the other one's. */
  promised: number
  /** The cache status of every answer of the product; Debian's setup has none. */
  cache?: 'HIT' | 'BYPASS'
}

export const CASES: readonly Case[] = [
  { name: 'page, not cached', path: '/', header: SHOPPER, promised: 0.95, cache: 'BYPASS' },
  { name: 'page, cached', path: '/', header: 'X-Bench: 1', promised: 50, cache: 'HIT' },
  { name: 'static file, 106 kB', path: FONT, header: 'X-Bench: 1', promised: 1 },
]

/** Every worker of both sides has compiled its scripts. */
export async function warm(bench: Bench, { path, header }: Case): Promise<void> {
  // nginx loads the manual virtual host a moment after the signal.
  const answers = () =>
    answer(bench, 'hand', path, header).then(
      () => true,
      () => false,
    )
  await poll(answers, { timeout_ms: 30_000, awaited: `${BY_HAND} answers` })
  for (let left = 6; left > 0; left--) {
    const sides = ['product', 'hand', 'product', 'hand'] as const
    await Promise.all(sides.map((side) => answer(bench, side, path, header)))
  }
}

/** Throws unless both sides return the same, and the product with the right cache status. */
export async function checkAnswers(bench: Bench, { path, header, cache }: Case): Promise<void> {
  // Renews a page that has just expired.
  await answer(bench, 'product', path, header)
  const [product, hand] = await Promise.all([
    answer(bench, 'product', path, header),
    answer(bench, 'hand', path, header),
  ])
  const own = product.body.replaceAll(PRODUCT, BY_HAND)
  if (own !== hand.body) throw new Error(`${path}: the answers differ`)
  if (hand.body.length < 10_000) throw new Error(`${path}: only ${hand.body.length} bytes`)
  if (cache && !product.head.includes(`x-cache: ${cache.toLowerCase()}`))
    throw new Error(`${path}: not ${cache}:\n${product.head}`)
}

async function answer(bench: Bench, side: Side, path: string, header: string) {
  const url = `https://${DOMAINS[side]}${path}`
  const argv = ['curl', '-sk', '--compressed', '--dump-header', '-', '-H', header, url]
  const text = await bench.outside(argv)
  const at = text.indexOf('\r\n\r\n')
  const head = text.slice(0, at).toLowerCase()
  if (!/^http\/\S+ 200/.test(head)) throw new Error(`${url}: ${head}`)
  return { head, body: text.slice(at + 4) }
}
