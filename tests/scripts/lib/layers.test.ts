import { expect, test } from 'bun:test'
import { readSources } from '#scripts/lib/documents.ts'
import { importsIn } from '#scripts/lib/imports.ts'
import { brokenLayers, DASHBOARD_LAYERS } from '#scripts/lib/layers.ts'

test('each folder of the dashboard imports only those above it', async () => {
  const imports = importsIn(await readSources('.'))

  expect(brokenLayers(imports, DASHBOARD_LAYERS)).toEqual([])
})

test('names an import of a lower layer, of an unknown one and of the composition root', () => {
  const imports = [
    { from: 'dashboard/sites/routes.ts', to: 'dashboard/db/client.ts' },
    { from: 'dashboard/sites/a.ts', to: 'dashboard/sites/trash/b.ts' },
    { from: 'dashboard/db/client.ts', to: 'dashboard/sites/a.ts' },
    { from: 'dashboard/new/a.ts', to: 'dashboard/db/client.ts' },
    { from: 'dashboard/sites/a.ts', to: 'dashboard/deps.ts' },
    { from: 'dashboard/app.ts', to: 'dashboard/sites/a.ts' },
  ]

  expect(brokenLayers(imports, ['db', 'sites'])).toEqual([
    'dashboard/db/client.ts imports dashboard/sites/a.ts, which is not in a layer above',
    'dashboard/new/a.ts imports dashboard/db/client.ts, which is not in a layer above',
    'dashboard/sites/a.ts imports the composition root dashboard/deps.ts',
  ])
})
