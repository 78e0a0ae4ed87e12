// tier: gate

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { DROP_INS } from '#agent/features/access/paths.ts'
import * as lab from '#tests/support/lab/index.ts'
import { installMore } from '#tests/support/lab/install-more.ts'
import { suites } from '#tests/support/lab/suites.ts'
import { unless } from '#tests/support/skip.ts'
import { AccessWorld } from '#tests/support/system/access-world.ts'
import { releases } from '#tests/support/turns.ts'

const MINUTES = 60_000
const TOOLS = ['composer', 'git', 'rsync']
const EARLIER = `${DROP_INS}/00-a.conf`

/** What a person with a shell tries against the server and its other sites. */
function shellAttacks(of: () => AccessWorld): void {
  const gate = () => `${of().shop.user}.ssh`
  const run = (...command: string[]) => of().client.ssh('anna', gate(), command)

  test('there is no other site, no socket of the agent, and no way to more rights', async () => {
    const { shop, victim } = of()
    const home = `/srv/www/${victim.user}`
    for (const line of [
      `ls ${home}`,
      `cat ${home}/public/wp-config.php`,
      'ls /etc/ssh',
      'cat /etc/shadow',
      'ls /etc/hosting/ssh',
      'ls /run/hosting-shell',
      'ls /run/hosting-agent',
      'ls /var/lib/hosting-agent/identity',
      'cat /root/.ssh/authorized_keys',
      `echo x > ${home}/public/x`,
      'echo x > /usr/local/bin/x',
      'echo x > /etc/cron.d/x',
      'echo "Match all" > /etc/ssh/sshd_config.d/99.conf',
      'sudo -n true',
      'su -c true',
      'unshare --user --map-root-user true',
      'mount -t tmpfs none /mnt',
      `getent passwd ${victim.user}`,
      `getent passwd ${gate()}`,
      'systemctl status',
      `grep -q ${victim.user} /proc/net/unix`,
    ])
      expect([line, (await run(line)).code]).not.toEqual([line, 0])
    const seen = (await run('stat --format=%U /proc/[0-9]* 2>/dev/null')).text.trim().split('\n')
    expect(new Set(seen)).toEqual(new Set([shop.user]))
  })

  test('no process that the site can see has a view of the server outside of the sandbox', async () => {
    const { client, host, shop } = of()
    const session = client.stay('ben', shop.user)
    const logins = ['pgrep', '--uid', shop.user, '^sshd']
    expect(await lab.poll(async () => (await host.exec(logins)).code === 0)).toBe(true)
    const look = 'for at in /proc/[0-9]*; do ls -d $at/root/root/keys $at/root/etc/shadow; done'
    const { text } = await run(`(${look}) 2>/dev/null`)
    expect(text).toBe('')
    const managers = await host.exec(['pgrep', '--uid', `${shop.user},${gate()}`, '^systemd'])
    expect(managers.stdout).toBe('')
    await session.stop('SIGKILL')
    const names = (await run('cat /proc/[0-9]*/comm')).text
    expect(names).not.toMatch(/^sshd/m)
  })

  test('there is no forwarding, and a person without a shell has none', async () => {
    const { client, host, victim } = of()
    for (const options of [
      ['-W', '127.0.0.1:3306'],
      ['-N', '-o', 'ExitOnForwardFailure=yes', '-R', '9999:127.0.0.1:22'],
    ])
      expect((await client.ssh('anna', gate(), [], options)).code).not.toBe(0)
    expect((await run('echo "$SSH_AUTH_SOCK$DISPLAY"')).text).toBe('\n')
    expect((await client.ssh('ben', gate(), ['id'])).code).toBe(255)
    expect((await client.ssh('anna', `${victim.user}.ssh`, ['id'])).code).toBe(255)
    for (const user of [of().shop.user, victim.user]) {
      const drop = ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups', '--']
      expect((await host.exec([...drop, 'ls', '/run/hosting-shell'])).code).not.toBe(0)
    }
  })
}

