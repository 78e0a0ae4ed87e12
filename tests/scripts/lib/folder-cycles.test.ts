import { expect, test } from 'bun:test'
import { readSources } from '#scripts/lib/documents.ts'
import { folderCycles } from '#scripts/lib/folder-cycles.ts'
import { importsIn } from '#scripts/lib/imports.ts'

test('no folder imports one that imports it', async () => {
  const imports = importsIn(await readSources('.'))

  expect(folderCycles(imports)).toEqual([])
})

test('names the folders of a cycle, of types and through a third one too', () => {
  const files = [
    { path: 'agent/features/php/a.ts', text: "import type { B } from '#agent/features/tls/b.ts'" },
    { path: 'agent/features/tls/b.ts', text: "import { c } from '#agent/kernel/http/deep/c.ts'" },
    {
      path: 'agent/kernel/http/deep/c.ts',
      text: "const a = await import('../../../features/php/a.ts')",
    },
    { path: 'agent/app.ts', text: "import { c } from './kernel/http/deep/c.ts'" },
  ]

  expect(folderCycles(importsIn(files))).toEqual([
    'agent/features/php, agent/features/tls, agent/kernel/http import one another',
  ])
})
