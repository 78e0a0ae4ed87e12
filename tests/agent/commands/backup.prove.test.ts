import { describe, expect, test } from 'bun:test'
import { backupProve } from '#agent/commands/backup.prove.ts'
import type { Warning } from '#shared/agent.ts'
import { contextOf, outcome } from '#tests/support/agent/debian.ts'
import { eachFault } from '#tests/support/agent/faults.ts'
import { answered, hiddenOn, PAGES, provableSite } from '#tests/support/agent/proof.ts'
import { times } from '#tests/support/runs.ts'

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
    const { try: attempt } = host.shell
    host.shell.try = async (argv, options) =>
      argv.includes('cat') ? { code, stdout: '', stderr: 'x' } : attempt(argv, options)

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

  test('at any effect, and leaves nothing', async () => {
    const made = await provableSite()
    let failed = 0

    await eachFault(
      async () => (await provableSite()).host,
      (host) => outcome(backupProve.run(made.params, contextOf(host))),
      async (host, _, [, result], fault) => {
        if (typeof result !== 'string') return
        failed += 1
        expect([fault, hiddenOn(host)]).toEqual([fault, []])
      },
    )
    expect(failed).toBeGreaterThan(times(30))
  }, 60_000)
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
  const { try: attempt } = host.shell
  host.shell.try = async (argv, options) =>
    argv.includes('proof') ? { code: 1, stdout: '', stderr: 'read only' } : attempt(argv, options)
  const warnings: Warning[] = []
  const context = { ...contextOf(host), warn: (one: Warning) => void warnings.push(one) }

  const [, result] = await outcome(backupProve.run(params, context))

  expect(result).toMatchObject({ proof: { proven: true } })
  expect(warnings).toEqual([
    { code: 'not_marked', message: 'The keeper cannot see the proof: restic: read only' },
  ])
})
