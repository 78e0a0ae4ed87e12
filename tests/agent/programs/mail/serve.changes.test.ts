import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { FolderWatch } from '#agent/programs/mail/serve.ts'

test('a new name in the folder ends the wait, and nothing else does', async () => {
  const folder = mkdtempSync(`${tmpdir()}/changes-`)
  const changes = new FolderWatch(folder)
  const quiet = performance.now()
  await changes.next(50)
  expect(performance.now() - quiet).toBeGreaterThan(40)

  const started = performance.now()
  const ended = changes.next(20_000)
  mkdirSync(`${folder}/site`)
  await ended

  expect(performance.now() - started).toBeLessThan(10_000)
  changes.close()
  rmSync(folder, { recursive: true })
})

test('a folder that is missing, or removed, does not end the queue', async () => {
  const folder = mkdtempSync(`${tmpdir()}/changes-`)
  const changes = new FolderWatch(folder)
  rmSync(folder, { recursive: true })
  await changes.next(20)
  changes.close()

  const missing = new FolderWatch(folder)
  await missing.next(20)
  missing.close()
})
