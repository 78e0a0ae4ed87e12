// tier: full
import { expect, test } from 'bun:test'
import { open } from 'node:fs/promises'
import { buildAgent } from '#scripts/build-agent.ts'
import { useDashboard } from '#tests/support/running.ts'

const { client } = useDashboard()

/** `e_machine` of an ELF header (elf(5)), and the loader that the file names. */
async function headerOf(path: string) {
  const file = await open(path)
  try {
    const { buffer } = await file.read(Buffer.alloc(4096), 0, 4096, 0)
    const text = buffer.toString('latin1')
    return {
      elf: text.slice(1, 4),
      machine: buffer.readUInt16LE(18),
      loader: /\/lib[^\0]*\/ld-[^\0]*/.exec(text)?.[0],
    }
  } finally {
    await file.close()
  }
}

const X86_64 = 62
const AARCH64 = 183

test.each([
  ['bun-linux-arm64', AARCH64, '/lib/ld-linux-aarch64.so.1'],
  ['bun-linux-x64-musl', X86_64, '/lib/ld-musl-x86_64.so.1'],
  ['bun-linux-arm64-musl', AARCH64, '/lib/ld-musl-aarch64.so.1'],
])('%s is a program for that machine', async (target, machine, loader) => {
  const { file } = await buildAgent('.', { target })

  expect(await headerOf(file)).toEqual({ elf: 'ELF', machine, loader })
})

test('the dashboard serves a build to everybody, compressed', async () => {
  await buildAgent('.', { target: 'bun-linux-arm64' })

  const { status, headers } = await client().send({
    method: 'HEAD',
    path: '/agent/linux-arm64.gz',
  })

  expect([status, headers.get('content-type')]).toEqual([200, 'application/gzip'])
})

test('there is no build for an unknown machine', async () => {
  expect((await client().get('/agent/linux-riscv64.gz')).status).toBe(404)
})
