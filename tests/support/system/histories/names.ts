import type { Random } from '#tests/support/random.ts'

const WORDS = [
  ...['photo.jpg', '.htaccess', 'cache', 'index.html', 'a', 'Grüße', '日本語', '🎉.png', 'e\u0301'],
  ...['new\nline', '\n', 'tab\there', ' space ', '-rf', '--help', "it's", '"double"', '`id`'],
  ...['$(id)', '$HOME', '*', '?', '[a-z]', '!', '#', '%00', '%41', '\\', '\\n', '..a', '...', '~'],
  ...['\x01\x1b[31m', '\x7f', 'CON', 'a:b', 'a|b;c&d', '{x,y}', '@', '\u202eexe', '\ufeff'],
]

/** No `/` and no zero byte: everything else is a valid name, also what is not UTF-8. */
export function anyName(random: Random, index: number): Buffer {
  const word = Buffer.from(random.pick(WORDS))
  const number = Buffer.from(`${index}`)
  const raw = () =>
    Buffer.from(random.bytes(6).map((byte) => (byte === 0 || byte === 47 ? 1 : byte)))
  const long = () => Buffer.alloc(255 - number.length, random.pick(['x', 'ä', '\n']))
  const end = random.chance(0.1) ? raw() : random.chance(0.05) ? long() : word
  return Buffer.concat(random.chance(0.5) ? [number, end] : [end, number]).subarray(0, 255)
}
