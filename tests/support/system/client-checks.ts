import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import type { Suite } from '#tests/support/lab/suites.ts'
import { unless } from '#tests/support/skip.ts'
import { clientEnds } from './client-ends.ts'
import { clientIsolation } from './client-isolation.ts'
import { ClientWorld } from './client-world.ts'
import { SecretWatch } from './secret-watch.ts'

const MINUTES = 60_000

/** Client accounts on a real server, with the clients of OpenSSH and a password. */
export function clientsOn(suite: Suite): void {
  unless(lab.available()).describe(`client accounts on ${suite}`, () => {
    let world: ClientWorld

    beforeAll(async () => {
      world = await ClientWorld.start(suite)
    }, 15 * MINUTES)
    afterAll(() => world?.access.stop(), 5 * MINUTES)

    test(
      'they are off until the setting allows them',
      async () => {
        const { status, body } = await world.call(world.shop, '', { label: 'Print shop' })
        expect([status, body.message]).toEqual([409, expect.stringContaining('client_accounts')])
        const { dashboard } = world.access.tenants.world
        await dashboard.call('PUT', '/api/settings/client_accounts', { value: true })
      },
      MINUTES,
    )

    test(
      'a client moves files with a password, which is stored nowhere',
      async () => {
        const { host, shop, client } = world
        const before = await world.others()
        const watch = new SecretWatch(host)
        await watch.start([])

        const { login, password } = await world.create(shop, 'Print shop')

        expect(login).toMatch(new RegExp(`^${shop.user}\\.[a-z2-7]{8}$`))
        expect(await world.others()).toEqual(before)
        await host.put('/root/page.html', 'a page of a client\n')
        const put = await client.sftp(login, password, ['put /root/page.html', 'ls -l'])
        expect([put.code, put.text]).toEqual([0, expect.stringMatching(/-rw-r-----.+page\.html/)])
        const stat = ['stat', '--format=%U %G %a', `${shop.docroot}/page.html`]
        expect((await host.must(stat)).trim()).toBe(`${shop.user} ${shop.user} 640`)
        expect(await host.must(['cat', `${shop.docroot}/page.html`])).toBe('a page of a client\n')
        expect(await watch.found([password])).toEqual([])
        const { clients } = await world.shown(shop)
        expect(clients).toMatchObject([{ label: 'Print shop', login, applied: true }])
        expect(await world.access.rootLogsIn()).toBe('root')
      },
      3 * MINUTES,
    )

    test(
      'no other password and no other account is accepted',
      async () => {
        const { shop, victim, client, host } = world
        const { login, password } = await world.create(shop, 'Photos')
        const other = await world.create(victim, 'Neighbour')
        expect(await client.logsIn(login, password)).toBe(0)

        for (const [name, text] of [
          ...[
            [login, `${password}x`],
            [login, ''],
            [login, other.password],
          ],
          ...[
            [shop.user, password],
            [victim.user, password],
            [other.login, password],
          ],
          ...[
            ['root', password],
            [`${shop.user}.ssh`, password],
            ['www-data', password],
          ],
        ] as [string, string][])
          expect([name, await client.logsIn(name, text)]).toEqual([name, 255])
        await host.must(['bash', '-c', 'echo root:a-password-of-root | chpasswd'])
        expect(await client.logsIn('root', 'a-password-of-root')).toBe(255)
        expect(await world.access.logsIn('admin', login)).toBe(255)
        expect((await host.exec(['sshd', '-t'])).code).toBe(0)
        await world.end(victim, other.token)
      },
      3 * MINUTES,
    )

    test(
      'there is no way out of the site',
      async () => {
        const { shop, victim, client, host } = world
        const { login, password } = await world.create(shop, 'Attacker')
        const outside = [
          ...['/etc/passwd', '../../../etc/shadow', '/proc/self/environ'],
          ...[`/srv/www/${victim.user}/public/wp-config.php`, `../../${victim.user}/public`],
        ]
        for (const path of outside) {
          const { code, text } = await client.sftp(login, password, [`get ${path} /root/stolen`])
          expect([path, code, text]).toEqual([path, 1, expect.stringMatching(/not found/)])
        }
        const above = [`ln -s ../../../../srv/www/${victim.user} v`, 'ls v/']
        expect((await client.sftp(login, password, above)).code).toBe(1)
        for (const line of ['mkdir /new', 'rename /logs /gone', 'put /root/page.html /x'])
          expect([line, (await client.sftp(login, password, [line])).code]).toEqual([line, 1])
        expect((await host.exec(['test', '-e', '/root/stolen'])).code).toBe(1)
      },
      3 * MINUTES,
    )

    test(
      'there is no shell, no command and no forwarding',
      async () => {
        const { shop, client, host } = world
        const { login, password } = await world.create(shop, 'Another attacker')
        const ssh = (command: string[], more: string[] = []) =>
          client.ssh(login, password, command, more)

        expect((await ssh(['id'])).text).not.toContain('uid=')
        expect((await ssh(['/bin/sh', '-c', 'id'], ['-tt'])).text).not.toContain('uid=')
        expect((await ssh([], ['-tt'])).text).not.toContain('$')
        expect((await ssh([], ['-W', '127.0.0.1:3306'])).code).not.toBe(0)
        await host.put('/root/ask.sh', 'exec 3<>/dev/tcp/127.0.0.1/4406 && timeout 2 cat <&3\n')
        const local = await client.stay(login, password, ['-L', '4406:127.0.0.1:3306'])
        expect(await lab.poll(() => world.hasSession(shop))).toBe(true)
        expect((await host.exec(['bash', '/root/ask.sh'])).stdout).toBe('')
        await local.stop()
        const remote = ['-o', 'ExitOnForwardFailure=yes', '-R', '4407:127.0.0.1:22', '-N']
        expect((await ssh([], remote)).code).not.toBe(0)
        expect(
          (await ssh([], ['-o', 'ExitOnForwardFailure=yes', '-w', '0:0', '-N'])).code,
        ).not.toBe(0)
      },
      3 * MINUTES,
    )

    clientEnds(() => world)
    clientIsolation(() => world)
  })
}
