import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'

test('the pinned archives of Bun are those of the version that package.json names', async () => {
  const [version, ...lines] = (await readFile('scripts/lib/bun.sha512', 'utf8')).trim().split('\n')
  const { packageManager } = JSON.parse(await readFile('package.json', 'utf8'))
  const digests = lines.map((line) => line.split(' '))

  expect(packageManager).toBe(`bun@${version}`)
  expect(digests.map(([name]) => name)).toEqual([
    'bun-linux-x64',
    'bun-linux-x64-musl',
    'bun-linux-aarch64',
    'bun-linux-aarch64-musl',
  ])
  for (const [, digest = ''] of digests) expect(Buffer.from(digest, 'base64')).toHaveLength(64)
})
