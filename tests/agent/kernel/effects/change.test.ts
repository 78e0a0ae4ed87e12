import { expect, test } from 'bun:test'
import * as changes from '#agent/kernel/effects/change.ts'
import { create } from '#agent/kernel/effects/effects.ts'
import { MARK_LINE } from '#agent/kernel/effects/generated.ts'
import { type FakeHost, fakeHost } from '#tests/support/fake-host.ts'

const text = `# ${MARK_LINE}\n`

async function both(change: changes.Change): Promise<[string[], string[]]> {
  const reported = async () =>
    (await change.effects()).map(({ action, kind, name }) => `${action} ${kind} ${name}`)
  const before = await reported()
  await change.apply()
  return [before, await reported()]
}

test.each<[string, (host: FakeHost) => changes.Change, string[]]>([
  ['files', (host) => changes.generated(host, [{ path: '/run/a', text }]), ['create file /run/a']],
  ['a folder', (host) => changes.folder(host, '/run/a'), ['create folder /run/a']],
  ['a link', (host) => changes.linked(host, '/etc', '/run/a'), ['create link /run/a']],
  ['what is there', (host) => changes.removed(host, 'file', '/run/old'), ['remove file /run/old']],
  ['what is ours', (host) => changes.removedGenerated(host, '/run/old'), ['remove file /run/old']],
  [
    'a folder that moves',
    (host) => changes.moved(host, '/run/tree', '/run/new'),
    ['remove folder /run/tree', 'create folder /run/new'],
  ],
])('the plan of a change names %s, and nothing once it is done', async (_, make, plan) => {
  const host = fakeHost()
  await host.disk.write('/run/old', text)
  await host.disk.write('/run/tree/file', '')

  expect(await both(make(host))).toEqual([plan, []])
})

test('changes are planned and done in their order, and only under their condition', async () => {
  const done: string[] = []
  const change = (name: string) =>
    changes.declared([create('file', name)], async () => void done.push(name))
  const never = changes.provided(async () => false, change('never'))
  const last = changes.deferred(async () => change('last'))

  const [plan] = await both(changes.inOrder(change('first'), never, last))

  expect([plan, done]).toEqual([
    ['create file first', 'create file last'],
    ['first', 'last'],
  ])
})
