import { expect, test } from 'bun:test'
import { forwardedOf } from '#agent/features/isolation/forwarded-sockets.ts'
import { removeTraces } from '#agent/features/isolation/isolation.check.ts'
import { server, shop } from '#tests/support/agent/debian.ts'

test('an attack on sockets that was cut off leaves no folder', async () => {
  const host = await server(shop)
  const folder = forwardedOf(host, shop)
  host.disk.putFolder(folder, { mode: 0o700 })
  host.disk.putText(`${folder}/0`, '')

  await removeTraces(host, [shop])

  expect(host.disk.find(folder)).toBeUndefined()
})
