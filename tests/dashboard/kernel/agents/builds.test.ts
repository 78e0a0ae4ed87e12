import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { findBuild, listBuilds } from '#dashboard/kernel/agents/builds.ts'
import { downloadOf } from '#dashboard/kernel/trust/download.ts'
import { gzipBeside } from '#scripts/lib/gzip-beside.ts'
import { MACHINES, machineOf } from '#shared/kernel/machines.ts'

const PROGRAM = 'program '.repeat(1000)
const NAME = 'hosting-agent-linux-arm64-musl'

let folder = ''
beforeEach(async () => {
  folder = `${await mkdtemp(join(tmpdir(), 'builds-'))}/`
  await Bun.write(folder + NAME, PROGRAM)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function found() {
  const build = await findBuild('linux-arm64-musl', folder)
  if (!build) throw new Error('no build')
  return build
}

const unpacked = async (response: Response) => gunzipSync(await response.arrayBuffer()).toString()

test('a build is identified by the digest of the executable', async () => {
  const sha256 = createHash('sha256').update(PROGRAM).digest('hex')
  const path = folder + NAME

  expect(await listBuilds(folder)).toEqual([{ machine: 'linux-arm64-musl', path, sha256 }])
})

test.each(['linux-riscv64', '__proto__', '', '../hosting-agent'])(
  'no build exists for %j',
  async (machine) => expect(await findBuild(machine, folder)).toBeUndefined(),
)

test('a precompressed file is sent unchanged, with its length', async () => {
  const { bytes } = await gzipBeside(folder + NAME)

  const response = downloadOf(await found(), 'GET')

  expect(response.headers.get('content-length')).toBe(String(bytes))
  expect(await unpacked(response)).toBe(PROGRAM)
})

test('a new executable is not sent in the compression of the old one', async () => {
  await gzipBeside(folder + NAME)
  await Bun.write(folder + NAME, 'newer')
  await utimes(folder + NAME, 1, 1)

  const build = await found()

  expect(build.gzip).toBeUndefined()
  expect(await unpacked(downloadOf(build, 'GET'))).toBe('newer')
})

test('is compressed once for each executable', async () => {
  const first = await gzipBeside(folder + NAME)
  const second = await gzipBeside(folder + NAME)

  expect([first.fresh, second.fresh]).toEqual([true, false])
})

test('a machine is identified by its processor and libc', () => {
  const glibc = '7f00-7f01 r-xp 00000000 08:01 1 /usr/lib/x86_64-linux-gnu/libc.so.6'
  const musl = '7f00-7f01 r-xp 00000000 08:01 1 /lib/ld-musl-aarch64.so.1'

  expect(machineOf('x64', glibc)).toBe('linux-x64')
  expect(machineOf('arm64', musl)).toBe('linux-arm64-musl')
  expect(MACHINES).toEqual(expect.arrayContaining(['linux-x64', 'linux-arm64-musl']))
})
