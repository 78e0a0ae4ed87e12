import { expect, test } from 'bun:test'
import { readNginxConfig } from '#agent/features/existing/vhosts.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

const master = (options: string) => [
  { pid: 7, root: true, line: `nginx: master process /usr/sbin/nginx ${options}` },
]

async function machine(files: Record<string, string>) {
  const host = fakeHost()
  for (const [path, text] of Object.entries(files)) await host.disk.write(path, text)
  const names = async (options = '') =>
    (await readNginxConfig(host, master(options))).map(({ name }) => name)
  return { host, names }
}

test('reads the files without asking nginx for them, which would load every certificate', async () => {
  const { host, names } = await machine({
    '/etc/nginx/nginx.conf': 'a; include sites-enabled/*;',
    '/etc/nginx/sites-enabled/b': 'b;',
  })

  expect(await names()).toEqual(['a', 'b'])
  expect(host.ran).toEqual(['/usr/sbin/nginx -V'])
})

test.each([
  ['-c /srv/own.conf', 'own', ''],
  ['-p /srv/ -c own.conf', 'own', ''],
  ['', 'built_in', ' --prefix=/opt/nginx --conf-path=/opt/nginx/conf/nginx.conf --with-x'],
  ['', 'built_in', ' --prefix=/opt/nginx --conf-path=conf/nginx.conf'],
  ['-p /opt/nginx', 'built_in', ' --prefix=/usr/local/nginx --conf-path=conf/nginx.conf'],
  ['', 'usual', ' --with-debug'],
])('%j: the master reads %s (%j)', async (options, expected, built) => {
  const { host, names } = await machine({
    '/etc/nginx/nginx.conf': 'usual;',
    '/srv/own.conf': 'own;',
    '/opt/nginx/conf/nginx.conf': 'built_in;',
  })
  const stderr = `nginx version: nginx/1.22.1\nconfigure arguments:${built}\n`
  const { try: before } = host.shell
  host.shell.try = async (argv, more) => ({
    ...(await before(argv, more)),
    ...(argv[1] === '-V' && { stderr }),
  })

  expect(await names(options)).toEqual([expected])
})

test('asks nginx when a file cannot be read', async () => {
  const { host, names } = await machine({ '/etc/nginx/nginx.conf': 'a; include hidden;' })
  host.answer(
    '/usr/sbin/nginx -T',
    '# configuration file /etc/nginx/nginx.conf:\na; include hidden;\n\n' +
      '# configuration file /etc/nginx/hidden:\nb;\n\n',
  )

  expect(await names()).toEqual(['a', 'b'])
})

test('uses the readable files when nginx refuses its configuration', async () => {
  const { host, names } = await machine({ '/etc/nginx/nginx.conf': 'a; include gone;' })
  host.fail('/usr/sbin/nginx -T', 'emerg')

  expect(await names()).toEqual(['a'])
})
