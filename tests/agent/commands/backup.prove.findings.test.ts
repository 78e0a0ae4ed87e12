import { describe, expect, test } from 'bun:test'
import { backupProve } from '#agent/commands/backup.prove.ts'
import { contextOf, outcome } from '#tests/support/agent/debian.ts'
import {
  answered,
  answersOfRewriter,
  digests,
  hiddenOn,
  PAGES,
  provableSite,
} from '#tests/support/agent/proof.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const proofOf = (result: object | string) =>
  typeof result === 'string' ? result : (result as { proof: object }).proof

describe('a backup is not proven', () => {
  const findingOf = async (change: (host: FakeHost) => void) => {
    const { host, prove } = await provableSite()
    change(host)
    const [, result] = await prove()
    expect(hiddenOn(host)).toEqual([])
    return proofOf(result)
  }
  const found = (code: string, message: string) => ({
    proven: false,
    findings: [{ code, message }],
  })

  test('if files are missing', async () => {
    expect(await findingOf((host) => host.answer('awk', '2 999\n'))).toMatchObject(
      found('files_differ', '1 files with 1000 bytes were saved, and 2 with 999 were restored'),
    )
  })

  test('if its dump is another one', async () => {
    const proof = await findingOf((host) => host.answer('sha256sum', `${'0'.repeat(64)}  x\n`))

    expect(proof).toMatchObject({
      ...found('dump_damaged', 'The dump of the database is not the one that was saved'),
      ...{ bytes: 1000, tables: 0, pages: [] },
    })
  })

  test('if MariaDB refuses its dump', async () => {
    const proof = await findingOf((host) =>
      host.fail('mariadb --no-defaults --user=proof', 'ERROR 1064 (42000) at line 7: `x'),
    )

    const message = 'MariaDB did not import the dump (ERROR 1064 (42000) at line 7)'
    expect(proof).toMatchObject(found('database_refused', message))
  })

  test('if rows differ', async () => {
    const proof = await findingOf((host) => answersOfRewriter(host, digests('a'), digests('b')))

    expect(proof).toMatchObject({
      ...found('database_differs', '1 of 1 tables differ from the dump'),
      ...{ tables: 0, rows: 0 },
    })
  })

  test('if WordPress does not start', async () => {
    const proof = await findingOf((host) => {
      const { table } = host
      const php = table.php
      host.table = {
        ...table,
        php: (machine, argv, options) =>
          argv.includes('is-installed')
            ? { code: 255, stdout: '', stderr: 'fatal' }
            : (php?.(machine, argv, options) ?? { code: 0, stdout: '', stderr: '' }),
      }
    })

    expect(proof).toMatchObject(
      found('does_not_boot', 'WordPress does not start with its plugins and theme'),
    )
  })

  test.each([
    [{ status: 0, complete: false }, 'has no answer'],
    [{ status: 500 }, 'is answered with 500'],
    [{ complete: false }, 'is cut off before its end'],
  ])('if pages fail: %p', async (answer, message) => {
    const proof = await findingOf((host) =>
      host.answer('/usr/local/bin/hosting-agent pages', answered(answer)),
    )

    expect(proof).toMatchObject({
      proven: false,
      findings: PAGES.map((path) => ({ code: 'page_fails', message: `${path} ${message}` })),
    })
  })

  test('if it is not in the repository', async () => {
    const { host, params } = await provableSite()
    const other = { ...params, backup: 'f'.repeat(64) }

    const [, result] = await outcome(backupProve.run(other, contextOf(host)))

    expect(proofOf(result)).toMatchObject(
      found('missing', 'The repository does not have this backup'),
    )
    expect(hiddenOn(host)).toEqual([])
  })

  test('if its data cannot be read', async () => {
    const { host, params, prove } = await provableSite()
    const { try: attempt } = host.shell
    host.shell.try = async (argv, options) =>
      argv.includes(`/manifest.json`)
        ? { code: 1, stdout: '', stderr: 'Fatal: ciphertext verification failed' }
        : attempt(argv, options)

    expect(proofOf((await prove())[1])).toMatchObject(
      found('damaged', 'restic cannot read all data of the backup'),
    )
    expect(params.backup).toMatch(/^[0-9a-f]{64}$/)
  })

  const answering = async (answers: Record<string, [code: number, stderr: string]>) => {
    const { host, prove } = await provableSite()
    const { try: attempt } = host.shell
    host.shell.try = async (argv, options) => {
      const [, answer] = Object.entries(answers).find(([word]) => argv.includes(word)) ?? []
      return answer ? { code: answer[0], stdout: '', stderr: answer[1] } : attempt(argv, options)
    }
    const [, result] = await prove()
    expect(hiddenOn(host)).toEqual([])
    return proofOf(result)
  }
  const INVALID = 'LoadRaw(<snapshot/1>): invalid data returned'

  test('if its snapshot is damaged', async () => {
    expect(
      await answering({ '/manifest.json': [1, INVALID], snapshot: [1, INVALID] }),
    ).toMatchObject(found('damaged', 'restic cannot read all data of the backup'))
  })

  test('if the configuration of the repository is damaged', async () => {
    const words = 'Fatal: config or key 1 is damaged: ciphertext verification failed'
    expect(await answering({ config: [1, words] })).toMatchObject(
      found('damaged', 'restic cannot open the repository: its configuration or key is damaged'),
    )
  })

  test('only if that was found out: not after a cut of the network', async () => {
    const cut: [number, string] = [1, 'dial tcp: i/o timeout']
    expect(await answering({ '/manifest.json': [1, 'EOF'], snapshot: cut })).toBe('restic: EOF')
  })
})

test.each([
  ['restic was killed', 137, 'signal: killed'],
  ['the target did not answer', 1, 'dial tcp: connection refused'],
  ['the repository is locked', 11, 'unable to create lock in backend'],
  ['the disk of the server is full', 1, 'write: no space left on device'],
])('%s: that is an error, and says nothing about the backup', async (_, code, stderr) => {
  const { host, prove } = await provableSite()
  const { try: attempt } = host.shell
  host.shell.try = async (argv, options) =>
    argv.includes('/manifest.json') ? { code, stdout: '', stderr } : attempt(argv, options)

  const [, result] = await prove()

  expect(result).toContain(stderr)
  expect(hiddenOn(host)).toEqual([])
})

test('changed files of WordPress are reported, and the backup is proven', async () => {
  const { host, prove } = await provableSite()
  const core = '/var/lib/hosting-agent/cache/wordpress/7.1.1'
  host.answer('/usr/bin/php8.2', 'WordPress version: 7.1.1\nPackage language:  en_US\n')
  const lines = [`Files ${core}/a.php and /srv/www/shop/public/a.php differ`, `Only in ${core}: b`]
  const { try: attempt } = host.shell
  host.shell.try = async (argv, options) =>
    argv[0] === 'diff'
      ? { code: 1, stdout: [...lines, 'Only in /srv/www/shop/public: c'].join('\n'), stderr: '' }
      : attempt(argv, options)

  expect(proofOf((await prove())[1])).toMatchObject({
    proven: true,
    core: 'differs',
    core_list: 'unreachable',
    findings: [
      { code: 'core_differs', message: '2 files of WordPress are not the published ones' },
    ],
  })
})
