import { afterAll, beforeAll, expect, test } from 'bun:test'
import { DROP_INS } from '#agent/os/access/places.ts'
import * as lab from '#tests/support/lab/index.ts'
import { installMore } from '#tests/support/lab/install-more.ts'
import type { Suite } from '#tests/support/lab/suites.ts'
import { unless } from '#tests/support/skip.ts'
import { AccessWorld } from './access-world.ts'
import { shellAttacks } from './shell-attacks.ts'
import { shellDatabase } from './shell-database.ts'
import { shellEnds } from './shell-ends.ts'

const MINUTES = 60_000
const TOOLS = ['composer', 'git', 'rsync']
const EARLIER = `${DROP_INS}/00-a.conf`

/** Shells of people on a real server, with the clients of OpenSSH, rsync and git. */
export function shellOn(suite: Suite, { whole = true } = {}): void {
  unless(lab.available()).describe(`shells of sites on ${suite}`, () => {
    let world: AccessWorld
    const gate = () => `${world.shop.user}.ssh`
    const run = (...command: string[]) => world.client.ssh('anna', gate(), command)

    beforeAll(async () => {
      world = await AccessWorld.start(suite)
      if (whole) await installMore(world.host, suite, TOOLS)
    }, 15 * MINUTES)
    afterAll(() => world?.stop(), 5 * MINUTES)

    test(
      'a shell is refused while the setting is off, or sshd would not confine it',
      async () => {
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
      },
      2 * MINUTES,
    )

    test(
      'a person runs programs of the site in its sandbox, with their output and result',
      async () => {
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
      },
      2 * MINUTES,
    )

    test(
      'a terminal has its size, and control characters reach the programs',
      async () => {
        const { text } = await world.client.typed('anna', gate(), [
          'stty size; tty; id -un',
          'sleep 60',
          '\x03',
          'exit 5',
        ])
        expect(text).toMatch(/\/dev\/pts\/\d+/)
        expect(text).toContain(world.shop.user)
        expect(text).toMatch(/\^C[\s\S]*status 5/)
      },
      2 * MINUTES,
    )

    test(
      'files come and go by sftp, scp and rsync, byte for byte',
      async () => {
        const { host, shop } = world
        await host.must(['dd', 'if=/dev/urandom', 'of=/root/blob', 'bs=1M', 'count=20'])
        const sum = async (path: string) =>
          (await host.must(['sha256sum', path])).split(' ')[0] ?? ''
        const whole = await sum('/root/blob')
        const sftp = await world.client.sftp('anna', gate(), ['put /root/blob by-sftp', 'ls -l'])
        expect(sftp).toEqual({ code: 0, text: expect.stringMatching(/-rw-r-----.+by-sftp/) })
        expect(
          (await world.client.scp('anna', '/root/blob', `${gate()}@127.0.0.1:by-scp`)).code,
        ).toBe(0)
        if (!whole) return
        const there = await world.client.rsync('anna', '/root/blob', `${gate()}@127.0.0.1:by-rsync`)
        expect(there).toMatchObject({ code: 0 })
        const back = await world.client.rsync('anna', `${gate()}@127.0.0.1:by-rsync`, '/root/back')
        expect(back).toMatchObject({ code: 0 })
        for (const name of ['by-sftp', 'by-scp', 'by-rsync'])
          expect([name, await sum(`${shop.docroot}/${name}`)]).toEqual([name, whole])
        expect(await sum('/root/back')).toBe(whole)
      },
      2 * MINUTES,
    )

    if (!whole) return
    test(
      'a repository is cloned from the site and pushed to it with git',
      async () => {
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
      },
      2 * MINUTES,
    )

    test('composer runs with the PHP of the site', async () => {
      expect(await run('composer --version --no-ansi')).toEqual({
        code: 0,
        text: expect.stringMatching(/^Composer version 2\.[\s\S]+PHP version 8\./),
      })
    })

    shellDatabase(() => world)
    shellAttacks(() => world)
    shellEnds(() => world)
  })
}
