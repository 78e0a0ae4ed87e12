import { expression } from './expression.ts'
import type { Block } from './nginx-config.ts'

/** The inputs of a variable's value for one name of one server. */
export interface NginxVariables {
  /** The visitors' host; undefined for several. */
  readonly host: string | undefined
  server_name: string
  tls: boolean
  sets: ReadonlyMap<string, string | undefined>
  maps: ReadonlyMap<string, NginxMap>
  /** The captures of the expression in `server_name` that matched the host. */
  captures?: ReadonlyMap<string, string>
}

export interface NginxMap {
  source: string
  /** The keys in lower case. */
  exact: ReadonlyMap<string, string>
  /** The patterns, the longest first. */
  wild: readonly (readonly [string, string])[]
  expressions: readonly (readonly [string, string])[]
  fallback: string
}

const VARIABLE = /\$\{(\w+)\}|\$(\w+)/g
const MAX_DEPTH = 8
/** The maximum length of a value: nested values would grow exponentially. */
const MAX_LENGTH = 4096
const MAX_REPLACED = 256
/** Replaces an uncertain value where only the text before it counts. */
const UNCERTAIN = '\0'

interface Evaluation {
  variables: NginxVariables
  left: number
  uncertain: string | undefined
}

/** Replaces the variables in a text; undefined if one of them is uncertain. */
export function evaluate(text: string, variables: NginxVariables): string | undefined {
  return replaced(text, { variables, left: MAX_REPLACED, uncertain: undefined }, 0)
}

/** Returns the text before the first uncertain variable. */
export function certainPart(text: string, variables: NginxVariables): string {
  const value = replaced(text, { variables, left: MAX_REPLACED, uncertain: UNCERTAIN }, 0) ?? ''
  return value.split(UNCERTAIN, 1)[0] ?? ''
}

function replaced(text: string, evaluation: Evaluation, depth: number): string | undefined {
  if (!text.includes('$')) return text
  if (depth > MAX_DEPTH || text.length > MAX_LENGTH) return undefined
  let value = ''
  let from = 0
  for (const { 0: all, 1: braced, 2: plain, index } of text.matchAll(VARIABLE)) {
    if (evaluation.left-- <= 0) return undefined
    const found = variableOf(braced ?? plain ?? '', evaluation, depth + 1) ?? evaluation.uncertain
    if (found === undefined) return undefined
    value += text.slice(from, index) + found
    if (value.length > MAX_LENGTH) return undefined
    from = index + all.length
  }
  return value + text.slice(from)
}

function variableOf(name: string, evaluation: Evaluation, depth: number): string | undefined {
  const { variables } = evaluation
  const { sets, maps } = variables
  if (sets.has(name)) {
    const set = sets.get(name)
    return set === undefined ? undefined : replaced(set, evaluation, depth)
  }
  const map = maps.get(name)
  if (map) return mapped(map, evaluation, depth)
  return variables.captures?.get(name) ?? builtIn(name, variables)
}

function builtIn(name: string, variables: NginxVariables): string | undefined {
  switch (name) {
    case 'host':
    case 'http_host':
    case 'ssl_server_name':
      return variables.host
    case 'server_name':
      return variables.server_name
    case 'scheme':
      return variables.tls ? 'https' : 'http'
    case 'https':
      return variables.tls ? 'on' : ''
    default:
      return undefined
  }
}

/** Follows ngx_http_map_module: exact strings, then wildcards, expressions, then the default. */
function mapped(map: NginxMap, evaluation: Evaluation, depth: number): string | undefined {
  const source = replaced(map.source, evaluation, depth)?.toLowerCase()
  if (source === undefined || source.includes(UNCERTAIN)) return undefined
  const exact = map.exact.get(source)
  if (exact !== undefined) return replaced(exact, evaluation, depth)
  const fits =
    map.wild.find(([key]) => wildcardFits(key, source)) ??
    map.expressions.find(([key]) => expressionFits(key, source))
  return replaced(fits?.[1] ?? map.fallback, evaluation, depth)
}

export function wildcardFits(pattern: string, name: string): boolean {
  const wildcard = pattern.toLowerCase()
  if (wildcard.startsWith('.')) return name === wildcard.slice(1) || name.endsWith(wildcard)
  if (wildcard.startsWith('*.'))
    return name.endsWith(wildcard.slice(1)) && name.length > wildcard.length - 1
  return wildcard.endsWith('.*') && name.startsWith(wildcard.slice(0, -1))
}

function expressionFits(pattern: string, text: string): boolean {
  const [, source = ''] = /^~\*?(.*)$/s.exec(pattern) ?? []
  return expression(source, true)?.matches(text) ?? false
}

/** Returns the maps of `http` by the name of their variable. */
export function mapsOf(scope: Block): Map<string, NginxMap> {
  const maps = new Map<string, NginxMap>()
  for (const { name, args, block } of scope) {
    const [source = '', variable = ''] = args
    if (name !== 'map' || !block) continue
    const flags = ['hostnames', 'volatile']
    const entries = block
      .filter((entry) => !(flags.includes(entry.name) && entry.args.length === 0))
      .map((entry) => [entry.name.replace(/^\\/, ''), entry.args[0] ?? ''] as const)
    maps.set(variable.slice(1), mapOf(source, entries))
  }
  return maps
}

function mapOf(source: string, entries: readonly (readonly [string, string])[]): NginxMap {
  const exact = new Map<string, string>()
  const expressions: (readonly [string, string])[] = []
  const wild: (readonly [string, string])[] = []
  for (const [key, value] of entries) {
    if (key.startsWith('~')) expressions.push([key, value])
    else {
      if (/^\*?\.|\.\*$/.test(key)) wild.push([key, value])
      if (!exact.has(key.toLowerCase())) exact.set(key.toLowerCase(), value)
    }
  }
  const fallback = exact.get('default') ?? ''
  exact.delete('default')
  wild.sort(([one], [other]) => other.length - one.length)
  return { source, exact, wild, expressions, fallback }
}

/** Returns the variables that a server sets; undefined for those that depend on a condition. */
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
