import { expect, test } from 'bun:test'
import { type Document, readSources } from '#scripts/lib/sources.ts'

const sources = await readSources('.')

/** Demo and measurements write files of invented servers. */
const WRITERS_OF_FILES = /^(?:agent|dashboard|shared|scripts\/(?!demo\/|bench\/)).*\.ts$/

test('files of other programs are written by serialisers', () => {
  const writing = sources.filter(({ path }) => WRITERS_OF_FILES.test(path))

  expect(withoutSerialiser(writing)).toEqual([])
})

const WRITERS = [
  'const text = `[Unit]\nDescription=x\n`',
  'const text = `server {\n    server_name x;\n}`',
  'const lines = [`proxy_pass http://x;`]',
  "const text = ['[shop]', 'pm.max_children = 5']",
  'const text = `[default]\naws_secret_access_key=x\n`',
  'const text = `  IdentityFile x\n`',
  'const text = `*/5 * * * * root x\n`',
  "const rules = ['weekly', 'copytruncate']",
]

test.each(WRITERS)('finds %j', (text) => {
  expect(withoutSerialiser([{ path: 'agent/a.ts', text }])).toEqual(['agent/a.ts'])
  const imported = `import { unit } from '#shared/kernel/formats/systemd.ts'\nx`
  expect(withoutSerialiser([{ path: 'agent/a.ts', text: imported }])).toEqual([])
})

test.each(["argsOf('server_name')", '/** A line of EnvironmentFile=. */'])(
  'does not find %j',
  (text) => {
    expect(withoutSerialiser([{ path: 'agent/a.ts', text }])).toEqual([])
  },
)

