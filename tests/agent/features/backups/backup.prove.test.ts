import { describe, expect, test } from 'bun:test'
import { backupProve } from '#agent/features/backups/backup.prove.ts'
import type { Warning } from '#shared/servers/agent.ts'
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

/** The first program with the word in its arguments ends with this status and message. */
function failing(host: FakeHost, answers: Record<string, [code: number, stderr: string]>): void {
  const { try: attempt } = host.shell
  host.shell.try = async (argv, options) => {
    const [, answer] = Object.entries(answers).find(([word]) => argv.includes(word)) ?? []
    return answer ? { code: answer[0], stdout: '', stderr: answer[1] } : attempt(argv, options)
  }
}

describe('a proof', () => {
  test('restores a backup into a hidden site, checks it and leaves nothing', async () => {
    const { host, params, prove } = await provableSite()

    const [lines, result] = await prove()

    expect(lines).toEqual([
      'Recording the name of the hidden site',
      'Making room for the backup',
      expect.stringMatching(/^Creating the system user proof-\w+$/),
      'Creating the folders',
      'Preparing the database',
      'Connecting to the target',
      'Restoring the files',
      'Restoring 1 files: 1.0 kB',
      'Restoring the database',
      'Fetching the database: 33 B',
      'Disconnecting from the target',
      'Comparing the database',
      'Starting WordPress',
      'Requesting pages',
      'Comparing the files of WordPress',
      'Removing the hidden site',
      'The backup is proven',
    ])
    expect(result).toEqual({
      domain: 'shop.example',
      proof: {
        backup: params.backup,
        at: '2026-01-01T00:00:00.000Z',
        proven: true,
        findings: [],
        files: 1,
        bytes: 1033,
        tables: 1,
        rows: 3,
        pages: PAGES.map((path) => ({ path, status: 200 })),
        core: 'unchecked',
        seconds: 0,
      },
    })
    expect(hiddenOn(host)).toEqual([])
  })

  test('runs the code of the copy without a network, as the copy, at the paths of the original', async () => {
    const { host, prove } = await provableSite()

    await prove()

    const own = host.runs.filter(({ options }) => options.site?.user.startsWith('proof-'))
    const names = own.map(({ line }) => /wp-cli\S+|rewrite|pages|mariadb\S*/.exec(line)?.[0])
    expect(new Set(names)).toEqual(
      new Set(['mariadb', 'mariadb-dump', 'rewrite', 'wp-cli.phar', 'pages']),
    )
    for (const { line, options } of own) {
      expect([line, options.site?.directives.includes('PrivateNetwork=yes')]).toEqual([line, true])
    }
    const boot = own.find(({ line }) => line.includes('is-installed'))
    const user = boot?.options.site?.user
    expect(boot?.options.site?.directives).toContain(`BindPaths=/srv/www/${user}:/srv/www/shop`)
    expect(boot?.line).toContain('sendmail_path=/bin/false')
    expect(boot?.line).toContain('--path=/srv/www/shop/public')
  })
})

test('the hidden site has the disk quota of its tier and its backup, and leaves none', async () => {
  const { host, prove } = await provableSite()
  host.answer('du', '0\ttotal\n')
  const mount = '31 21 254:16 / /srv/www rw shared:7 - ext4 /dev/vdb rw,quota,usrquota\n'
  await host.disk.write('/proc/1/mountinfo', mount)

  const [, result] = await prove()

  expect(Object(result).proof.proven).toBe(true)
  const [name] = host.ran.flatMap((line) => /useradd .*(proof-\w+)/.exec(line)?.[1] ?? [])
  expect(host.ran.filter((line) => line.startsWith(`setquota --user ${name}`))).toEqual([
    `setquota --user ${name} 9765628 9765628 250000 250000 /srv/www`,
    `setquota --user ${name} 9765636 9765636 260002 260002 /srv/www`,
    `setquota --user ${name} 0 0 0 0 /srv/www`,
  ])
})

const PASSWORD =
  'The repository of this site has another password: find its backups with the recovery kit, or choose another target'

