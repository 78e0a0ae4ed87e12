import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { metricsReader, parseStat } from '#agent/os/server/metrics.ts'
import { parseCertificate } from '#agent/os/tls/certificate-files.ts'
import { phpTokens } from '#agent/scan/php-tokens.ts'
import { compareVersions } from '#agent/scan/version-compare.ts'
import { parseWpConfig } from '#agent/scan/wp-config.ts'
import { versionIn } from '#agent/scan/wp-files.ts'
import { pluginHeaders, themeHeaders } from '#agent/scan/wp-headers.ts'
import { Metrics } from '#shared/agent.ts'
import { anyCharacter } from '#tests/support/any-character.ts'
import { fakeHost } from '#tests/support/fake-host.ts'
import { runs } from '#tests/support/runs.ts'

/** What a site's owner could write: pieces that mean something, and anything at all between them. */
const pieces = (...known: string[]) =>
  fc
    .array(fc.oneof(fc.constantFrom(...known), fc.string({ unit: anyCharacter, maxLength: 8 })), {
      maxLength: 30,
    })
    .map((parts) => parts.join(''))

const php = pieces(
  ...['<?php ', '?>', "define('", "', '", "');", 'const X = ', '$table_prefix = ', '"', "'", '\\'],
  ...[
    '/*',
    '*/',
    '//',
    '#',
    '\n',
    '<<<A\n',
    '\nA;',
    '{',
    '}',
    '(',
    ')',
    ';',
    'if (1) ',
    '${',
    '__proto__',
  ],
)

test('reads no constant that the wp-config.php does not contain', () => {
  fc.assert(
    fc.property(php, (source) => {
      const { constants, table_prefix } = parseWpConfig(source)
      for (const [name, value] of constants) {
        expect(['string', 'number', 'boolean']).toContain(typeof value)
        if (source.includes('\\') || typeof value !== 'string') continue
        expect(source).toContain(name)
        expect(source).toContain(value)
      }
      if (!source.includes('\\')) expect(source).toContain(table_prefix ?? '')
    }),
    runs(),
  )
})

test('splits any PHP into tokens of its text', () => {
  fc.assert(
    fc.property(php, (source) => {
      for (const { kind, text } of phpTokens(source))
        if (kind !== 'string' && kind !== 'open') expect(source).toContain(text ?? '')
    }),
    runs(),
  )
})

test('reads the version of WordPress as PHP does, if it is valid', () => {
  const part = fc.oneof(fc.constantFrom("'", '"', '6.8', '.', '-RC1', '\n', '\\'), fc.string())
  const value = fc.array(part, { maxLength: 4 }).map((parts) => parts.join(''))
  const code = fc.constantFrom('', ' ', '\t', '\n', '\r', '//\r', '#\n')
  const none = fc.constantFrom('//', '# ', '\u2028', '//\u2028', '\u00a0', 'x')
  const before = fc.oneof(
    code.map((text) => ({ text, isCode: true })),
    none.map((text) => ({ text, isCode: false })),
  )
  fc.assert(
    fc.property(before, fc.constantFrom("'", '"'), value, ({ text, isCode }, quote, inner) => {
      const rest = `${inner}${quote};`
      const version = new RegExp(`^([\\w.+-]{1,64})${quote}[ \\t\\r\\n]*;`).exec(rest)?.[1]

      expect(versionIn(`<?php\n${text}$wp_version = ${quote}${rest}`)).toBe(
        isCode ? version : undefined,
      )
    }),
    runs(),
  )
})

test('reads only single lines of the file as headers', () => {
  const head = pieces(
    '/*',
    '*/',
    'Plugin Name:',
    'Theme Name:',
    'Version:',
    'Template:',
    '\n',
    '\r',
  )

  fc.assert(
    fc.property(head, (text) => {
      const found = [pluginHeaders(text), themeHeaders(text)].flatMap((each) =>
        Object.values(each ?? {}),
      )
      for (const value of found) {
        expect(text.replaceAll('\r', '\n')).toContain(value)
        expect(value).not.toMatch(/\n|\*\/|\?>/)
      }
    }),
    runs(),
  )
})

test('orders any two versions, and equals itself', () => {
  const version = pieces('1', '.', '-', 'alpha', 'beta', 'RC', 'dev', '0')

  fc.assert(
    fc.property(version, version, (one, other) => {
      expect(compareVersions(one, one)).toBe(0)
      expect(compareVersions(one, other)).toBe(-compareVersions(other, one) + 0)
    }),
    runs(),
  )
})

test('accepts only certificates', () => {
  const pem = pieces('-----BEGIN CERTIFICATE-----\n', '-----END CERTIFICATE-----\n', 'MIIB', 'AAAA')

  fc.assert(
    fc.property(pem, (text) => {
      expect(parseCertificate(text)).toBeUndefined()
    }),
    runs(),
  )
})

const proc = pieces(
  'cpu ',
  'MemTotal: ',
  'MemAvailable: ',
  ' kB\n',
  '12 ',
  '0.5 ',
  '-1 ',
  '1e999 ',
  '\n',
)

test('counts numeric ticks for any /proc/stat', () => {
  fc.assert(
    fc.property(proc, (text) => {
      const { busy, total } = parseStat(text)
      expect([busy, total].every(Number.isFinite)).toBe(true)
    }),
    runs(),
  )
})

test('reports metrics of the contract for any broken files of /proc', async () => {
  // The kernel writes no sign and no exponent; with them the dashboard refuses the metrics.
  const unsigned = proc.map((text) => text.replace(/[-e]/g, ''))
  const files = ['/proc/stat', '/proc/meminfo', '/proc/loadavg', '/proc/uptime', '/etc/os-release']

  await fc.assert(
    fc.asyncProperty(fc.array(unsigned, { minLength: 5, maxLength: 5 }), async (texts) => {
      const host = fakeHost()
      for (const [at, path] of files.entries()) await host.disk.write(path, texts[at] ?? '')
      const metrics = await metricsReader(host)()
      expect(Metrics.safeParse(metrics).error).toBeUndefined()
    }),
    runs(),
  )
})