/** Lines that only files of other programs have. */
const SIGNS = [
  /(?:^|[`'"])\[(?:Unit|Service|Timer|Socket|Path|Slice|Install)\]$/m,
  /(?:^|[`'"])\s*(?:fastcgi_pass|proxy_pass|server_name|auth_basic_user_file|ssl_certificate) \S/m,
  /\bpm\.max_children = /,
  /\baws_secret_access_key\b/,
  /\bIdentityFile\b/,
  /\* \* \* \* root /,
  /\bcopytruncate\b/,
  /^Signed-By: /m,
]

/** Each with its reason: what writes or names such a line without a serialiser. */
const UNCHECKED_FORMATS: Readonly<Record<string, string>> = {
  'agent/kernel/host/real/pages-helper.ts': 'runs as the site, and repeats the pool of that site',
  'agent/kernel/host/real/tool-helper.ts': 'its paths are made by the agent',
  'agent/features/isolation/login.ts': 'options of ssh, each an argument of its own',
  'agent/features/web/base.ts': 'addresses of the server itself',
  'agent/kernel/packages/php-source.ts': 'the address is checked with the environment of the agent',
  'agent/kernel/site-etc/shared.ts': 'constants',
}

/**
 * Returns the files that contain lines of units, virtual hosts, pools, credentials, crontabs or
 * rules of logrotate, and import no serialiser of `shared/kernel/formats`. An entry of the list above that
 * is no such file any more is returned, too.
 */
function withoutSerialiser(files: readonly Document[]): string[] {
  const found = files
    .filter(({ path }) => !path.startsWith('shared/kernel/formats/'))
    .filter(({ text }) => SIGNS.some((sign) => sign.test(text)))
    .filter(({ text }) => !/ from '#shared\/kernel\/formats\//.test(text))
    .map(({ path }) => path)
  const stale = Object.keys(UNCHECKED_FORMATS).filter((path) => !found.includes(path))
  return [
    ...found.filter((path) => !(path in UNCHECKED_FORMATS)),
    ...(files.length > 1 ? stale.map((path) => `${path} needs no exception`) : []),
  ]
}

const PROGRAMS = /^(?:agent|dashboard|shared|scripts)\//

test('no code compares a text for people', () => {
  const programs = sources.filter(({ path }) => PROGRAMS.test(path))

  expect(messageComparisons(programs)).toEqual([])
})

test.each([
  "if (error.message === 'Endpoint not found') return",
  "if (reason.endsWith('refused the connection')) return",
  'if (/did not answer/.test(reason)) return',
  'if (OFFLINE.test(error.message)) return',
  "const [, left] = message.split('could not undo: ')",
  'if (error.error === ERRORS.offline.error) return',
])('finds %s', (line) => {
  expect(messageComparisons([{ path: 'a.ts', text: `\n${line}\n` }])).toEqual(['a.ts:2'])
})

test.each(["if (error.code === 'offline') return", 'const { message } = error'])(
  'does not find %s',
  (line) => {
    expect(messageComparisons([{ path: 'a.ts', text: line }])).toEqual([])
  },
)

/** These names are of texts for people. Programs compare the code of a failure. */
const TEXT = String.raw`(?:\w*[mM]essage|\w*[rR]eason|last_line|last_error|CANCELLED)`
const COMPARISONS = [
  new RegExp(String.raw`\b${TEXT}\)?\??\.(?:startsWith|endsWith|includes|match|search|split)\(`),
  new RegExp(String.raw`[/\w]\.test\((?:\w+\.)*${TEXT}\)`),
  /\.(?:message|reason|last_line) [!=]== (?:['"`][^'"`]|[A-Z])/,
  /\.error [!=]== (?:['"`]|ERRORS)/,
]

/** Each with its reason: words that are not our own. */
const FOREIGN_WORDS: Readonly<Record<string, string>> = {
  'agent/features/backups/restic/failures.ts': 'the words of restic and of the storage',
  'shared/backups/restic-complaint.ts': 'the words of restic',
  'shared/backups/clock-errors.ts': 'the words of restic, of S3 and of TLS',
  'agent/kernel/host/storage.ts': 'the words of the kernel, of programs and of MariaDB',
  'agent/programs/storage/fault.ts': 'ssh has one exit status for all failures',
  'scripts/install/health.ts': 'shows the first line of what curl printed',
  'dashboard/kernel/db/violations.ts': 'libSQL has no extended code over HTTP',
}

/** Returns `path:line` of each place where code compares a text for people. */
function messageComparisons(files: readonly Document[]): string[] {
  return files.flatMap(({ path, text }) =>
    path in FOREIGN_WORDS
      ? []
      : text
          .split('\n')
          .flatMap((line, at) =>
            !line.includes('typeof') && COMPARISONS.some((rule) => rule.test(line))
              ? [`${path}:${at + 1}`]
              : [],
          ),
  )
}

test('random inputs of tests follow from the seed of the run', () => {
  expect(unseededInputs(sources)).toEqual([])
})

test.each(['fc.assert(property)', 'fc.assert(property, { numRuns: 9 })', 'ask(Math.random())'])(
  'finds %s',
  (text) => {
    expect(unseededInputs([{ path: 'tests/a.test.ts', text }])).toEqual(['tests/a.test.ts'])
  },
)

test.each(['fc.assert(property, runs(9))', 'new Random(seed())'])('does not find %s', (text) => {
  expect(unseededInputs([{ path: 'tests/a.test.ts', text }])).toEqual([])
})

/** It names what the check looks for. */
const EXAMPLES = 'tests/structure/source-text.test.ts'

/** Returns the paths below tests/ whose random inputs do not follow from the seed of the run. */
function unseededInputs(files: readonly Document[]): string[] {
  return files
    .filter(({ path }) => path.startsWith('tests/') && path !== EXAMPLES)
    .filter(({ text }) => {
      const properties = countOf(text, /\bfc\.(?:assert|check)\(/g)
      return /\bMath\.random\b/.test(text) || properties > countOf(text, /\bruns\(/g)
    })
    .map(({ path }) => path)
}

const countOf = (text: string, word: RegExp) => text.match(word)?.length ?? 0
