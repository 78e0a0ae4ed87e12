import { expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { get } from './requests.ts'
import { MINUTES } from './world.ts'

interface Running {
  host: lab.Host
  domain: string
  user: string
  php: string
}

const OUTSIDE = 'outside.example.test'
const AGENT = ['hosting-agent.service', 'hosting-agent-front.service']

/** A site's view of the server's /etc, as JSON. */
const SEEN = `<?php
header('Cache-Control: no-store');
$text = fn($path) => (string) @file_get_contents($path);
echo json_encode([
  'me' => [trim((string) shell_exec('whoami')), posix_getpwuid(posix_geteuid())['dir'] ?? null],
  'system' => [posix_getpwnam('root')['uid'] ?? null, posix_getgrnam('www-data')['gid'] ?? null],
  'people' => preg_match_all('/^\\w+:x:1\\d{3}:/m', $text('/etc/passwd')),
  'newcomer' => [(bool) posix_getpwnam('newcomer'), str_contains($text('/etc/passwd') . $text('/etc/group'), 'newcomer')],
  'listed' => array_values(array_intersect(scandir('/etc'), ['cron.d', 'nginx', 'shadow', 'subuid', 'systemd', 'hosting-agent'])),
  'pools' => @scandir('/etc/php/' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION . '/fpm/pool.d'),
  'ini' => [php_ini_loaded_file(), (string) ini_get('user_agent')],
  'imagick' => count((new Imagick())->queryFormats('PNG')),
  'locale' => setlocale(LC_ALL, 'C.UTF-8'),
  'resolv' => $text('/etc/resolv.conf'),
  'zone' => @readlink('/etc/localtime'),
  'address' => gethostbyname('${OUTSIDE}'),
  'tls' => @file_get_contents('https://${OUTSIDE}:4433/') !== false,
]);
`

/**
 * A running site sees changes of the server's /etc, without the agent, but not the accounts added
 * meanwhile. Its PHP-FPM is the same process all the time.
 */
export function followsEtc(running: () => Running): void {
  let asked = 0

  test(
    'a running site sees changes in /etc without the agent, and no new account',
    async () => {
      const { host, domain, user, php } = running()
      const path = `/srv/www/${user}/public/seen.php`
      await host.put(path, SEEN)
      await host.must(['chown', `${user}:www-data`, path])
      const seen = async () =>
        JSON.parse((await get(host, `http://${domain}/seen.php?n=${asked++}`)).body)
      const becomes = async (wanted: object) => {
        const done = async () => {
          const now = await seen()
          return Object.entries(wanted).every(([key, value]) => Bun.deepEquals(now[key], value))
        }
        if (!(await lab.polled(done, { every_ms: 500, timeout_ms: 3 * MINUTES })))
          expect(await seen()).toMatchObject(wanted)
      }
      const unit = `hosting-fpm@${user}-php${php}.service`
      const master = () => host.must(['systemctl', 'show', '--property=MainPID', '--value', unit])
      const { gid } = JSON.parse(
        await host.must(['php', '-r', "echo json_encode(posix_getgrnam('www-data'));"]),
      )
      await host.must(['systemctl', 'stop', ...AGENT])

      expect(await seen()).toMatchObject({
        me: [user, `/srv/www/${user}`],
        system: [0, gid],
        people: 1,
        newcomer: [false, false],
        listed: [],
        pools: false,
        ini: [`/etc/php/${php}/fpm/php.ini`, ''],
        imagick: 1,
        locale: 'C.UTF-8',
        tls: false,
      })
      const before = await master()

      await host.must(['ln', '-sf', '/usr/share/zoneinfo/Asia/Tokyo', '/etc/localtime'])
      const hosts = await host.must(['cat', '/etc/hosts'])
      await host.put('/etc/hosts', `${hosts}\n127.0.0.1 ${OUTSIDE}\n`)
      await becomes({ zone: '/usr/share/zoneinfo/Asia/Tokyo', address: '127.0.0.1', tls: false })

      // useradd(8) replaces a file, which drops the mount over it.
      await host.must(['useradd', 'newcomer'])
      const resolv = await host.must(['readlink', '-f', '/etc/resolv.conf'])
      await host.put('/etc/resolv.conf.new', 'nameserver 192.0.2.53\n')
      await host.must(['mv', '/etc/resolv.conf.new', resolv.trim()])
      await becomes({ resolv: 'nameserver 192.0.2.53\n' })
      // Written in place.
      await host.must(['tee', resolv.trim()], { input: 'nameserver 192.0.2.54\n' })
      await becomes({ resolv: 'nameserver 192.0.2.54\n' })

      const certificate = '/usr/local/share/ca-certificates/outside.crt'
      await host.must([
        ...['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2'],
        ...['-subj', `/CN=${OUTSIDE}`, '-addext', `subjectAltName=DNS:${OUTSIDE}`],
        ...['-keyout', '/root/outside.key', '-out', certificate],
      ])
      const files = ['-cert', certificate, '-key', '/root/outside.key']
      const outside = host.spawn(['openssl', 's_server', '-accept', '4433', '-www', ...files])
      await host.must(['update-ca-certificates'])
      await becomes({ tls: true, people: 1, newcomer: [false, false] })
      await outside.stop()

      await host.put(`/etc/php/${php}/fpm/conf.d/99-own.ini`, 'user_agent = of the server\n')
      await host.must(['systemctl', 'reload', unit])
      await becomes({ ini: [`/etc/php/${php}/fpm/php.ini`, 'of the server'] })

      expect(await master()).toBe(before)
      await host.must(['rm', path, `/etc/php/${php}/fpm/conf.d/99-own.ini`])
    },
    5 * MINUTES,
  )
}
