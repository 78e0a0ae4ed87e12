import { expect, test } from 'bun:test'
import { readSources } from '#scripts/lib/documents.ts'
import { importsIn } from '#scripts/lib/imports.ts'
import { ROOMS, upwardImports } from '#scripts/lib/rooms.ts'

test('each room of the agent and of the dashboard imports only those before it', async () => {
  const imports = importsIn(await readSources('.'))

  expect(upwardImports(imports, ROOMS)).toEqual([])
})

test('names an import of a later room, of an unlisted one and of what puts rooms together', () => {
  const imports = [
    { from: 'agent/features/sites/a.ts', to: 'agent/kernel/host/ports.ts' },
    { from: 'agent/features/sites/a.ts', to: 'agent/features/sites/trash/b.ts' },
    { from: 'agent/features/sites/a.ts', to: 'shared/kernel/plan.ts' },
    { from: 'agent/kernel/host/ports.ts', to: 'agent/features/sites/a.ts' },
    { from: 'dashboard/features/new/a.ts', to: 'dashboard/kernel/db/client.ts' },
    { from: 'dashboard/features/sites/a.ts', to: 'dashboard/deps.ts' },
    { from: 'dashboard/app.ts', to: 'dashboard/features/sites/a.ts' },
  ]
  const rooms = { agent: ['kernel', 'sites'], dashboard: ['kernel', 'sites'] }

  expect(upwardImports(imports, rooms)).toEqual([
    'agent/kernel/host/ports.ts imports agent/features/sites/a.ts: sites is not before kernel',
    'dashboard/features/new/a.ts imports dashboard/kernel/db/client.ts: kernel is not before new',
    'dashboard/features/sites/a.ts imports dashboard/deps.ts, which puts the rooms together',
  ])
})
