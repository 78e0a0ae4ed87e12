import { expect, test } from 'bun:test'
import type { IsolationResult } from '#shared/isolation.ts'
import type { ClientWorld } from './client-world.ts'

const MINUTES = 60_000
const EARLIER = '/etc/ssh/sshd_config.d/00-a.conf'
const LOOSE = `Match Group hosting-client
    ChrootDirectory none
    DisableForwarding no
Match all
`
const DID =
  'it listed folders outside of its site, reached a port of the server, reached /run/mysqld/mysqld.sock. '

/** The isolation check from a client account. */
export function clientIsolation(of: () => ClientWorld): void {
  const checked = async () => {
    const { dashboard, path } = of().access.tenants.world
    const events = await dashboard.stream('POST', path('/isolation-check'))
    const { results = [] } = Object(events.at(-1)?.data) as { results?: IsolationResult[] }
    return results.find(({ id }) => id === 'ssh.clients')
  }

  test(
    'an isolation check finds what a client account must not do, and leaves nothing',
    async () => {
      const { host } = of()
      const users = () => host.must(['cat', '/etc/passwd', '/etc/group', '/etc/shadow'])
      const before = await users()

      expect(await checked()).toMatchObject({ outcome: 'refused', detail: '' })
      expect(await users()).toBe(before)
      await host.put(EARLIER, LOOSE)
      await host.must(['systemctl', 'reload', 'ssh'])

      expect(await checked()).toMatchObject({
        outcome: 'succeeded',
        detail: expect.stringContaining(DID),
      })

      await host.must(['rm', EARLIER])
      await host.must(['systemctl', 'reload', 'ssh'])
      const left = await host.must(['ls', '/var/lib/hosting-agent'])
      expect(left).not.toMatch(/askpass|forwarded/)
    },
    8 * MINUTES,
  )
}
