import { expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import type { AccessWorld } from './access-world.ts'

const MINUTES = 60_000

/** What a person with a shell tries against the server and its other sites. */
export function shellAttacks(of: () => AccessWorld): void {
  const gate = () => `${of().shop.user}.ssh`
  const run = (...command: string[]) => of().client.ssh('anna', gate(), command)

  test(
    'there is no other site, no socket of the agent, and no way to more rights',
    async () => {
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
    },
    2 * MINUTES,
  )

  test(
    'no process that the site can see has a view of the server outside of the sandbox',
    async () => {
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
    },
    2 * MINUTES,
  )

  test(
    'there is no forwarding, and a person without a shell has none',
    async () => {
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
    },
    2 * MINUTES,
  )
}
