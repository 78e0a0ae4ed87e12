import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, mkdtemp, realpath, rename, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROGRAM, ROOT } from '#dashboard/kernel/runtime/program-paths.ts'
import { must } from '#scripts/lib/run.ts'

const CHECKOUT = join(import.meta.dir, '../../../..')

test('the sources are in their checkout, and Bun starts them', () => {
  expect(ROOT).toBe(CHECKOUT)
  expect(PROGRAM).toEqual([process.execPath, join(CHECKOUT, 'dashboard/main.ts')])
})

describe('a build', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'root-')))
    const entry = join(folder, 'entry.ts')
    const source = join(CHECKOUT, 'dashboard/kernel/runtime/program-paths.ts')
    await Bun.write(entry, `import * as all from '${source}'\n${PRINT}`)
    await mkdir(join(folder, 'draft/dist'), { recursive: true })
    const outfile = join(folder, 'draft/dist/program')
    await Bun.build({ entrypoints: [entry], target: 'bun', compile: { outfile } })
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('is in its release, also after that was renamed and through a link', async () => {
    const release = join(folder, 'release')
    await rename(join(folder, 'draft'), release)
    await symlink('release', join(folder, 'current'))

    const printed = await must([join(folder, 'current/dist/program')], { cwd: '/' })

    expect(JSON.parse(printed)).toEqual({
      ROOT: release,
      PROGRAM: [join(release, 'dist/program')],
    })
  })
})

const PRINT = 'console.log(JSON.stringify(all))'
