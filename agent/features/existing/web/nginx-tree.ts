import { resolve } from 'node:path'
import { mapConcurrently } from '#agent/kernel/host/processes/map-concurrently.ts'
import type { ConfigFiles } from './config-files.ts'
import { type Block, type Directive, parseNginx } from './nginx-config.ts'

/** A configuration with each `include` replaced by its files. */
export interface NginxTree {
  directives: Block
  /** The file that a block starts in. */
  fileOf(block: Block): string
  /** The patterns outside of servers, in nginx's reading order. */
  includes: readonly string[]
  /** All files that were read, and the unreadable ones. */
  files: ReadonlySet<string>
  missing: ReadonlySet<string>
}

const MAX_INCLUDES = 100_000
/** The maximum number of directives of all files together: one file can be included many times. */
const MAX_DIRECTIVES = 1_000_000
const MAX_DEPTH = 16
const MAX_CONCURRENT = 8

interface TreeReading {
  source: ConfigFiles
  folder: string
  parsed: Map<string, Block>
  files: Map<Block, string>
  includes: string[]
  missing: Set<string>
  includes_left: number
  directives_left: number
}

/** The position of a block; `chain` are the files that lead to it. */
interface Position {
  chain: readonly string[]
  outside: boolean
}

/** Reads `main`, a path or a pattern. Paths are relative to the main file (ngx_conf_full_name). */
export async function readTree(
  source: ConfigFiles,
  folder: string,
  main: string,
): Promise<NginxTree> {
  const reading: TreeReading = {
    source,
    folder,
    includes_left: MAX_INCLUDES,
    directives_left: MAX_DIRECTIVES,
    parsed: new Map(),
    files: new Map(),
    includes: [],
    missing: new Set(),
  }
  const directives = await included(reading, resolve(folder, main), { chain: [], outside: true })
  const { files, includes, missing, parsed: read } = reading
  return {
    directives,
    includes,
    missing,
    files: new Set(read.keys()),
    fileOf: (block) => files.get(block) ?? '',
  }
}

async function resolved(
  reading: TreeReading,
  directives: Block,
  position: Position,
): Promise<Directive[]> {
  const found: Directive[] = []
  for (const directive of directives) {
    if (reading.directives_left-- <= 0) return found
    const { name, args, block } = directive
    if (name === 'include') {
      for (const each of await includedBy(reading, args[0], position)) found.push(each)
    } else if (!block) found.push(directive)
    else found.push({ name, args, block: await inner(reading, name, block, position) })
  }
  return found
}

async function includedBy(reading: TreeReading, written: string | undefined, position: Position) {
  if (!written) return []
  const pattern = resolve(reading.folder, written)
  if (position.outside) reading.includes.push(pattern)
  return await included(reading, pattern, position)
}

async function inner(
  reading: TreeReading,
  name: string,
  block: Block,
  { chain, outside }: Position,
) {
  const position = { chain, outside: outside && name === 'http' }
  const found = await resolved(reading, block, position)
  reading.files.set(found, chain.at(-1) ?? '')
  return found
}

async function included(reading: TreeReading, pattern: string, { chain, outside }: Position) {
  if (chain.length > MAX_DEPTH) return []
  const found: Directive[] = []
  const paths = await reading.source.expand(pattern)
  await mapConcurrently(paths, MAX_CONCURRENT, reading.source.read)
  for (const file of paths) {
    if (chain.includes(file) || reading.includes_left-- <= 0) continue
    const position = { chain: [...chain, file], outside }
    const inner = await resolved(reading, await parsed(reading, file), position)
    for (const directive of inner) found.push(directive)
  }
  return found
}

/** Parses a snippet that all sites include only once. An unreadable one is empty. */
async function parsed(reading: TreeReading, path: string): Promise<Block> {
  const known = reading.parsed.get(path)
  if (known) return known
  const text = await reading.source.read(path)
  if (text === undefined) reading.missing.add(path)
  const directives = parseNginx(text ?? '')
  reading.parsed.set(path, directives)
  return directives
}
