import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createHash, verify } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { publicKeyOf } from '#agent/kernel/host/public-keys.ts'
import { findBuild } from '#dashboard/kernel/agents/builds.ts'
import {
  describeBuild,
  developmentPublisher,
  manifestOf,
  newReleaseKey,
  publisherOf,
  signBuild,
} from '#scripts/lib/release.ts'
import { must } from '#scripts/lib/run.ts'
import { releaseText } from '#shared/kernel/release.ts'

const PROGRAM = 'program'
const NAME = 'hosting-agent-linux-arm64-musl'
const described = { version: '1.2.3', build: 7, machine: 'linux-arm64-musl' }
const sha256 = createHash('sha256').update(PROGRAM).digest('hex')

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'release-'))
  await writeFile(join(folder, NAME), PROGRAM)
})
afterEach(() => rm(folder, { recursive: true }))

const script = (name: string, ...args: string[]) =>
  must([process.execPath, resolve('scripts', name), ...args])

test('a build that is signed with a new key is served with its signature', async () => {
  const file = join(folder, NAME)
  const key = join(folder, 'key')
  await script('release-key.ts', 'new', key)
  await describeBuild(file, described)

  const output = await script('sign-build.ts', '--key', key, folder)

  const { public_key } = await publisherOf(`${key}.pub`)
  const { release } = (await findBuild(described.machine, folder)) ?? {}
  expect(JSON.parse(release?.manifest ?? '')).toEqual({
    product: 'hosting-agent',
    ...described,
    sha256,
  })
  const text = Buffer.from(releaseText(release?.manifest ?? ''))
  const signature = Buffer.from(release?.signature ?? '', 'base64url')
  const known = publicKeyOf(public_key)
  expect(known && verify(null, text, known, signature)).toBe(true)
  expect((await stat(key)).mode & 0o777).toBe(0o600)
  expect(output).toContain(`1.2.3 (7) linux-arm64-musl ${sha256}\nsigned by ${public_key}`)
})

test('a key is never replaced', async () => {
  const key = join(folder, 'key')
  await newReleaseKey(key)
  const before = await readFile(key, 'utf8')

  await expect(newReleaseKey(key)).rejects.toThrow('EEXIST')

  expect(await readFile(key, 'utf8')).toBe(before)
})

test('a rebuilt executable is served without the old signature', async () => {
  const file = join(folder, NAME)
  const key = join(folder, 'key')
  await newReleaseKey(key)
  await describeBuild(file, described)
  await signBuild(file, await readFile(key, 'utf8'))

  await writeFile(file, 'newer')

  expect((await findBuild(described.machine, folder))?.release).toBeUndefined()
  await describeBuild(file, described)
  expect((await findBuild(described.machine, folder))?.release).toBeUndefined()
  expect(await readFile(manifestOf(file), 'utf8')).toContain('"build":7')
})

test('a checkout has one development key, which others cannot read', async () => {
  const found = await Promise.all([1, 2, 3].map(() => developmentPublisher(folder)))

  expect(new Set(found.map(({ public_key }) => public_key)).size).toBe(1)
  expect((await stat(join(folder, 'dist/development-key'))).mode & 0o777).toBe(0o600)
})
