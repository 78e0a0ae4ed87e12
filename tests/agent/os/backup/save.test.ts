import { expect, test } from 'bun:test'
import { backupCreate } from '#agent/commands/backup.create.ts'
import { restorable } from '#tests/support/agent/backup.ts'
import { contextOf, outcome } from '#tests/support/agent/debian.ts'

test('restic reads a complete manifest from a file, whatever then happens to the agent', async () => {
  const { host, saving } = await restorable()

  await outcome(backupCreate.run(saving, contextOf(host)))

  const [run] = host.runs.filter(({ line }) => line.includes('--tag manifest'))
  expect([run?.line.endsWith(' -- /manifest.json'), run?.options.input]).toEqual([true, undefined])
})
