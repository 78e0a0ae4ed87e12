import { expect, spyOn, test } from 'bun:test'
import { readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { files } from '#agent/kernel/host/real/files.ts'
import { eachFolder } from '#tests/support/each-folder.ts'

let root = ''
eachFolder((path) => {
  root = path
})

test('writes complete files with the requested mode and leaves no temporary file', async () => {
  await files.write(`${root}/a/b.conf`, 'text', { mode: 0o600 })

  expect(await files.read(`${root}/a/b.conf`)).toBe('text')
  expect(statSync(`${root}/a/b.conf`).mode & 0o777).toBe(0o600)
  expect(await files.list(`${root}/a`)).toEqual([{ name: 'b.conf', kind: 'file' }])
})

/** The paths that are synced to the disk during the work, in order. */
async function synced(work: () => Promise<void>): Promise<string[]> {
  await using handle = await open(root)
  const paths: string[] = []
  const methods: FileHandle = Object.getPrototypeOf(handle)
  const spies = (['sync', 'datasync'] as const).map((name) => {
    const real = methods[name]
    return spyOn(methods, name).mockImplementation(function (this: FileHandle) {
      paths.push(readlinkSync(`/proc/self/fd/${this.fd}`))
      return real.call(this)
    })
  })
  await work().finally(() => {
    for (const spy of spies) spy.mockRestore()
  })
  return paths
}

test('syncs what a power failure must not take back: contents, and the names of files', async () => {
  const [draft, ...rest] = await synced(() => files.write(`${root}/a`, 'text'))
  expect([draft?.startsWith(`${root}/.`), rest]).toEqual([true, [root]])
  expect(await synced(() => files.append(`${root}/a`, 'more', { sync: true }))).toEqual([
    `${root}/a`,
  ])
  expect(await synced(() => files.append(`${root}/a`, 'more'))).toEqual([])
  await files.mkdir(`${root}/b`)
  expect(await synced(() => files.rename(`${root}/a`, `${root}/b/a`))).toEqual([`${root}/b`])
})

test('reports a missing file as undefined', async () => {
  expect(await files.read(`${root}/none`)).toBeUndefined()
  expect(await files.stat(`${root}/none/below`)).toBeUndefined()
  expect(await files.list(`${root}/none`)).toEqual([])
  await files.remove(`${root}/none`)
})

test('reads files of the kernel, which have no size', async () => {
  expect(await files.read('/proc/self/comm')).toMatch(/^\S+\n$/)
  expect(await files.read('/proc/self')).toBeUndefined()
  expect(await files.read('/proc/nothing/here')).toBeUndefined()
})

test('refuses to read more than the limit', async () => {
  writeFileSync(`${root}/big`, 'x'.repeat(100))

  await expect(files.read(`${root}/big`, 99)).rejects.toThrow('larger than 99 bytes')
})

test('removes a link, not what it points to', async () => {
  writeFileSync(`${root}/target`, 'kept')
  symlinkSync(`${root}/target`, `${root}/link`)

  await files.remove(`${root}/link`)

  expect(await files.read(`${root}/target`)).toBe('kept')
})
