import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import type { Suite } from '#tests/support/lab/suites.ts'
import { unless } from '#tests/support/skip.ts'
import { accessEnds } from './access-ends.ts'
import { AccessWorld } from './access-world.ts'

const MINUTES = 60_000
const DROP_IN = '/etc/ssh/sshd_config.d/00-hosting-control.conf'
const FOREIGN = '/etc/ssh/sshd_config.d/50-foreign.conf'

/** SFTP of people on real servers, with the clients of OpenSSH. */
export function accessOn(suite: Suite): void {
  unless(lab.available()).describe(`access to sites by SFTP on ${suite}`, () => {
    let world: AccessWorld

    beforeAll(async () => {
      world = await AccessWorld.start(suite)
    }, 15 * MINUTES)
    afterAll(() => world?.stop(), 5 * MINUTES)

    test(
      'a configuration that sshd does not accept is refused, and administrators log in',
      async () => {
        const { host } = world
        expect(await world.rootLogsIn()).toBe('root')
        await host.put(FOREIGN, 'NoSuchSetting yes\n')

        const refused = await world.set(world.shop, [world.grant('anna')])

        expect(refused).toMatchObject({
          event: 'error',
          message: expect.stringContaining('NoSuchSetting'),
        })
        expect((await host.exec(['test', '-e', DROP_IN])).code).toBe(1)
        expect(await world.rootLogsIn()).toBe('root')
        await host.must(['rm', FOREIGN])
      },
      2 * MINUTES,
    )

    test(
      'a person with a grant moves files by SFTP, and sees nothing but the site',
      async () => {
        const done = await world.set(world.shop, [world.grant('anna')])

        expect(done).toMatchObject({ event: 'complete', user: world.shop.user, ports: [22] })
        expect(await world.rootLogsIn()).toBe('root')
        await world.host.put('/root/page.html', 'a page by sftp\n')
        const put = await world.client.sftp('anna', world.shop.user, [
          'put /root/page.html',
          'ls -l',
        ])
        expect(put.code).toBe(0)
        expect(put.text).toMatch(/-rw-r-----.+page\.html/)
        const page = await world.host.must(['cat', `${world.shop.docroot}/page.html`])
        expect(page).toBe('a page by sftp\n')
        const stat = ['stat', '--format=%U %a', `${world.shop.docroot}/page.html`]
        expect((await world.host.must(stat)).trim()).toBe(`${world.shop.user} 640`)
      },
      2 * MINUTES,
    )

    test(
      'there is no way out of the site',
      async () => {
        const outside = [
          ...[
            '/etc/passwd',
            '../../../etc/passwd',
            `/srv/www/${world.victim.user}/public/wp-config.php`,
          ],
          ...[`../../${world.victim.user}/public/wp-config.php`, '/proc/self/environ'],
        ]
        for (const path of outside) {
          const { code, text } = await world.client.sftp('anna', world.shop.user, [
            `get ${path} /root/stolen`,
          ])
          expect([path, code, text]).toEqual([path, 1, expect.stringMatching(/not found/)])
        }
        const links = ['symlink /etc/passwd p', 'get p /root/stolen']
        expect((await world.client.sftp('anna', world.shop.user, links)).code).toBe(1)
        const above = [`ln -s ../../../../srv/www/${world.victim.user} v`, 'ls v/']
        expect((await world.client.sftp('anna', world.shop.user, above)).code).toBe(1)
        for (const line of ['mkdir /new', 'rename /logs /gone', 'put /root/page.html /x'])
          expect([line, (await world.client.sftp('anna', world.shop.user, [line])).code]).toEqual([
            line,
            1,
          ])
        expect((await world.host.exec(['test', '-e', '/root/stolen'])).code).toBe(1)
      },
      2 * MINUTES,
    )

    test(
      'there is no shell, no command, no forwarding, and no other site',
      async () => {
        const { text } = await world.client.ssh('anna', world.shop.user, ['id'])
        expect(text).not.toContain('uid=')
        expect((await world.client.ssh('anna', world.shop.user, [], ['-tt'])).text).not.toContain(
          '$',
        )
        const tunnel = await world.client.ssh('anna', world.shop.user, [], ['-W', '127.0.0.1:3306'])
        expect(tunnel.code).not.toBe(0)
        for (const user of [world.victim.user, 'root', 'www-data', 'hosting-agent'])
          expect([user, (await world.client.sftp('anna', user, ['pwd'])).code]).toEqual([user, 255])
        expect(await world.logsIn('ben', world.shop.user)).toBe(255)
      },
      2 * MINUTES,
    )

    test(
      'the owner of a site cannot give access to itself or to others',
      async () => {
        const key = await world.host.must(['cat', '/root/keys/ben.pub'])
        await world.host.put('/tmp/ben.pub', key)
        const tries = [
          'cat /tmp/ben.pub >> /etc/hosting/ssh/keys/"$0"',
          'mkdir /srv/www/"$0"/.ssh',
          'cat /etc/hosting/ssh/keys/"$1"',
          'ls /etc/hosting/ssh/keys/"$1" && mv /etc/hosting/ssh/keys/"$1" /tmp',
          'echo "Match all" > /etc/ssh/sshd_config.d/99.conf',
        ]
        for (const script of tries) {
          const drop = ['setpriv', `--reuid=${world.victim.user}`, `--regid=${world.victim.user}`]
          const argv = [
            ...drop,
            '--init-groups',
            'bash',
            '-euc',
            script,
            world.victim.user,
            world.shop.user,
          ]
          expect([script, (await world.host.exec(argv)).code]).not.toEqual([script, 0])
        }
        const sftp = ['put /root/keys/ben.pub /.ssh/authorized_keys']
        expect((await world.client.sftp('anna', world.shop.user, sftp)).code).toBe(1)
        expect(await world.logsIn('ben', world.victim.user)).toBe(255)
      },
      2 * MINUTES,
    )

    accessEnds(() => world)
  })
}
