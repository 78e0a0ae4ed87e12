import { expect, test } from 'bun:test'
import { socketOf } from '#agent/features/php/fpm-files.ts'
import { awaitNoLongRequests } from '#agent/features/php/fpm-requests.ts'
import { type FakeHost, fakeHost } from '#tests/support/fake-host.ts'

const pool = { user: 'shop', php: '8.2' }
const MINUTE = 60_000

/** As the kernel lists sockets: the one that listens, those of this pool, and one of another. */
function connected(host: FakeHost, ...inodes: number[]): void {
  const line = (state: string, inode: number, path: string) =>
    `0000000000000000: 00000003 00000000 00000000 0001 ${state} ${inode} ${path}`
  const lines = [
    'Num       RefCount Protocol Flags    Type St Inode Path',
    line('01', 1, socketOf(pool)),
    ...inodes.map((inode) => line('03', inode, socketOf(pool))),
    line('03', 7, socketOf({ user: 'other', php: '8.2' })),
    '0000000000000000: 00000003 00000000 00000000 0001 03 8',
  ]
  void host.disk.write('/proc/1/net/unix', lines.join('\n'))
}

/** Which connections there are after each pause. */
async function waited(...moments: readonly (readonly number[])[]): Promise<number> {
  const host = fakeHost()
  const left = [...moments]
  connected(host, ...(left.shift() ?? []))
  const start = host.time
  const { sleep } = host.clock
  host.clock.sleep = async (ms) => {
    await sleep(ms)
    connected(host, ...(left.length > 1 ? (left.shift() ?? []) : (left[0] ?? [])))
  }
  await awaitNoLongRequests(host, pool)
  return host.time - start
}

test.each([
  { name: 'nobody is there', moments: [[]], ms: 0 },
  {
    name: 'requests are short, however many',
    moments: [
      [11, 12],
      [13, 14],
    ],
    ms: 2000,
  },
  { name: 'a long one runs', moments: [[11, 12], [11, 13], [11], [15]], ms: 6000 },
  { name: 'one never ends', moments: [[11], [11]], ms: 5 * MINUTE },
])('waits $ms ms when $name', async ({ moments, ms }) => {
  expect(await waited(...moments)).toBe(ms)
})
