import { beforeEach, expect, test } from 'bun:test'
import { readConfig } from '#agent/kernel/config.ts'
import { useradd } from '#agent/kernel/host/simulated/programs/users.ts'
import { install } from '#agent/programs/cli/install.ts'
import { units } from '#agent/programs/cli/units.ts'
import { type FakeHost, fakeHost } from '#tests/support/fake-host.ts'

const SETTINGS = '/etc/hosting-agent/agent.env'
const ROOT = '/etc/systemd/system/hosting-agent.service'
const FRONT = '/etc/systemd/system/hosting-agent-front.service'
const SOCKET = '/etc/systemd/system/hosting-agent-front.socket'
const config = readConfig({})

let host: FakeHost
beforeEach(async () => {
  host = fakeHost()
  await host.files.write('/run/dbus/system_bus_socket', '')
  await host.files.write('/proc/net/if_inet6', '')
})

test('runs the agent as two services and gives the listening one only the TLS key', async () => {
  const output = await install(config, host, [])

  expect(output).toContain('answers on port 8443')
  expect(host.ran).toEqual([
    'groupadd --system --force hosting-agent',
    'useradd --system --no-user-group --gid hosting-agent --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin --comment Hosting Control agent -- hosting-front',
    'systemctl daemon-reload',
    'systemctl enable --quiet hosting-agent-front.socket hosting-agent.service hosting-agent-front.service',
    'systemctl restart hosting-agent-front.socket hosting-agent.service hosting-agent-front.service',
  ])
  const { [ROOT]: root, [FRONT]: front, [SETTINGS]: settings } = host.disk.all
  expect(settings).toContain('AGENT_LISTEN=[::]:8443\n')
  expect(root).toContain(`ExecStart=${process.execPath} root\n`)
  expect(root).toContain('\nPrivateNetwork=yes\n')
  expect(root).toContain('\nMemoryMax=1G\nTasksMax=512\n')
  expect(front).toContain('\nMemoryMax=256M\nTasksMax=64\n')
  expect(front).toContain(`ExecStart=${process.execPath} front\n`)
  expect(front).toContain('\nUser=hosting-front\nGroup=hosting-agent\n')
  expect(front).not.toContain('DynamicUser')
  // What a dynamic user would imply.
  for (const line of ['NoNewPrivileges', 'PrivateTmp', 'RemoveIPC', 'RestrictSUIDSGID'])
    expect(front).toContain(`\n${line}=yes\n`)
  expect(front).toContain('\nProtectSystem=strict\n')
  expect(front).toContain('\nCapabilityBoundingSet=\n')
  expect(front?.match(/^LoadCredential=.*$/gm)).toEqual([
    'LoadCredential=tls.key:/var/lib/hosting-agent/trust/tls.key',
    'LoadCredential=tls.crt:/var/lib/hosting-agent/trust/tls.crt',
  ])
  const modes = [...host.disk.walk()].map(([path, { options }]) => [path, options.mode])
  expect(modes).toContainEqual(['/var/lib/hosting-agent/trust/tls.key', 0o600])
  expect(modes).toContainEqual(['/var/lib/hosting-agent/trust/identity.json', 0o600])
})

test('keeps the settings and the identity when it runs again', async () => {
  await install(config, host, [])
  await host.files.write(SETTINGS, 'AGENT_LISTEN=10.0.0.1:9000\n')
  const before = host.disk.all
  const socket = before[SOCKET] ?? ''

  await install(config, host, ['--port', '9443'])

  expect(socket).toContain('\nListenStream=[::]:8443\n')
  const moved = socket.replace('[::]:8443', '10.0.0.1:9000')
  expect(host.disk.all).toEqual({ ...before, [SOCKET]: moved })
})

const LISTENING = '   0: 00000000:20FB 00000000:0000 0A 00000000:00000000\n'
const ASKS = 'ss -Hltnp sport = :8443'

test('is installed again while systemd holds its port, and refuses the port of another socket', async () => {
  await install(config, host, [])
  await host.files.write('/proc/1/net/tcp', LISTENING)
  host.answer(ASKS, 'LISTEN 0 511 *:8443 *:* users:(("systemd",pid=1,fd=40))\n')
  await install(config, host, [])

  await host.files.write(SOCKET, '[Socket]\nListenStream=[::]:9443\n')

  await expect(install(config, host, [])).rejects.toThrow('port 8443 is in use by systemd')
})

test('refuses a server on which somebody else has the user of the listening half', async () => {
  await host.files.write('/etc/passwd', 'hosting-front:x:1007:1007:Site shop.example:/srv/www/x:\n')
  const before = host.disk.all

  await expect(install(config, host, [])).rejects.toThrow(
    'the user hosting-front of this server is not that of the agent',
  )

  expect(host.ran).toEqual([])
  expect(host.disk.all).toEqual(before)
})

test('creates the user before an upgrade writes the units, and once', async () => {
  host.table = { useradd }

  expect(await units(config, host)).toBe('written: the units of this version')
  expect(host.disk.text(FRONT)).toContain('\nUser=hosting-front\n')
  const ran = [...host.ran]
  await units(config, host)

  expect(ran.map((line) => line.split(' ')[0])).toEqual(['groupadd', 'useradd'])
  expect(host.ran).toEqual(ran)
})

test('refuses a port that another program listens on, and changes nothing', async () => {
  await host.files.write('/proc/1/net/tcp', LISTENING)
  host.answer(ASKS, 'LISTEN 0 511 *:8443 *:* users:(("nginx",pid=7,fd=5))')
  const before = host.disk.all

  await expect(install(config, host, [])).rejects.toThrow('port 8443 is in use by nginx')

  expect(host.ran).toEqual([ASKS])
  expect(host.disk.all).toEqual(before)
})

test('accepts the port that the agent itself listens on', async () => {
  await host.files.write('/proc/1/net/tcp', LISTENING)
  host.answer(ASKS, 'LISTEN 0 512 *:8443 *:* users:(("hosting-agent",pid=7,fd=5))')

  expect(await install(config, host, [])).toContain('answers on port 8443')
})

test.each(['80', '0', '65536', '1e4', 'x'])('refuses the port %s', async (port) => {
  await expect(install(config, host, ['--port', port])).rejects.toThrow('between 1024 and 65535')
  expect(host.ran).toEqual([])
})

test('names the missing program: systemd or D-Bus', async () => {
  await host.files.remove('/run/dbus')
  await expect(install(config, host, [])).rejects.toThrow('apt-get install dbus')

  host.init = 'direct'
  await expect(install(config, host, [])).rejects.toThrow('systemd is not running here')
  expect(host.ran).toEqual([])
})
