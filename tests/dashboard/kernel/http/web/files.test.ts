import { expect, test } from 'bun:test'
import { mkdir } from 'node:fs/promises'
import { readBuiltPages } from '#dashboard/kernel/http/web/files.ts'
import { temporaryFolder } from '#tests/support/processes.ts'

test('pages of which a part is missing are not built yet', async () => {
  const folder = await temporaryFolder('pages')
  expect(await readBuiltPages(folder)).toBeUndefined()

  await mkdir(`${folder}/assets`)
  await Bun.write(`${folder}/index.html`, 'all pages')
  expect(await readBuiltPages(folder)).toBeUndefined()

  await Bun.write(`${folder}/handoff.html`, 'a new tab')
  expect(await readBuiltPages(folder)).toEqual({
    document: 'all pages',
    handoff: 'a new tab',
    assets: new Map(),
  })
})
