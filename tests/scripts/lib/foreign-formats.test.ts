import { expect, test } from 'bun:test'
import { readSources } from '#scripts/lib/documents.ts'
import { withoutSerialiser } from '#scripts/lib/foreign-formats.ts'

/** Demo and measurements write files of invented servers. */
const SOURCE = /^(?:agent|dashboard|shared|scripts\/(?!demo\/|bench\/)).*\.ts$/

test('files of other programs are written by serialisers', async () => {
  const sources = (await readSources('.')).filter(({ path }) => SOURCE.test(path))

  expect(withoutSerialiser(sources)).toEqual([])
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