describe('a proof fails', () => {
  test.each([
    ['another password', 12, `${PASSWORD} (x)`],
    ['an unreachable target', 1, 'restic: x'],
  ])('for %s', async (_, code, message) => {
    const { host, prove } = await provableSite()
    failing(host, { cat: [code, 'x'] })

    expect(await prove()).toEqual([expect.any(Array), message])
    expect(hiddenOn(host)).toEqual([])
  })

  test('for files that are larger than the manifest says', async () => {
    const { host, prove } = await provableSite()
    const total = { message_type: 'summary', total_bytes: 10 ** 15 }
    const restore = `${host.settings.state_dir}/bin/restic --retry-lock=600s restore`
    host.answer(restore, `${JSON.stringify(total)}\n`)

    const [lines, message] = await prove()

    expect(message).toContain('the proof needs 1000 TB')
    expect([lines.join().includes('Restoring'), hiddenOn(host)]).toEqual([false, []])
  })

  test('without space', async () => {
    const { host, prove } = await provableSite()
    host.disk.space = async () => ({ free: 1000, total: 10_000 })

    const [, reason] = await prove()

    expect(reason).toBe('/srv/www has 1.0 kB free, and the proof needs 268 MB')
    expect(hiddenOn(host)).toEqual([])
  })

  test('for a database that fills the disk, which says nothing about the backup', async () => {
    const { host, prove } = await provableSite()
    host.fail('mariadb --no-defaults --user=proof', "ERROR 1114 (HY000): The table 'a' is full")

    const [, reason] = await prove()

    expect(reason).toContain('no space left on device')
    expect(hiddenOn(host)).toEqual([])
  })
})

test('the next proof removes what an interrupted one left', async () => {
  const { host, params, prove } = await provableSite()
  const work = backupProve.run(params, contextOf(host))
  for (let next = await work.next(); !next.done; next = await work.next()) {
    if (next.value === 'Comparing the database') break
  }
  expect(hiddenOn(host)).not.toEqual([])

  const [lines] = await prove()

  expect(lines[0]).toBe('Removing the hidden site of an interrupted proof')
  expect(hiddenOn(host)).toEqual([])
})

test('marks a proven backup in its repository for the keeper, and no other one', async () => {
  const { host, params, prove } = await provableSite()
  const marks = () => host.runs.flatMap(({ line }) => /--tag proves-\w+/.exec(line)?.[0] ?? [])

  await prove()
  const proven = marks()
  host.fail('/usr/local/bin/hosting-agent pages', `${answered({ status: 500 })}\n`, 0)
  await prove()

  expect([proven, marks()]).toEqual([[`--tag proves-${params.backup}`], proven])
  expect(host.disk.find('/var/lib/hosting-agent/backups/.proof/open')).toBe(undefined)
})

test('a backup is proven although the storage takes no mark, with a warning', async () => {
  const { host, params } = await provableSite()
  failing(host, { proof: [1, 'read only'] })
  const warnings: Warning[] = []

  const [, result] = await outcome(backupProve.run(params, contextOf(host, warnings)))

  expect(result).toMatchObject({ proof: { proven: true } })
  expect(warnings).toEqual([
    { code: 'not_marked', message: 'The keeper cannot see the proof: restic: read only' },
  ])
})

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

  test.each<[string, (host: FakeHost) => void, object]>([
    [
      'files are missing',
      (host) => host.answer('awk', '2 999\n'),
      found('files_differ', '1 files with 1000 bytes were saved, and 2 with 999 were restored'),
    ],
    [
      'its dump is another one',
      (host) => host.answer('sha256sum', `${'0'.repeat(64)}  x\n`),
      {
        ...found('dump_damaged', 'The dump of the database is not the one that was saved'),
        ...{ bytes: 1000, tables: 0, pages: [] },
      },
    ],
    [
      'MariaDB refuses its dump',
      (host) => host.fail('mariadb --no-defaults --user=proof', 'ERROR 1064 (42000) at line 7: `x'),
      found('database_refused', 'MariaDB did not import the dump (ERROR 1064 (42000) at line 7)'),
    ],
    [
      'rows differ',
      (host) => answersOfRewriter(host, digests('a'), digests('b')),
      {
        ...found('database_differs', '1 of 1 tables differ from the dump'),
        ...{ tables: 0, rows: 0 },
      },
    ],
  ])('if %s', async (_, change, expected) => {
    expect(await findingOf(change)).toMatchObject(expected)
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

  const answering = async (answers: Parameters<typeof failing>[1]) => {
    const { host, prove } = await provableSite()
    failing(host, answers)
    const [, result] = await prove()
    expect(hiddenOn(host)).toEqual([])
    return proofOf(result)
  }
  const INVALID = 'LoadRaw(<snapshot/1>): invalid data returned'
  const CONFIG = 'Fatal: config or key 1 is damaged: ciphertext verification failed'
  const UNREADABLE = 'restic cannot read all data of the backup'
  const CLOSED = 'restic cannot open the repository: its configuration or key is damaged'

  test.each<[string, Parameters<typeof failing>[1], string]>([
    [
      'its data cannot be read',
      { '/manifest.json': [1, 'Fatal: ciphertext verification failed'] },
      UNREADABLE,
    ],
    [
      'its snapshot is damaged',
      { '/manifest.json': [1, INVALID], snapshot: [1, INVALID] },
      UNREADABLE,
    ],
    ['the configuration of the repository is damaged', { config: [1, CONFIG] }, CLOSED],
  ])('if %s', async (_, answers, message) => {
    expect(await answering(answers)).toMatchObject(found('damaged', message))
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
  failing(host, { '/manifest.json': [code, stderr] })

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
