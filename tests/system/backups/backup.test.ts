// tier: gate
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import { dashboard, kit, opened } from '#tests/support/agent/backup.ts'
import * as lab from '#tests/support/lab/index.ts'
import { openedBy } from '#tests/support/repository-password.ts'
import { quickenKeys } from '#tests/support/storage/quick-keys.ts'
import { putRestic } from '#tests/support/storage/restic.ts'
import { answersDuring, PAUSED } from '#tests/support/system/answers-during.ts'
import { ENVIRONMENT, startMachine } from '#tests/support/system/machine.ts'
import { shopOf, withShop } from '#tests/support/system/prepared.ts'
import { testProgram } from '#tests/support/system/test-program.ts'
import { inTurn, sampled } from '#tests/support/turns.ts'

const MINUTES = 60_000
setDefaultTimeout(10 * MINUTES)
const SITE = shopOf('trixie')
const PUBLIC = `/srv/www/${SITE.user}/public`
const TARGET = { place: { kind: 'local', path: '/mnt/store' }, secret: '' }

const reason = lab.available()
describe.skipIf(reason !== undefined)(`a backup${reason ? ` [skip: ${reason}]` : ''}`, () => {
  let host: lab.Host
  let backup: { id: string; repository: string }
  let password: string
  let prefix = 'wp_'

  const run = async (command: string, params: object, fault = 'none') => {
    const argv = ['/usr/local/bin/hosting-agent', command, fault, JSON.stringify(params)]
    return JSON.parse(await host.must(argv, { env: ENVIRONMENT, timeout_ms: 5 * MINUTES }))
  }
  const completed = async (command: string, params: object) => {
    const { event, data } = (await run(command, params)).outcome
    expect([event, data]).toEqual(['complete', data])
    return data
  }
  const sql = (text: string) =>
    host.must(['mariadb', SITE.user, '-N', '-e', text.replaceAll('wp_', prefix)])
  /** Owners, modes, sizes and contents of all files, and the rows of all tables. */
  const state = async () => {
    const files = await host.must([
      ...['find', PUBLIC, '-path', '*/wp-content/cache', '-prune', '-o'],
      ...['-printf', '%P %y %u %g %m %s %l %T@\n'],
    ])
    const sums = await host.must([
      'bash',
      '-c',
      `cd ${PUBLIC} && find . -type f -print0 | sort -z | xargs -0 sha256sum`,
    ])
    const table = `${prefix}options`
    const rows =
      (await host.must([
        'mariadb-dump',
        '--skip-comments',
        `--ignore-table=${SITE.user}.${table}`,
        SITE.user,
      ])) +
      (await sql(
        "SELECT * FROM wp_options WHERE option_name NOT REGEXP '^cron$|transient|recovery' ORDER BY 1",
      ))
    const hash = (text: string) => Bun.hash(text).toString(36)
    return { files: files.split('\n').sort().slice(0, 40), sums: hash(sums), rows: hash(rows) }
  }
  const params = () => ({
    domain: SITE.domain,
    target: TARGET,
    dashboard_key: dashboard.publicKey,
    recovery_key: kit.publicKey,
    repository: SITE.user,
  })
  const restore = (parts: { files: boolean; database: boolean }) => ({
    domain: SITE.domain,
    target: TARGET,
    repository: backup.repository,
    ...openedBy(password),
    backup: backup.id,
    parts,
  })
  const change = async () => {
    await sql("UPDATE wp_options SET option_value = 'hacked' WHERE option_name = 'blogname'")
    await sql('DROP TABLE wp_comments')
    await host.must(['rm', '-r', `${PUBLIC}/wp-admin/css`])
    await host.put(`${PUBLIC}/evil.php`, 'bad\n')
    await host.must(['chown', `${SITE.user}:`, `${PUBLIC}/evil.php`])
  }

  beforeAll(async () => {
    const program = await testProgram('tests/support/system/faulty-agent.ts')
    host = await startMachine(
      { name: 'backup', suite: 'trixie', init: 'systemd', image: await withShop('trixie') },
      { program, mirror: await wordpressMirror(), serve: false },
    )
    await putRestic(host)
    await host.must(['mkdir', '-m', '0700', '/mnt/store'])
    await host.must([
      'bash',
      '-c',
      `cd ${PUBLIC}; install -d -o ${SITE.user} -g ${SITE.user} -m 1751 wp-content/uploads/a; ln -s /etc/shadow link; printf 'x' > $'new\nline'; truncate -s 20M sparse; chown -h ${SITE.user}: *`,
    ])
    prefix = (await sql("SHOW TABLES LIKE '%\\_options'")).trim().replace('options', '')
    await sql("INSERT INTO wp_options (option_name, option_value) VALUES ('emoji', '🎉')")
    await sql('CREATE TABLE wp_bytes (id INT PRIMARY KEY, b LONGBLOB) ENGINE=Aria')
    await sql("INSERT INTO wp_bytes VALUES (1, x'00ff0a275c'), (2, REPEAT(x'00', 100000))")
  }, 10 * MINUTES)

  afterAll(() => lab.switchDown(), 5 * MINUTES)

  test('a check says whether the target keeps what was written', async () => {
    expect(await completed('backup.check', { target: TARGET })).toEqual({
      status: 'ok',
      append_only: false,
    })
  })

  test('has the files and the database, and its password for both keys', async () => {
    const data = await completed('backup.create', params())
    backup = data.backup
    password = opened(dashboard.privateKey, data.sealed_password)
    expect(password).toMatch(/^[A-Za-z0-9]{48}$/)
    const keys = await host.must(['bash', '-c', `cat /mnt/store/${SITE.user}/keys/*`])
    const sealed = keys.split('}').map((key) => /"username":"([^"]{300,})"/.exec(key)?.[1])
    const mine = sealed.find(Boolean) ?? ''
    expect(opened(kit.privateKey, mine)).toBe(password)
    await quickenKeys(`${host.root}/mnt/store/${SITE.user}`, password)
  })

  test('is restored with everything, and the restore is undone', async () => {
    const before = await state()
    await change()
    const changed = await state()
    const urls = ['/', '/wp-login.php'].map((path) => `http://${SITE.domain}${path}`)
    const { answers } = await answersDuring(host, urls, () =>
      completed('backup.restore', restore({ files: true, database: true })),
    )
    expect(answers).toEqual(['200', PAUSED])
    expect(await state()).toEqual(before)
    await completed('backup.undo', { domain: SITE.domain })
    expect(await state()).toEqual(changed)
    await completed('backup.restore', restore({ files: true, database: false }))
    await completed('backup.restore', restore({ files: false, database: true }))
    expect(await state()).toEqual(before)
  })

  const whatFails = () => {
    test('a restore that fails changes nothing, whichever step fails', async () => {
      const left = async () =>
        (
          await host.must([
            'bash',
            '-c',
            'ls /srv/www/.restore/* /var/lib/hosting-agent/backups/*; systemctl is-active hosting-cron@*.timer',
          ])
        ).split('\n')
      await change()
      const [before, rest] = [await state(), await left()]
      const steps = [
        'target',
        'fetch',
        'close',
        'jobs',
        'stop',
        'keep',
        'dump',
        'database',
        'files',
        'sync',
        'start',
        'record',
      ]
      for (const step of sampled(steps)) {
        const { outcome } = await run(
          'backup.restore',
          restore({ files: true, database: true }),
          `${step}:1`,
        )
        expect([step, outcome.data.message]).toEqual([step, 'injected fault'])
        expect([step, await state()]).toEqual([step, before])
        expect([step, await left()]).toEqual([step, rest])
      }
    })
  }

  const whatIsLeftOut = () => {
    test('what cannot be backed up is named, and the rest is backed up and restored', async () => {
      const uploads = `${PUBLIC}/wp-content/uploads`
      const perl = 'for (1..3000) { mkdir "d" or die; chdir "d" or die }'
      await host.must([
        'setpriv',
        ...[`--reuid=${SITE.user}`, `--regid=${SITE.user}`, '--clear-groups', '--'],
        ...['sh', '-ec', `cd ${uploads}; truncate -s 8T 'hole[1]*.bin'; perl -e '${perl}'`],
      ])

      const data = await completed('backup.create', params())

      const messages = data.warnings.map(({ message }: { message: string }) => message)
      expect(messages.filter((message: string) => message.startsWith('public/')).sort()).toEqual([
        expect.stringMatching(
          /^public\/wp-content\/uploads(\/d)+\/… is a folder below 100 others, or has too long a path: it is not in the backup$/,
        ),
        'public/wp-content/uploads/hole[1]*.bin says that it has 8.8 TB, and is almost empty: it is not in the backup',
      ])
      const { id, repository } = data.backup
      const files = { files: true, database: false }
      await completed('backup.restore', { ...restore(files), backup: id, repository })
      const found = await host.must(['find', uploads, '-maxdepth', '2', '-printf', '%P\n'])
      expect(found.split('\n')).toEqual(expect.arrayContaining(['a', 'd', 'd/d']))
    })
  }

  for (const tests of inTurn([whatFails, whatIsLeftOut], 'backup')) tests()
})
