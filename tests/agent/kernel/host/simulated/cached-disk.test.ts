import { expect, test } from 'bun:test'
import { CachedDisk } from '#agent/kernel/host/simulated/cached-disk.ts'
import { Dice } from '#agent/kernel/host/simulated/dice.ts'
import { Disk } from '#agent/kernel/host/simulated/disk.ts'

/** What is left of the work on a new disk, in many losses of power. */
async function left(work: (disk: CachedDisk) => Promise<void>): Promise<string[]> {
  const found = new Set<string>()
  for (let seed = 0; seed < 200; seed++) {
    const disk = new CachedDisk(new Disk())
    await disk.mkdir('/var')
    disk.sync()
    await work(disk)
    disk.losePower(new Dice(seed))
    found.add(JSON.stringify(disk.all))
  }
  return [...found].sort()
}

test('what is written is there, with all names before it', async () => {
  const states = await left(async (disk) => {
    await disk.mkdir('/var/folder')
    await disk.write('/var/file', 'text')
  })

  expect(states).toEqual(['{"/var":null,"/var/file":"text","/var/folder":null}'])
})

test('names that nothing synced are lost from the last one on', async () => {
  const states = await left(async (disk) => {
    await disk.mkdir('/var/one')
    await disk.mkdir('/var/two')
  })

  expect(states).toEqual([
    '{"/var":null,"/var/one":null,"/var/two":null}',
    '{"/var":null,"/var/one":null}',
    '{"/var":null}',
  ])
})

test('text that is appended may be torn, and is complete once it is synced', async () => {
  const torn = await left(async (disk) => {
    await disk.append('/var/log', 'ab', { sync: true })
    await disk.append('/var/log', 'cd')
  })
  const whole = await left(async (disk) => {
    await disk.append('/var/log', 'ab')
    await disk.append('/var/log', 'cd', { sync: true })
  })

  const states = ['ab', 'abc', 'abcd'].map((log) =>
    JSON.stringify({ '/var': null, '/var/log': log }),
  )
  expect([torn, whole]).toEqual([states, [states[2] ?? '']])
})

test('a change after a loss of power is one of this disk alone', async () => {
  const first = new Disk()
  await first.write('/var/file', 'first')
  const disk = new CachedDisk(first)
  await disk.write('/var/file', 'second')
  disk.losePower(new Dice(1))
  await disk.append('/var/file', ' third')

  expect([first.text('/var/file'), disk.text('/var/file')]).toEqual(['first', 'second third'])
})
