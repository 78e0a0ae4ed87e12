import { expect, test } from 'bun:test'
import type { Enrolled } from './enrolled.ts'
import { get } from './requests.ts'
import { MINUTES, type Site } from './world.ts'

const HALVES = ['hosting-agent-front.service', 'hosting-agent.service']

/** No site has a user that the server or Hosting Control has, or can reach what runs as that user. */
export function refusesKnownUsers(
  found: () => { world: Enrolled; site: Site },
  { domain, php }: { domain: string; php: string },
): void {
  const world = () => found().world
  const site = () => found().site

  test(
    'refuses a site with a user of Hosting Control or of a unit',
    async () => {
      const unit = (name: string, user: string) =>
        world().host.put(
          `/etc/systemd/system/${name}.service`,
          `[Service]\nExecStart=/bin/sleep infinity\n${user}\n`,
        )
      await unit('dynamo', 'DynamicUser=yes')
      await unit('rests', 'User=resting')
      await world().host.must(['systemctl', 'daemon-reload'])
      await world().host.must(['systemctl', 'start', 'dynamo'])
      const asked = async (user: string) => {
        const body = { domain: 'second.example.test', php, tls: 'none', user, dry_run: true }
        const { status, body: answer } = await world().dashboard.call(
          'POST',
          world().path('/sites'),
          body,
        )
        return [status, Object(answer).fields]
      }

      const ours = 'Must not begin with hosting: these names belong to Hosting Control'
      for (const user of ['hosting-agent-front', 'hosting-front', 'hosting-keeper']) {
        expect(await asked(user)).toEqual([422, { user: [ours] }])
      }
      expect(await asked('resting')).toEqual([
        422,
        { user: ['rests.service of this server runs as this user'] },
      ])
      const [status, fields] = await asked('dynamo')
      expect([status, fields.user]).toEqual([
        422,
        [expect.stringMatching(/^Already exists in the passwd|^dynamo\.service of this server/)],
      ])
      expect((await asked('dynamic'))[0]).toBe(200)
      await world().host.must(['systemctl', 'stop', 'dynamo'])
      expect(await asked('dynamo')).toEqual([
        422,
        { user: ['dynamo.service of this server runs as this user'] },
      ])
      await world().host.must([
        'rm',
        ...['dynamo', 'rests'].map((name) => `/etc/systemd/system/${name}.service`),
      ])
      await world().host.must(['systemctl', 'daemon-reload'])
    },
    5 * MINUTES,
  )

  test(
    'the PHP of a site cannot signal the halves of the agent',
    async () => {
      const show = ['systemctl', 'show', '--property=MainPID', '--value']
      const pids = await Promise.all(
        HALVES.map(async (name) => Number(await world().host.must([...show, name]))),
      )
      const stop = 'fn($pid) => [posix_kill($pid, 19), posix_get_last_error()]'
      const code = `<?php echo json_encode(array_map(${stop}, [${pids}]));`
      const path = `/srv/www/${site().user}/public/signal.php`
      await world().host.put(path, code)
      await world().host.must(['chown', site().user, path])

      const { body } = await get(world().host, `https://${domain}/signal.php`)

      // ESRCH: it does not even see them; EPERM: it may not.
      const seen = JSON.parse(body) as [boolean, number][]
      expect(seen.map(([sent, reason]) => [sent, [1, 3].includes(reason)])).toEqual([
        [false, true],
        [false, true],
      ])
      const status = await world().host.must(['cat', `/proc/${pids[0]}/status`])
      expect(/^State:\s+(\S)/m.exec(status)?.[1]).toBe('S')
      await world().host.must(['rm', path])
    },
    5 * MINUTES,
  )
}
