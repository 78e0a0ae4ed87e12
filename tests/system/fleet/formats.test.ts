// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { renderIni } from '#shared/kernel/formats/ini.ts'
import { nginx, nginxText } from '#shared/kernel/formats/nginx.ts'
import { phpLiteral } from '#shared/kernel/formats/php.ts'
import { phpIniText } from '#shared/kernel/formats/php-ini.ts'
import { renderKnownHost, renderSshHost } from '#shared/kernel/formats/ssh.ts'
import { environmentWord, execWord, renderVariable, unit } from '#shared/kernel/formats/systemd.ts'
import * as lab from '#tests/support/lab/index.ts'
import { must, run } from '#tests/support/lab/run.ts'
import { unless } from '#tests/support/skip.ts'
import { resticPackage } from '#tests/support/storage/restic.ts'
import { packaged } from '#tests/support/system/packaged.ts'
import { written } from '#tests/support/system/written.ts'

const MINUTES = 60_000
unless(lab.available()).describe('a program reads exactly the values that were written', () => {
  let host: lab.Host
  const php = async (code: string) => JSON.parse(await host.must(['php8.2', '-n', '-r', code]))

  beforeAll(async () => {
    const image = await packaged('bookworm')
    host = await lab.startHost({ name: 'formats', suite: 'bookworm', init: 'systemd', image })
  }, 5 * MINUTES)
  afterAll(() => lab.switchDown(), MINUTES)

  test('systemd: arguments, variables of a unit and variables of a file', async () => {
    const words = written((value) => execWord(value).text)
    const own = written((value) => environmentWord('NAME', value).text)
    const file = written((value) => renderVariable('NAME', value))
    await host.put(
      '/root/dump.php',
      '<?php file_put_contents("/root/dump.json", json_encode([array_slice($argv, 1), getenv()]));',
    )
    const variables = file.values.map((value, at) => renderVariable(`FILE_${at}_X`, value))
    await host.put('/root/variables', `${variables.join('\n')}\n`)
    await host.put(
      '/etc/systemd/system/formats.service',
      unit`[Service]
Type=oneshot
${own.values.map((value, at) => unit`Environment=${environmentWord(`OWN_${at}_X`, value)}`).join('\n')}
EnvironmentFile=/root/variables
ExecStart=/usr/bin/php8.2 -n /root/dump.php ${words.values.map(execWord)}
`,
    )

    await host.must(['systemctl', 'start', 'formats.service'])

    const [read, environment] = JSON.parse(await host.must(['cat', '/root/dump.json']))
    const named = (prefix: string, { values }: typeof own) =>
      values.map((_, at) => environment[`${prefix}_${at}_X`])
    expect(read).toEqual(words.values)
    expect(named('OWN', own)).toEqual(own.values)
    expect(named('FILE', file)).toEqual(file.values)
  })

  test('PHP: values of php.ini, and literals', async () => {
    const ini = written((value) => phpIniText('value', value).text)
    const literals = written((value) => phpLiteral('value', value))
    await host.put('/root/x.ini', ini.texts.map((text, at) => `x${at} = ${text}\n`).join(''))
    await host.put('/root/x.php', `<?php return [${literals.texts.join(',\n')}];`)

    const read = await php('echo json_encode(array_values(parse_ini_file("/root/x.ini")));')

    expect(read).toEqual(ini.values)
    expect(await php('echo json_encode(require "/root/x.php");')).toEqual(literals.values)
  })

  test('nginx: words and texts', async () => {
    const words = written((value) => nginx`add_header X-Word ${value};`)
    const texts = written((value) => nginxText(value).text)
    await host.put(
      '/etc/nginx/conf.d/formats.conf',
      nginx`server {
    listen 127.0.0.1:8089;
    default_type text/plain;
    location = /words {
${words.values.map((value) => nginx`        add_header X-Word ${value};`).join('\n')}
        return 200 ok;
    }
${texts.values.map((value, at) => nginx`    location = /text-${at} { return 200 ${nginxText(value)}; }`).join('\n')}
}
`,
    )
    await host.must(['systemctl', 'restart', 'nginx'])

    const headers = await php(
      'file_get_contents("http://127.0.0.1:8089/words"); echo json_encode($http_response_header);',
    )
    const bodies = await php(
      `$read = []; for ($at = 0; $at < ${texts.values.length}; $at++) $read[] = file_get_contents("http://127.0.0.1:8089/text-$at"); echo json_encode($read);`,
    )

    const read = headers.filter((line: string) => line.startsWith('X-Word: '))
    expect(read).toEqual(words.values.map((value) => `X-Word: ${value}`))
    expect(bodies).toEqual(texts.values)
  })

  test('ssh: words of ssh_config, and the name of a known host', async () => {
    const { values } = written((value) => renderSshHost('target', { IdentityFile: value }))
    for (const value of values) {
      await host.put('/root/ssh_config', renderSshHost('target', { IdentityFile: value }))
      const printed = await host.must(['ssh', '-G', '-F', '/root/ssh_config', 'target'])
      expect(/^identityfile (.*)$/m.exec(printed)?.[1]).toBe(value)
    }
    const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEjMtcI3X4OGaXHKLfQC/K5eK8TuapyGab/0dnDVtsWV'
    await host.put('/root/known_hosts', renderKnownHost('target', key))
    const found = await host.must(['ssh-keygen', '-F', 'target', '-f', '/root/known_hosts'])
    expect(found.trim().split('\n').at(-1)).toBe(`target ${key}`)
  })

  test('restic: the credentials of S3', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'formats-'))
    await must(['dpkg-deb', '--extract', await resticPackage(), folder])
    const seen: (string | undefined)[] = []
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch(request) {
        const sent = request.headers.get('authorization') ?? ''
        seen.push(/Credential=(.*)\/\d{8}\/r\/s3\/aws4_request/.exec(sent)?.[1])
        const error = '<Error><Code>NoSuchBucket</Code></Error>'
        return new Response(error, { status: 404 })
      },
    })
    const ini = (value: string) =>
      renderIni('default', { aws_access_key_id: value, aws_secret_access_key: 'secret' })
    // A blank at the end of a key does not survive in a header.
    const values = written(ini).values.filter((value) => value.trim() === value)
    const address = `s3:http://127.0.0.1:${server.port}/bucket/x`
    const options = ['-o', 's3.region=r', '-o', 's3.bucket-lookup=path', '--no-cache']
    for (const value of values) {
      await Bun.write(join(folder, 'aws'), ini(value))
      seen.length = 0
      await run([`${folder}/usr/bin/restic`, '-r', address, ...options, 'cat', 'config'], {
        env: {
          AWS_SHARED_CREDENTIALS_FILE: join(folder, 'aws'),
          RESTIC_PASSWORD: 'x',
          HOME: folder,
        },
      })
      expect([value, new Set(seen)]).toEqual([value, new Set([value])])
    }
    await server.stop(true)
    await rm(folder, { recursive: true })
  })
})
