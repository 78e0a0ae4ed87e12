import { deepStrictEqual } from 'node:assert'
import { parseNginx } from '#agent/os/web/nginx-config.ts'
import { parsePhpValue } from '#agent/scan/php-value.ts'
import { parseWpConfig } from '#agent/scan/wp-config.ts'
import { pluginHeaders } from '#agent/scan/wp-headers.ts'
import { encodeEvent, readEvents, type StoredEvent } from '#shared/sse.ts'

export interface Case {
  parser: string
  /** The content of the text. */
  made_of: string
  /** The larger of the two sizes, in characters. */
  most: number
  /** Generates a text of this size; the result reads it and throws if the answer is wrong. */
  make(size: number): () => void | Promise<void>
}

const MEBIBYTE = 1 << 20
const fill = (part: string, size: number) => part.repeat(Math.ceil(size / part.length))

/** `answer` has the part of the result that is the same for every size. */
function reading<T>(
  parser: string,
  read: (text: string) => T,
  most: number,
  [made_of, start, part, answer]: [string, string, string, (found: T) => unknown],
  expected: unknown,
): Case {
  const make = (size: number) => {
    const text = start + fill(part, size)
    return () => deepStrictEqual(answer(read(text)), expected)
  }
  return { parser, made_of, most, make }
}

const wpConfig = (made_of: string, part: string) =>
  reading(
    'wp-config.php',
    parseWpConfig,
    MEBIBYTE,
    [made_of, '<?php ', part, ({ constants }) => constants.size],
    0,
  )

const nginx = (part: string, names: readonly string[]) =>
  reading(
    'nginx',
    parseNginx,
    MEBIBYTE,
    [JSON.stringify(part), '', part, (found) => found.map(({ name }) => name)],
    names,
  )

const php = (made_of: string, start: string, part: string) =>
  reading('PHP-serialised', parsePhpValue, MEBIBYTE, [made_of, start, part, String], 'undefined')

const header = (made_of: string, start: string, part: string) =>
  reading('plugin header', pluginHeaders, 8192, [made_of, start, part, String], 'undefined')

export const CASES: readonly Case[] = [
  { parser: 'event stream', made_of: 'pieces of 64 bytes', most: MEBIBYTE, make: trickle },
  wpConfig('strings of escapes', "'\\"),
  wpConfig('backslashes', '\\'),
  wpConfig('comments', '/*'),
  wpConfig('openings', '?><?php '),
  wpConfig('heredocs', '<<<A\n'),
  wpConfig('calls', 'define('),
  wpConfig('braces', '"{'),
  nginx('{', []),
  nginx('}', []),
  nginx('"\\', []),
  nginx("'\\'", []),
  nginx('a\\', []),
  nginx('$' + '{', ['$']),
  nginx('server {', ['server']),
  nginx('# ', []),
  php('lists that do not end', 'a:900000:{', 'i:0;i:1;'),
  php('lists in lists', '', 'a:1:{i:0;'),
  php('a string that does not end', 's:9:"', 'x'),
  header('blanks', '', ' \t'),
  header('beginnings', '', '\n * @'),
]

/** An event in small pieces, as from a slow sender. */
function trickle(size: number): () => Promise<void> {
  const event: StoredEvent = { id: 1, event: 'log', data: { message: fill('x', size) } }
  const wire = new TextEncoder().encode(encodeEvent(event))
  return async () => {
    const found = await Array.fromAsync(readEvents(pieces(wire)))
    deepStrictEqual(found, [event])
  }
}

async function* pieces(wire: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < wire.length; at += 64) yield wire.subarray(at, at + 64)
}
