import { expect, test } from 'bun:test'
import { OperationStore } from '#agent/kernel/operations/store.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

test('stores every event and entry on the disk before anybody sees it', async () => {
  const { files } = fakeHost()
  const appended: unknown[] = []
  files.append = async (path, _text, options?: { sync?: boolean }) => {
    appended.push([path.split('/').at(-1), options])
  }
  const store = new OperationStore(files, '/var/lib/hosting-agent')

  await store.addEvent('op1', { id: 1, event: 'log', data: { message: 'Making a' } })
  await store.addEntry('op1', { step: 'a', state: 'intent' })
  await store.addEvent('op1', { id: 2, event: 'complete', data: { status: 'ok' } })

  expect(appended).toEqual([
    ['events.ndjson', { sync: true }],
    ['journal.ndjson', { sync: true }],
    ['events.ndjson', { sync: true }],
  ])
})

test('only root can read what is stored of an operation: its params may have secrets', async () => {
  const { files } = fakeHost()
  const store = new OperationStore(files, '/var/lib/hosting-agent')
  const folder = '/var/lib/hosting-agent/operations'
  const request = { id: 'op1', command: 'cache.purge', params: {}, fingerprint: '' } as const

  await store.create({ ...request, created_at: 0 })
  await store.cancel('op1', 0)
  await store.refuse('op1', { at: 0, fingerprint: '', code: 'conflict', message: '' })

  const modes = async (path: string) => [path, ((await files.stat(path))?.mode ?? 0) & 0o777]
  const names = (await files.list(`${folder}/op1`)).map(({ name }) => name).sort()
  expect(await modes(folder)).toEqual([folder, 0o700])
  expect(await Promise.all(names.map((name) => modes(`${folder}/op1/${name}`)))).toEqual(
    ['cancelled.json', 'events.ndjson', 'journal.ndjson', 'refused.json', 'request.json'].map(
      (name) => [`${folder}/op1/${name}`, 0o600],
    ),
  )
})
