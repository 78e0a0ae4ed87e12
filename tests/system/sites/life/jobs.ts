import { expect, test } from 'bun:test'
import type { World } from '#tests/support/system/world.ts'

/** Prints only in jobs, text that could confuse a terminal, and fails. */
const FAILING = `<?php
if (defined('WP_CLI') && in_array('event', $_SERVER['argv'], true)) {
  fwrite(STDERR, "the reason \\033[31mof it\\033[0m\\n");
  exit(3);
}
`

export function runsJobs(world: World): void {
  test('stores the output of a failed run, and shows it to the owner', async () => {
    const { host, site, dashboard, variant } = world
    const folder = `/srv/www/${site.user}/public/wp-content/mu-plugins`
    await host.must(['mkdir', folder])
    await host.put(`${folder}/failing.php`, FAILING)
    await host.must(['chown', '-R', `${site.user}:www-data`, folder])
    const listed = async () => {
      const { status, body } = await dashboard.call('GET', world.path(`/sites/${site.id}/job-runs`))
      expect(status).toBe(200)
      return body.runs as unknown[]
    }
    const crontab = `/etc/cron.d/hosting-${site.user}`
    const asCron = `sh -c "$(sed -n 's/^[0-9].* root //p' ${crontab})"`
    const run =
      variant.init === 'systemd'
        ? ['systemctl', 'start', `hosting-cron@${site.user}.service`]
        : ['sh', '-c', asCron]

    await host.exec(run)
    // journald stores the reports of systemd a moment later.
    if (variant.init === 'systemd') await host.must(['journalctl', '--sync'])

    const [newest] = await listed()
    expect(newest).toEqual({
      started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      seconds: expect.any(Number),
      result: 'failed',
      exit_status: 3,
      output: 'the reason of it',
    })
    await host.must(['rm', '-r', folder])
  })
}
