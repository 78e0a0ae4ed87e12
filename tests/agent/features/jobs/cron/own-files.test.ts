import { expect, test } from 'bun:test'
import { renderJobService, renderJobTimer } from '#agent/features/jobs/cron/own-files.ts'

const site = { user: 'shop', php: '8.2', staging: undefined }
const job = {
  ...{ name: 'import', schedule: '30 3 * * 1', command: 'wp eval "echo 100%;" \\ $HOME' },
  ...{ max_minutes: 5, enabled: true },
}

test('a job runs as the user of the site in its slice and sandbox, with a limit', () => {
  const lines = renderJobService(site, job).split('\n')

  expect(lines).toContain('Slice=hosting-shop.slice')
  expect(lines).toContain('User=shop')
  expect(lines).toContain('NoNewPrivileges=yes')
  expect(lines).toContain('TimeoutStartSec=300')
  expect(lines.filter((line) => line.startsWith('Standard'))).toEqual([
    ...['StandardInput=null', 'StandardOutput=null', 'StandardError=null'],
  ])
  expect(lines).toContain('WorkingDirectory=/srv/www/shop/public')
  expect(lines.filter((line) => line.startsWith('Exec'))).toEqual([
    'ExecStart=/usr/bin/php8.2 -n /usr/local/lib/hosting/run-job.php /srv/www/shop/logs/jobs.log /bin/sh -c "wp eval \\"echo 100%%;\\" \\\\ $$HOME"',
  ])
})

test('its timer is in UTC', () => {
  expect(renderJobTimer(site, job)).toContain('\nOnCalendar=Mon *-*-* 03:30:00 UTC\n')
})
