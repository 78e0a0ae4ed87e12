import { isSign } from './php-statements.ts'
import type { PhpToken } from './php-tokens.ts'

export type PhpLiteral = string | number | boolean

/** The values that an expression may use. */
export interface KnownValues {
  constants: ReadonlyMap<string, PhpLiteral>
  /** The real path of the file; undefined when unknown. */
  file: string | undefined
}

const MAX_LEVELS = 16

/**
 * Returns the value of a constant expression: a string, a decimal number, true, false, a known
 * constant, `__DIR__`, `__FILE__`, dirname() of one, and concatenations of them.
 */
export function constantValue(
  tokens: readonly PhpToken[],
  known: KnownValues,
): PhpLiteral | undefined {
  const reader = { tokens, at: 0, known }
  const value = joined(reader, 0)
  return reader.at === tokens.length ? value : undefined
}

interface TokenReader {
  tokens: readonly PhpToken[]
  at: number
  known: KnownValues
}

function joined(reader: TokenReader, level: number): PhpLiteral | undefined {
  let value = valueIn(reader, level)
  while (value !== undefined && isSign(reader.tokens[reader.at], '.')) {
    reader.at += 1
    const next = valueIn(reader, level)
    value = next === undefined ? undefined : text(value) + text(next)
  }
  return value
}

function valueIn(reader: TokenReader, level: number): PhpLiteral | undefined {
  const token = reader.tokens[reader.at]
  if (level > MAX_LEVELS) return undefined
  reader.at += 1
  if (token?.kind === 'string') return token.text
  if (token?.kind === 'number') return numberOf(token.text ?? '')
  if (isSign(token, '(')) return closed(reader, joined(reader, level + 1))
  return token?.kind === 'word' ? named(reader, token.text ?? '', level) : undefined
}

/** Parses a number; longer ones overflow on some platforms; a leading 0 makes a number octal. */
function numberOf(written: string): number | undefined {
  return /^(?:0|[1-9]\d{0,14})$/.test(written) ? Number(written) : undefined
}

function named(reader: TokenReader, written: string, level: number): PhpLiteral | undefined {
  const name = written.replace(/^\\/, '')
  const { file, constants } = reader.known
  if (/^(?:true|false)$/i.test(name)) return name.toLowerCase() === 'true'
  if (/^__FILE__$/i.test(name)) return file
  if (/^__DIR__$/i.test(name)) return file === undefined ? undefined : parentOf(file)
  if (/^dirname$/i.test(name)) return folderOf(reader, level)
  return constants.get(name)
}

/** Evaluates `dirname(path)` or `dirname(path, levels)` of an absolute path. */
function folderOf(reader: TokenReader, level: number): string | undefined {
  if (!isSign(reader.tokens[reader.at], '(')) return undefined
  reader.at += 1
  const path = joined(reader, level + 1)
  let levels: PhpLiteral | undefined = 1
  if (isSign(reader.tokens[reader.at], ',')) {
    reader.at += 1
    levels = valueIn(reader, level + 1)
  }
  if (closed(reader, path) === undefined || typeof levels !== 'number') return undefined
  if (typeof path !== 'string' || !path.startsWith('/') || levels < 1) return undefined
  let folder = path
  for (let up = 0; up < Math.min(levels, 64); up++) folder = parentOf(folder)
  return folder
}

function closed(reader: TokenReader, value: PhpLiteral | undefined): PhpLiteral | undefined {
  if (!isSign(reader.tokens[reader.at], ')')) return undefined
  reader.at += 1
  return value
}

const parentOf = (path: string) => path.replace(/\/+$/, '').replace(/\/+[^/]*$/, '') || '/'

/** Converts a value to a string as PHP does. */
function text(value: PhpLiteral): string {
  if (typeof value !== 'boolean') return String(value)
  return value ? '1' : ''
}
