import { expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { ftruncateSync, mkdirSync, openSync, truncateSync, writeFileSync } from 'node:fs'
import {
  describeUnfit,
  findUnfit,
  patternOf,
  refuseUnfit,
} from '#agent/features/backups/unfit-files.ts'
import { server, shop } from '#tests/support/agent/debian.ts'
import { logFolder } from '#tests/support/agent/logs.ts'

const HOME = '/srv/www/shop'
const PUBLIC = `${HOME}/public`
const TB = 2 ** 40

/** A host whose site has the files of a real folder in its public one. */
async function hostOf(folder: string) {
  const host = await server(shop)
  const real = host.shell.try
  const levels = folder.split('/').length - PUBLIC.split('/').length
  host.shell.try = async (argv, options) => {
    if (argv[0] !== 'find') return real(argv, options)
    const words = argv
      .slice(1)
      .filter((word) => !word.startsWith(`${HOME}/`) || word === PUBLIC)
      .map((word) => (word === PUBLIC ? folder : word))
      // Its folder has more parents than that of a site.
      .map((word) => word.replace(/(?<=\]\*\)\{)\d+/, (count) => `${Number(count) + levels}`))
    const stdout = execFileSync('find', words, { encoding: 'utf8' })
    return { code: 0, stdout: stdout.replaceAll(folder, PUBLIC), stderr: '' }
  }
  return host
}

test('a large file that is almost empty, and a folder below a hundred others, are found', async () => {
  const folder = logFolder()
  for (const [name, size] of [
    ['hole', 8 * TB],
    ['small', 2 ** 29],
  ] as const) {
    writeFileSync(`${folder}/${name}`, 'begin')
    truncateSync(`${folder}/${name}`, size)
  }
  mkdirSync(`${folder}/${'d/'.repeat(98)}`, { recursive: true })
  const allowed = await findUnfit(await hostOf(folder), 'shop')
  mkdirSync(`${folder}/${'d/'.repeat(120)}`, { recursive: true })

  const found = await findUnfit(await hostOf(folder), 'shop')

  const hole = { path: 'public/hole', kind: 'hole', size: 8 * TB } as const
  expect(allowed).toEqual([hole])
  expect(found.toSorted((a, b) => a.path.length - b.path.length)).toEqual([
    hole,
    { path: `public/${'d/'.repeat(99)}`.slice(0, -1), kind: 'deep', size: 0 },
  ])
})

test('many smaller files that are almost empty are refused together', async () => {
  const folder = logFolder()
  for (let number = 0; number < 20; number++) {
    writeFileSync(`${folder}/${number}`, '')
    truncateSync(`${folder}/${number}`, number < 16 ? 2 ** 30 : 2 ** 20)
  }
  expect(await findUnfit(await hostOf(folder), 'shop')).toEqual([])
  writeFileSync(`${folder}/last`, '')
  truncateSync(`${folder}/last`, 2 ** 21)

  await expect(findUnfit(await hostOf(folder), 'shop')).rejects.toThrow(
    'The site has 17 files that say that they have 17.2 GB, and are almost empty: remove them, and try again',
  )
})

test('a name that is not UTF-8 is found, and its pattern matches it', async () => {
  const folder = logFolder()
  const name = Buffer.concat([
    Buffer.from(`${folder}/big`),
    Buffer.from([0xff, 0xfe]),
    Buffer.from('.bin'),
  ])
  writeFileSync(name, '')
  ftruncateSync(openSync(name, 'r+'), 2 * TB)

  const [found] = await findUnfit(await hostOf(folder), 'shop')

  expect(found?.kind).toBe('hole')
  expect(patternOf(found?.path ?? '')).toBe('public/big*.bin')
})

test('names with line breaks and signs of patterns are whole', async () => {
  const folder = logFolder()
  const name = 'a [b]*?\\\nc'
  writeFileSync(`${folder}/${name}`, '')
  truncateSync(`${folder}/${name}`, 2 * TB)

  const [found] = await findUnfit(await hostOf(folder), 'shop')

  expect(found?.path).toBe(`public/${name}`)
  expect(patternOf(name)).toBe('a \\[b\\]\\*\\?\\\\\nc')
  expect(describeUnfit(found)).toBe(
    'public/a [b]*?\\?c says that it has 2.2 TB, and is almost empty',
  )
})

test('a copy that would lack something is refused, with what to do', async () => {
  const folder = logFolder()
  writeFileSync(`${folder}/hole`, '')
  truncateSync(`${folder}/hole`, 2 * TB)
  const host = await hostOf(folder)

  await expect(refuseUnfit(host, 'shop')).rejects.toThrow(
    'public/hole says that it has 2.2 TB, and is almost empty: remove it, and try again',
  )
  await refuseUnfit(host, 'shop', ['deep'])
})
