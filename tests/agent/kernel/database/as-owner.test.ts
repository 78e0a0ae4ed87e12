import { expect, test } from 'bun:test'
import { runAsOwner } from '#agent/kernel/database/as-owner.ts'
import { stopOrphanedSlice } from '#agent/kernel/sandbox/slice.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

test('keeps the slice of a deleted site while a client of its database starts', async () => {
  const host = fakeHost()
  const client = Promise.withResolvers<void>()
  const { run } = host.shell
  host.shell.run = async (argv, options) => {
    if (argv[0] === 'mariadb') await client.promise
    return run(argv, options)
  }

  const dumped = runAsOwner(host, 'shop', ['mariadb'], {})
  const measured = stopOrphanedSlice(host, 'shop')
  await Bun.sleep(0)
  expect(host.ran).toEqual([])

  client.resolve()
  await Promise.all([dumped, measured])
  expect(host.ran).toEqual([
    'mariadb',
    'systemctl stop hosting-shop.slice',
    'systemctl stop hosting-shop.slice',
  ])
})
