import type { Block } from './nginx-config.ts'

/** The inputs of a variable's value for one name of one server. */
export interface Variables {
  /** The visitors' host; undefined if several. */
  host: string | undefined
  server_name: string
  tls: boolean
  sets: ReadonlyMap<string, string | undefined>
  maps: ReadonlyMap<string, NginxMap>
}

interface NginxMap {
  source: string
  entries: readonly (readonly [string, string])[]
  fallback: string | undefined
}

const VARIABLE = /\$\{(\w+)\}|\$(\w+)/g
const MOST_DEPTH = 8

/** The text with its variables replaced, undefined if one of them is uncertain. */
export function evaluate(text: string, variables: Variables, depth = 0): string | undefined {
  if (!text.includes('$')) return text
  let certain = depth < MOST_DEPTH
  const value = text.replace(VARIABLE, (_, braced: string, plain: string) => {
    const found = certain ? variableOf(braced ?? plain, variables, depth + 1) : undefined
    certain &&= found !== undefined
    return found ?? ''
  })
  return certain ? value : undefined
}

function variableOf(name: string, variables: Variables, depth: number): string | undefined {
  const { host, server_name, tls, sets, maps } = variables
  if (sets.has(name)) {
    const set = sets.get(name)
    return set === undefined ? undefined : evaluate(set, variables, depth)
  }
  const map = maps.get(name)
  if (map) return mapped(map, variables, depth)
  if (['host', 'http_host', 'ssl_server_name'].includes(name)) return host
  if (name === 'server_name') return server_name
  if (name === 'scheme') return tls ? 'https' : 'http'
  if (name === 'https') return tls ? 'on' : ''
  return undefined
}

/** ngx_http_map_module: exact strings, then wildcards, then expressions, then the default. */
function mapped(map: NginxMap, variables: Variables, depth: number): string | undefined {
  const source = evaluate(map.source, variables, depth)?.toLowerCase()
  if (source === undefined) return undefined
  const exact = map.entries.find(([key]) => key.toLowerCase() === source)
  const wild = map.entries.filter(([key]) => wildcardFits(key, source))
  const [longest] = wild.sort(([one], [other]) => other.length - one.length)
  const fits = exact ?? longest ?? map.entries.find(([key]) => expressionFits(key, source))
  const value = fits?.[1] ?? map.fallback ?? ''
  return evaluate(value, variables, depth)
}

export function wildcardFits(pattern: string, name: string): boolean {
  const wildcard = pattern.toLowerCase()
  if (wildcard.startsWith('.')) return name === wildcard.slice(1) || name.endsWith(wildcard)
  if (wildcard.startsWith('*.'))
    return name.endsWith(wildcard.slice(1)) && name.length > wildcard.length - 1
  return wildcard.endsWith('.*') && name.startsWith(wildcard.slice(0, -1))
}

const expressionFits = (pattern: string, text: string): boolean =>
  pattern.startsWith('~') && (expression(pattern.replace(/^~\*?/, ''), true)?.test(text) ?? false)

/** A PCRE pattern if it means the same here; undefined: not understood. */
export function expression(source: string, ignore_case: boolean): RegExp | undefined {
  const named = source.replaceAll('(?P<', '(?<')
  const inline = /^\(\?i\)/.test(named)
  try {
    return new RegExp(named.replace(/^\(\?i\)/, ''), ignore_case || inline ? 'i' : '')
  } catch {
    return undefined
  }
}

/** The maps of `http`, by the name of their variable. */
export function mapsOf(scope: Block): Map<string, NginxMap> {
  const maps = new Map<string, NginxMap>()
  for (const { name, args, block } of scope) {
    const [source = '', variable = ''] = args
    if (name !== 'map' || !block) continue
    const flags = ['hostnames', 'volatile']
    const entries = block
      .filter((entry) => !(flags.includes(entry.name) && entry.args.length === 0))
      .map((entry) => [entry.name.replace(/^\\/, ''), entry.args[0] ?? ''] as const)
    const fallback = entries.find(([key]) => key === 'default')?.[1]
    const rest = entries.filter(([key]) => key !== 'default')
    maps.set(variable.slice(1), { source, entries: rest, fallback })
  }
  return maps
}

/**
 * The variables that a server sets. One also set in an `if` or a location is uncertain, unless the
 * value is the same.
 */
export function setsOf(server: Block): Map<string, string | undefined> {
  const sets = new Map<string, string | undefined>()
  for (const { args, always } of setsIn(server, true)) {
    const [variable = '', value = ''] = args
    const key = variable.replace(/^\$/, '')
    const differs = sets.has(key) && sets.get(key) !== value
    sets.set(key, always || !differs ? value : undefined)
  }
  return sets
}

function* setsIn(
  directives: Block,
  always: boolean,
): Generator<{ args: readonly string[]; always: boolean }> {
  for (const { name, args, block } of directives) {
    if (name === 'set') yield { args, always }
    else if (block) yield* setsIn(block, false)
  }
}
