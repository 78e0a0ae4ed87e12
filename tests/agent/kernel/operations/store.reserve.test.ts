import { expect, test } from 'bun:test'
import { reserveOf } from '#agent/kernel/operations/store.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

const PATH = '/var/lib/hosting-agent/reserve/room'

function reserveOn(free: number) {
  const { disk } = fakeHost()
  disk.room.free = free
  const size = async () => (await disk.stat(PATH))?.size
  return { disk, size, reserve: reserveOf(disk, '/var/lib/hosting-agent') }
}

test('reserves space on a disk that has enough, and releases it once', async () => {
  const { size, reserve } = reserveOn(2 ** 30)

  await reserve.keep()
  expect(await size()).toBe(4 << 20)

  expect([await reserve.give(), await reserve.give()]).toEqual([true, false])
  expect(await size()).toBeUndefined()
})

test('does not fill a disk that is nearly full', async () => {
  const { size, reserve } = reserveOn(32 << 20)

  await reserve.keep()

  expect(await size()).toBeUndefined()
})

test('writes the reserve only once', async () => {
  const { disk, reserve } = reserveOn(2 ** 30)
  await reserve.keep()
  disk.guard = (action) => {
    throw new Error(action)
  }

  await reserve.keep()
})