const LIST = 'show databases'
/** As a person would: with the account that wp-config.php has. */
const MARIADB = [
  'MYSQL_PWD="$(wp config get DB_PASSWORD)" mariadb --user="$(wp config get DB_USER)"',
  '--batch --skip-column-names',
].join(' ')

/** The database of a site in its shell. */
function shellDatabase(of: () => AccessWorld): void {
  const run = async (command: string) => {
    const { code, text } = await of().client.ssh('anna', `${of().shop.user}.ssh`, [command])
    // WP-CLI adds an empty line.
    return { code, text: text.trimEnd() }
  }

  test('mariadb and wp db query read and change the database of the site, and show no other one', async () => {
    const { shop, victim, host } = of()
    const all = await host.must(['mariadb', '--batch', '--skip-column-names', '-e', LIST])
    const own = { code: 0, text: `information_schema\n${shop.user}` }
    expect(all.split('\n')).toEqual(expect.arrayContaining([shop.user, victim.user]))

    expect(await run(`${MARIADB} -e '${LIST}'`)).toEqual(own)
    expect(await run(`wp db query '${LIST}' --skip-column-names`)).toEqual(own)

    const title = `from $(wp db prefix)options where option_name = 'blogname'`
    const write = `update $(wp db prefix)options set option_value = 'By hand'`
    const change = `${MARIADB} ${shop.user} -e "${write} where option_name = 'blogname'"`
    expect(await run(change)).toEqual({ code: 0, text: '' })
    const read = `wp db query "select option_value ${title}" --skip-column-names`
    expect(await run(read)).toEqual({ code: 0, text: 'By hand' })
    expect((await run('wp option get blogname')).text).toBe('By hand')

    const denied = {
      code: 1,
      text: expect.stringMatching(/^ERROR 1044 \(42000\).*Access denied/),
    }
    expect(await run(`${MARIADB} ${victim.user} -e 'show tables'`)).toEqual(denied)
    const foreign = await run(`wp db query 'show tables from ${victim.user}'`)
    expect([foreign.code, foreign.text]).toEqual([1, expect.stringContaining('Access denied')])
    expect((await run(`${MARIADB} -e 'select count(*) from mysql.user'`)).code).toBe(1)
  })
}

