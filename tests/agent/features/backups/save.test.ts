import { expect, test } from 'bun:test'
import { backupCreate } from '#agent/features/backups/backup.create.ts'
import type { ResultOf } from '#shared/commands.ts'
import { restorable, TARGET } from '#tests/support/agent/backup.ts'
import { contextOf, outcome, shop } from '#tests/support/agent/debian.ts'

test('restic reads a complete manifest from a file, whatever then happens to the agent', async () => {
  const { host, saving } = await restorable()

  await outcome(backupCreate.run(saving, contextOf(host)))

  const [run] = host.runs.filter(({ line }) => line.includes('--tag manifest'))
  expect([run?.line.endsWith(' -- /manifest.json'), run?.options.input]).toEqual([true, undefined])
})

test('the tags of a manifest name the parts of its backup', async () => {
  const { host, saving } = await restorable()

  const [, result] = await outcome(backupCreate.run(saving, contextOf(host)))

  const { backup } = result as ResultOf<'backup.create'>
  const saved = `${TARGET.place.path}/${shop.user}/snapshots/${backup.id}`
  const { files, database } = JSON.parse(host.disk.text(`${saved}/manifest.json`) ?? '{}')
  const [run] = host.runs.filter(({ line }) => line.includes('--tag manifest'))
  const named = [files.snapshot, database.snapshot].map((id) => `--tag part-${id}`).join(' ')
  expect(run?.line).toContain(`--tag manifest ${named} -- `)
})
