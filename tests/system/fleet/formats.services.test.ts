// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { renderCrontab } from '#agent/features/jobs/cron/files.ts'
import { crontab, logrotate } from '#shared/kernel/formats/cron.ts'
import { renderUser } from '#shared/kernel/formats/htpasswd.ts'
import { nginx, nginxAddress, nginxPattern, nginxVariable } from '#shared/kernel/formats/nginx.ts'
import { until } from '#tests/support/dashboard/dashboard.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { packaged } from '#tests/support/system/packaged.ts'
import { written } from '#tests/support/system/written.ts'

const MINUTES = 60_000

unless(lab.available()).describe('a service reads exactly the values that were written', () => {
  let host: lab.Host
  const php = async (code: string) => JSON.parse(await host.must(['php8.2', '-n', '-r', code]))

  beforeAll(async () => {
    const image = await packaged('bookworm')
    host = await lab.startHost({ name: 'services', suite: 'bookworm', init: 'systemd', image })
  }, 5 * MINUTES)
  afterAll(() => lab.switchDown(), MINUTES)

  test('nginx: words and addresses of a pattern match themselves and nothing else', async () => {
    const words = written((value) => nginxPattern(value).text)
    const addresses = ['192.0.2.1', '192.0.201', '2001:db8::1', '::']
    const values = [...words.values, 'aXb', 'a.b', ...addresses]
    const patterns = [...words.values, 'a.b'].map((value) => nginxPattern(value))
    const maps = [...patterns.map(({ text }) => text), ...addresses.map(nginxAddress)].map(
      (pattern, at) => `map $arg_x $hit_${at} { default 0; "~^${pattern}$" 1; }`,
    )
    const hits = maps.map((_, at) => nginxVariable(`$hit_${at}`))
    await host.put(
      '/etc/nginx/conf.d/patterns.conf',
      nginx`${maps.join('\n')}
server {
    listen 127.0.0.1:8090;
    location / {
        default_type text/plain;
        return 200 "${hits}";
    }
}
`,
    )
    await host.must(['systemctl', 'restart', 'nginx'])
    await host.put('/root/values.json', JSON.stringify(values))

    const read = await php(
      'echo json_encode(array_map(fn($x) => file_get_contents("http://127.0.0.1:8090/?x=$x"), json_decode(file_get_contents("/root/values.json"))));',
    )

    const own = [...words.values, 'a.b', ...addresses]
    expect(read).toEqual(
      values.map((value) => own.map((each) => (each === value ? '1' : '0')).join(' ')),
    )
  })

  test('htpasswd: each name with its password, and with no other one', async () => {
    const { values } = written((value) => renderUser(value, '{SSHA}x'))
    const hash = (await host.must(['openssl', 'passwd', '-6', 'right'])).trim()
    await host.put('/etc/nginx/users', values.map((value) => renderUser(value, hash)).join(''))
    await host.put(
      '/etc/nginx/conf.d/users.conf',
      'server { listen 127.0.0.1:8091; root /srv/none; auth_basic x; auth_basic_user_file users; }',
    )
    await host.must(['systemctl', 'restart', 'nginx'])
    const asked = [...values, 'nobody'].flatMap((user) => [`${user}:right`, `${user}:wrong`])
    await host.put('/root/values.json', JSON.stringify(asked))

    const read = await php(
      'echo json_encode(array_map(fn($x) => (int) substr(get_headers("http://127.0.0.1:8091/", false, stream_context_create(["http" => ["header" => "Authorization: Basic " . base64_encode($x)]]))[0], 9, 3), json_decode(file_get_contents("/root/values.json"))));',
    )

    expect(read).toEqual([...values.flatMap(() => [404, 401]), 401, 401])
  })

  test('cron: arguments of a program', async () => {
    const { values } = written((value) => crontab`@reboot root /root/keep 00 ${value}\n`)
    await host.put('/root/keep', '#!/bin/sh\nprintf %s "$2" >"/root/kept/$1"\n', 0o755)
    await host.must(['mkdir', '-p', '/root/kept'])
    await host.put(
      '/etc/cron.d/formats',
      values.map((value, at) => crontab`@reboot root /root/keep ${at} ${value}\n`).join(''),
    )
    await host.must(['rm', '-f', '/run/crond.reboot'])
    await host.must(['systemctl', 'restart', 'cron'])

    await until(async () => {
      const kept = await host.must(['ls', '/root/kept'])
      return kept.trim().split('\n').length === values.length
    })
    const read = await php(
      `echo json_encode(array_map(fn($at) => file_get_contents("/root/kept/$at"), range(0, ${values.length - 1})));`,
    )
    expect(read).toEqual(values)
  })

  test('cron: the line of the jobs of a site, also with the longest name', async () => {
    const user = 'a'.repeat(32)
    const text = renderCrontab({ domain: 'shop.example', user, php: '8.2' })
    const command = /^\S+ \* \* \* \* root (.*)$/m.exec(text)?.[1] ?? ''
    await host.put('/root/jobs.cron', `4-59/5 * * * * ${command}\n`)

    expect((await host.exec(['crontab', '-n', '/root/jobs.cron'])).code).toBe(0)
    await host.put('/root/jobs.cron', `4-59/5 * * * * ${command.padEnd(1000, 'x')}\n`)
    expect((await host.exec(['crontab', '-n', '/root/jobs.cron'])).stderr).toContain('too long')
  })

  test('logrotate: folders of logs, and their owners', async () => {
    const { values } = written((value) => logrotate`    su ${value} root`)
    const paths = values.map((value) => logrotate.part`/root/logs/${value}/*.log`)
    await host.put(
      '/root/logrotate',
      paths
        .map(
          (path) =>
            logrotate`${path} {\n    rotate 8\n    su ${'www-data'} root\n    missingok\n}\n`,
        )
        .join(''),
    )

    const { stderr } = await host.exec(['logrotate', '--debug', '/root/logrotate'])

    const read = [...stderr.matchAll(/^rotating pattern: (.*?) +\S/gm)].map(([, path]) => path)
    expect(read).toEqual(paths.map(({ text }) => text))
  })
})