/** How sessions of a shell end. */
function shellEnds(of: () => AccessWorld): void {
  const gate = () => `${of().shop.user}.ssh`
  const runs = async (name: string) =>
    (await of().host.exec(['pgrep', '-u', of().shop.user, '-f', name])).code === 0
  const gone = (name: string) =>
    lab.poll(async () => !(await runs(name)), { timeout_ms: 60_000, every_ms: 250 })

  test('nothing of a session remains after it, nor after a lost connection', async () => {
    const { client } = of()
    await client.ssh('anna', gate(), [
      'setsid -f sleep 7771; (trap "" TERM HUP; sleep 7772) & exit',
    ])
    expect(await gone('sleep 777[12]')).toBe(true)

    const session = client.spawn('anna', gate(), ['sleep 7773'])
    expect(await lab.poll(() => runs('sleep 7773'))).toBe(true)
    await session.stop('SIGKILL')
    expect(await gone('sleep 7773')).toBe(true)
  })

  test('a session whose owner stops its supervisor ends', async () => {
    const session = of().client.spawn('anna', gate(), [
      'pkill -STOP -f shell-server.pl; exec sleep 7774',
    ])
    expect(await lab.poll(() => runs('sleep 7774'))).toBe(true)
    expect(await gone('sleep 7774')).toBe(true)
    expect(await session.exited).toBe(255)
  })

  test('a person who loses the shell loses open sessions, and an expired one is closed', async () => {
    const world = of()
    const session = world.client.spawn('anna', gate(), ['sleep 7775'])
    expect(await lab.poll(() => runs('sleep 7775'))).toBe(true)

    await world.set(world.shop, [world.grant('anna')])

    expect(await session.exited).toBe(255)
    expect(await runs('sleep 7775')).toBe(false)
    expect((await world.client.ssh('anna', gate(), ['id'])).code).toBe(255)
    expect(await world.logsIn('anna', world.shop.user)).toBe(0)
    expect((await world.host.exec(['getent', 'passwd', gate()])).code).toBe(2)
    const units = await world.host.must(['ls', '/etc/systemd/system', '/run/hosting-shell'])
    expect(units).not.toContain('hosting-shell-')

    const at = new Date(Date.now() + 25_000).toISOString()
    await world.set(world.shop, [{ ...world.shell('anna'), expires_at: at }])
    const late = world.client.spawn('anna', gate(), ['sleep 7776'])
    expect(await lab.poll(() => runs('sleep 7776'))).toBe(true)
    expect(await late.exited).toBe(255)
    expect(await gone('sleep 7776')).toBe(true)
    expect((await world.client.ssh('anna', gate(), ['id'])).code).toBe(255)
  })

  test('logins are in the activity, the trash closes the shell, and a restore opens it', async () => {
    const world = of()
    await world.set(world.shop, [world.shell('anna')])
    await world.tenants.sync()
    const { dashboard } = world.tenants.world
    const { body } = await dashboard.call('GET', '/api/activity?type=site.shell_login')
    expect(body.activities).toContainEqual(expect.objectContaining({ domain: world.shop.domain }))
    expect(await world.run('DELETE', world.shop, '')).toBe('complete')
    expect((await world.client.ssh('anna', gate(), ['id'])).code).toBe(255)

    expect(await world.run('POST', world.shop, '/restore')).toBe('complete')

    expect((await world.client.ssh('anna', gate(), ['id -un'])).text.trim()).toBe(world.shop.user)
  })
}

