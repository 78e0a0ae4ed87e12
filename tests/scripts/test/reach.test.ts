import { expect, test } from 'bun:test'
import { importsIn } from '#scripts/lib/sources.ts'
import { asTestFile } from '#scripts/test/files.ts'
import { reachOf } from '#scripts/test/reach.ts'

const SOURCES: Record<string, string> = {
  'agent/main.ts': "import './features/mail/mail.apply.ts'",
  'agent/http/server.ts': '',
  'agent/features/mail/mail.apply.ts': "import '#agent/os/mail.ts'",
  'agent/features/sites/site.create.ts': "import '#agent/os/site.ts'",
  'agent/os/mail.ts': '',
  'agent/os/site.ts': '',
  'dashboard/features/sites/site.create.ts': "import '#dashboard/sites/site.ts'",
  'dashboard/sites/site.ts': '',
  'dashboard/http/app.ts': '',
  'dashboard/web/app/shell.tsx': '',
  'dashboard/web/pages/sites/sites.tsx': "import '#dashboard/web/features/sites.tsx'",
  'dashboard/web/pages/trash/trash.tsx': '',
  'dashboard/web/features/sites.tsx': '',
  'tests/support/system/dashboard.ts': '',
  'tests/system/mail.test.ts': "// tier: gate\nrun('mail.apply')",
  'tests/system/recorded.test.ts': "// tier: gate\nimport '#tests/support/system/dashboard.ts'",
  'tests/system/unknown.test.ts': '// tier: gate',
  'tests/browser/sites.test.ts': "// tier: gate\nopen('/sites/1')",
}
const recorded = {
  'tests/system/mail.test.ts': { seconds: 1, commands: ['mail.apply'] },
  'tests/system/recorded.test.ts': { seconds: 1, commands: ['site.create'] },
}
const documents = Object.entries(SOURCES).map(([path, text]) => ({ path, text }))
const tests = documents.filter(({ path }) => path.endsWith('.test.ts'))

function reachedBy(changed: string): string[] {
  const texts = new Map(documents.map(({ path, text }) => [path, text]))
  const reach = reachOf([changed], importsIn(documents), texts, recorded)
  return tests
    .map(({ path, text }) => asTestFile(path, `${text}\n`))
    .filter((file) => reach(file) === changed)
    .map(({ path }) => path.replace(/^tests\/|\.test\.ts$/g, ''))
}

test.each([
  ['agent/os/mail.ts', ['system/mail', 'system/unknown']],
  ['agent/os/site.ts', ['system/recorded', 'system/unknown']],
  ['agent/http/server.ts', ['system/mail', 'system/recorded', 'system/unknown']],
  ['dashboard/sites/site.ts', ['system/recorded', 'browser/sites']],
  ['dashboard/http/app.ts', ['system/recorded', 'browser/sites']],
  ['dashboard/web/features/sites.tsx', ['browser/sites']],
  ['dashboard/web/pages/trash/trash.tsx', []],
  ['dashboard/web/app/shell.tsx', ['browser/sites']],
  ['tests/support/system/dashboard.ts', ['system/recorded']],
  ['tests/system/mail.test.ts', ['system/mail']],
  ['bun.lock', ['system/mail', 'system/recorded', 'system/unknown', 'browser/sites']],
  ['README.md', []],
])('a change of %s reaches %j', (changed, reached) => {
  expect(reachedBy(changed)).toEqual(reached)
})
