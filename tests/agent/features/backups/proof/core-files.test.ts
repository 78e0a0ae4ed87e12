import { describe, expect, test } from 'bun:test'
import { checkCore } from '#agent/features/backups/proof/core-files.ts'
import { server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const HIDDEN = { user: 'proof-x', php: '8.2', original: 'shop' }
const FOLDER = '/srv/www/shop/public'
const COPY = '/var/lib/hosting-agent/cache/wordpress/7.0.9'
const LIST = 'https://checksums.example/1.0/?version=7.0.9&locale=de_DE'
const EXTRA = 'WordPress version: 7.0.9\nDatabase revision: 60717\nPackage language:  de_DE\n'
const MD5 = 'd41d8cd98f00b204e9800998ecf8427e'
const FILES = { 'xmlrpc.php': MD5, 'wp-includes/version.php': MD5 }

interface Answers {
  extra?: string
  list?: unknown
  md5sum?: { code: number; stdout: string }
  diff?: { code: number; stdout: string }
}

/** What is found, and the programs that compared, with their standard input. */
async function checked({ extra = EXTRA, list, md5sum, diff }: Answers, more = '') {
  const host: FakeHost = await server(shop)
  if (list !== undefined) host.pages.set(LIST, JSON.stringify(list) + more)
  if (diff) host.disk.putFolder(COPY)
  host.answer('/usr/bin/php8.2', extra)
  const ran: { program: string; input: string }[] = []
  const { try: attempt } = host.shell
  host.shell.try = async (argv, options) => {
    const [program = ''] = argv
    const answer = { md5sum, diff }[program]
    if (!answer) return attempt(argv, options)
    ran.push({ program, input: String(options?.input ?? '') })
    return { ...answer, stderr: '' }
  }
  return { found: await checkCore(host, HIDDEN), ran }
}

const SAME = { code: 0, stdout: '' }

describe('the files of WordPress', () => {
  test('have the MD5 that is published for their version and language', async () => {
    const own = { 'wp-content/themes/x/a b,c.ttf': MD5, 'readme.html': MD5 }
    const list = { checksums: { ...FILES, ...own } }

    const { found, ran } = await checked({ list, md5sum: SAME, diff: SAME })

    expect(found).toEqual({ core: 'same', core_list: 'compared', differing: 0 })
    const input = Object.keys(FILES).map((path) => `${MD5}  ${FOLDER}/${path}\n`)
    expect(ran).toEqual([{ program: 'md5sum', input: input.join('') }])
  })

  test('are counted if they are changed or missing', async () => {
    const stdout = `${FOLDER}/xmlrpc.php: FAILED\n${FOLDER}/a.php: FAILED open or read\n`

    const { found } = await checked({ list: { checksums: FILES }, md5sum: { code: 1, stdout } })

    expect(found).toEqual({ core: 'differs', core_list: 'compared', differing: 2 })
  })

  test('are compared with the copy of the server if the list cannot be fetched', async () => {
    const diff = { code: 1, stdout: `Only in ${COPY}: a.php\nOnly in ${FOLDER}: b.php\n` }

    const { found, ran } = await checked({ diff })

    expect(found).toEqual({ core: 'differs', core_list: 'unreachable', differing: 1 })
    expect(ran).toEqual([{ program: 'diff', input: '' }])
  })

  test('are unchecked without list and copy, which is no failure', async () => {
    expect((await checked({})).found).toEqual({
      ...{ core: 'unchecked', core_list: 'unreachable', differing: 0 },
    })
    expect((await checked({ list: { checksums: false } })).found).toEqual({
      ...{ core: 'unchecked', core_list: 'unknown', differing: 0 },
    })
  })

  test.each<[string, unknown, string]>([
    ['a path to elsewhere', { checksums: { '../a.php': MD5 } }, ''],
    ['a path that begins like an option', { checksums: { '-c': MD5 } }, ''],
    ['a path with a new line', { checksums: { 'a\nb': MD5 } }, ''],
    ['another digest', { checksums: { a: 'x' } }, ''],
    ['no JSON', {}, '<html>'],
  ])('are not compared with a list that has %s', async (_, list, more) => {
    const { found, ran } = await checked({ list }, more)

    expect(found).toEqual({ core: 'unchecked', core_list: 'unreachable', differing: 0 })
    expect(ran).toEqual([])
  })

  test.each(['', 'WordPress version: ../x\n', 'WordPress version: 7.0.9&x=y\n'])(
    'are unchecked if they say no version: %p',
    async (extra) => {
      const found = { core: 'unchecked', core_list: undefined, differing: 0 } as const
      expect((await checked({ extra, list: { checksums: FILES } })).found).toEqual(found)
    },
  )

  test('are unchecked if md5sum fails without naming a file', async () => {
    const list = { checksums: FILES }
    const unchecked = { core: 'unchecked', core_list: 'compared', differing: 0 } as const
    for (const code of [1, 2, 137]) {
      const { found } = await checked({ list, md5sum: { code, stdout: '' } })
      expect(found).toEqual(unchecked)
    }
  })
})
