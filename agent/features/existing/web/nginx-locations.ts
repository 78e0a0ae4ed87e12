import { expression } from './expression.ts'
import type { Block, Directive } from './nginx-config.ts'

/** The blocks that apply to a path, from the server inwards (ngx_http_core_find_location). */
export function blocksFor(server: Block, path: string): Block[] {
  return [server, ...locate(server, path)]
}

function locate(block: Block, path: string): Block[] {
  const locations = block.filter(({ name, block: inner }) => name === 'location' && inner)
  const exact = locations.find(({ args }) => args[0] === '=' && args[1] === path)
  if (exact?.block) return [exact.block]
  const prefix = longestPrefix(locations, path)
  const inner = prefix?.block ? locate(prefix.block, path) : []
  const inPrefix = prefix?.block ? [prefix.block, ...inner] : []
  // A nested expression matches, or the prefix excludes expressions.
  if (inner.some((each) => isExpression(prefix?.block, each)) || prefix?.args[0] === '^~')
    return inPrefix
  const fits = locations.find((location) => matches(location, path))
  return fits?.block ? [fits.block, ...locate(fits.block, path)] : inPrefix
}

function isExpression(outer: Block | undefined, inner: Block): boolean {
  return outer?.some(({ args, block }) => block === inner && /^~/.test(args[0] ?? '')) ?? false
}

function longestPrefix(locations: Block, path: string): Directive | undefined {
  const prefixOf = ({ args }: Directive) => (args.length === 1 ? args[0] : args[1]) ?? ''
  const fitting = locations.filter((location) => {
    const [sign = ''] = location.args
    return !/^[~=@]/.test(sign) && path.startsWith(prefixOf(location))
  })
  return fitting.reduce<Directive | undefined>(
    (best, each) => (best && prefixOf(best).length >= prefixOf(each).length ? best : each),
    undefined,
  )
}

/** `location ~ x`, `~* x`, and without a space `~x`. */
function matches({ args }: Directive, path: string): boolean {
  const [, sign = '', glued = ''] = /^(~\*?)(.*)$/s.exec(args[0] ?? '') ?? []
  if (sign === '') return false
  const pattern = expression(glued || (args[1] ?? ''), sign === '~*')
  return pattern?.matches(path) ?? false
}