/** Shells of people on a real server, with the clients of OpenSSH, rsync and git. */
for (const suite of releases('shell')) {
  unless(lab.available()).describe(`shells of sites on ${suite}`, () => {
    let world: AccessWorld
    const gate = () => `${world.shop.user}.ssh`
    const run = (...command: string[]) => world.client.ssh('anna', gate(), command)

    beforeAll(async () => {
      world = await AccessWorld.start(suite)
      await installMore(world.host, suite, TOOLS)
    }, 15 * MINUTES)
    afterAll(() => world?.stop(), 5 * MINUTES)

    test('a shell is refused while the setting is off, or sshd would not confine it', async () => {
      const refused = await world.call(world.shop, [world.shell('anna')])
      expect([refused.status, refused.body.message]).toEqual([
        409,
        expect.stringContaining('site_shell'),
      ])
      const { dashboard } = world.tenants.world
      await dashboard.call('PUT', '/api/settings/site_shell', { value: true })
      await world.host.put(EARLIER, `Match User ${gate()}\n    ForceCommand none\nMatch all\n`)

      const open = await world.set(world.shop, [world.shell('anna')])

      expect(open).toMatchObject({
        event: 'error',
        message: expect.stringContaining('ForceCommand is none instead of'),
      })
      expect((await world.host.exec(['getent', 'passwd', gate()])).code).toBe(2)
      // sshd does not read it again: its keys and its account confine a session too.
      await world.host.must(['rm', EARLIER])
    })

    test('a person runs programs of the site in its sandbox, with their output and result', async () => {
      const done = await world.set(world.shop, [world.shell('anna'), world.grant('ben')])
      expect(done).toMatchObject({ event: 'complete', shell_user: gate() })

      const { user, docroot } = world.shop
      expect(await run('id -un; pwd; echo problem >&2; exit 3')).toEqual({
        code: 3,
        text: `${user}\n${docroot}\nproblem\n`,
      })
      const foreign = ['-o', 'SetEnv=LC_ALL=xx_XX.UTF-8 LANG=xx_XX.UTF-8']
      const quiet = await world.client.ssh('anna', gate(), ['echo "$LANG"'], foreign)
      expect(quiet).toEqual({ code: 0, text: 'xx_XX.UTF-8\n' })
      expect((await run('wp option get home')).text).toContain(world.shop.domain)
      const sum = `wp eval 'global $wpdb; echo $wpdb->get_var("select 7 * 6");'`
      expect((await run(sum)).text).toBe('42')
      expect((await run('php -r "echo PHP_MAJOR_VERSION;"')).text).toBe('8')
      const cgroup = (await run('cat /proc/self/cgroup')).text
      expect(cgroup).toContain(`/hosting.slice/hosting-${user}.slice/hosting-shell-${user}@`)
      expect(await world.rootLogsIn()).toBe('root')
    })

    test('a terminal has its size, and control characters reach the programs', async () => {
      const { text } = await world.client.typed('anna', gate(), [
        'stty size; tty; id -un',
        'sleep 60',
        '\x03',
        'exit 5',
      ])
      expect(text).toMatch(/\/dev\/pts\/\d+/)
      expect(text).toContain(world.shop.user)
      expect(text).toMatch(/\^C[\s\S]*status 5/)
    })

    test('files come and go by sftp, scp and rsync, byte for byte', async () => {
      const { host, shop } = world
      await host.must(['dd', 'if=/dev/urandom', 'of=/root/blob', 'bs=1M', 'count=20'])
      const sum = async (path: string) => (await host.must(['sha256sum', path])).split(' ')[0] ?? ''
      const whole = await sum('/root/blob')
      const sftp = await world.client.sftp('anna', gate(), ['put /root/blob by-sftp', 'ls -l'])
      expect(sftp).toEqual({ code: 0, text: expect.stringMatching(/-rw-r-----.+by-sftp/) })
      expect(
        (await world.client.scp('anna', '/root/blob', `${gate()}@127.0.0.1:by-scp`)).code,
      ).toBe(0)
      const there = await world.client.rsync('anna', '/root/blob', `${gate()}@127.0.0.1:by-rsync`)
      expect(there).toMatchObject({ code: 0 })
      const back = await world.client.rsync('anna', `${gate()}@127.0.0.1:by-rsync`, '/root/back')
      expect(back).toMatchObject({ code: 0 })
      for (const name of ['by-sftp', 'by-scp', 'by-rsync'])
        expect([name, await sum(`${shop.docroot}/${name}`)]).toEqual([name, whole])
      expect(await sum('/root/back')).toBe(whole)
    })

    test('a repository is cloned from the site and pushed to it with git', async () => {
      expect((await run('git init --quiet --bare ../tmp/repo && echo made')).text).toBe('made\n')
      const url = `ssh://${gate()}@127.0.0.1/srv/www/${world.shop.user}/tmp/repo`
      const git = (...argv: string[]) => world.client.git('anna', argv)
      expect(await git('clone', '--quiet', url, '/root/work')).toMatchObject({ code: 0 })
      const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.test']
      const commit = ['-C', '/root/work', ...author, 'commit', '--allow-empty', '-qm', 'first']
      expect(await git(...commit)).toMatchObject({ code: 0 })
      expect(await git('-C', '/root/work', 'push', '-q', 'origin', 'HEAD')).toMatchObject({
        code: 0,
      })
      expect((await run('git -C ../tmp/repo log --all --format=%s')).text).toBe('first\n')
    })

    test('composer runs with the PHP of the site', async () => {
      const { php } = suites[suite]
      // That of Debian 12 needs a project to show a package.
      const project = "cd ../tmp && echo '{}' > composer.json"
      expect(await run(`${project} && composer show --platform --no-ansi php`)).toEqual({
        code: 0,
        text: expect.stringMatching(new RegExp(`^versions +: \\* ${php}\\.`, 'm')),
      })
    })

    shellDatabase(() => world)
    shellAttacks(() => world)
    shellEnds(() => world)
  })
}
