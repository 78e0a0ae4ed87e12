import { expect, test } from 'bun:test'
import { OperationStore } from '#agent/operations/store.ts'
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
